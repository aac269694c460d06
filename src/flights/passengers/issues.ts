/** The codes of the passenger checks with their severity. docs/passenger-checks.md explains each. */
export const severities = {
  invalid_field: "error",
  no_passengers: "error",
  too_many_passengers: "error",
  infants_exceed_adults: "error",
  count_differs_from_quote: "error",
  quote_type_unknown: "warning",
  quote_counts_unreadable: "warning",
  quote_flag_unreadable: "warning",
  lead_not_adult: "warning",
  passenger_repeated: "warning",
  departure_unknown: "warning",
  born_after_departure: "error",
  adult_too_young: "error",
  child_too_young: "error",
  child_too_old: "error",
  infant_too_old: "error",
  senior_fare_age: "warning",
  title_gender_mismatch: "error",
  title_age_mismatch: "error",
  name_characters: "error",
  name_punctuation: "warning",
  name_not_latin: "warning",
  name_spacing: "warning",
  gst_missing: "error",
  gst_incomplete: "error",
  gst_number_form: "warning",
  gst_contact_form: "warning",
  passport_required_at_book: "error",
  passport_required_at_ticket: "warning",
  passport_expires: "warning",
  pan_required_at_book: "error",
  pan_required_at_ticket: "warning",
  hold_mandatory_with_ssr: "warning",
  service_unknown_leg: "error",
  service_repeated_leg: "error",
  service_for_infant: "error",
  seat_taken_twice: "error",
  segment_not_confirmed: "warning",
  flight_departed: "warning",
  ticket_deadline_passed: "warning",
  ticket_deadline_unreadable: "warning",
} as const satisfies Record<string, "error" | "warning">;

/** The machine-readable code of a passenger check; docs/passenger-checks.md has the table. */
export type PassengerIssueCode = keyof typeof severities;

/** The problem of a field with the code `invalid_field`, for translations. */
export type FieldProblem =
  /** Missing or blank. */
  | "required"
  /** Not one of the documented values of `title`, `passenger_type` or `gender`. */
  | "invalid_choice"
  /** Not an e-mail address. */
  | "invalid_email"
  /** Not 7 to 15 digits. */
  | "invalid_mobile"
  /** Not a calendar date as `YYYY-MM-DD`. */
  | "invalid_date"
  /** Not a 3-letter airport code. */
  | "invalid_airport"
  /** Not of the documented type, such as a number instead of a string. */
  | "invalid_type"
  /** A field that the document does not show. */
  | "unknown_field"
  /** A date of birth before 1900, such as the zero date `0001-01-01`. */
  | "born_before_1900"
  /** A date of birth after today. */
  | "born_after_today";

/** A problem of the passengers or their offer, at booking or after it. */
export interface PassengerIssue {
  /** The machine-readable code; docs/passenger-checks.md lists every one. */
  readonly code: PassengerIssueCode;
  /** Problem of the field. With `invalid_field` only. */
  readonly problem?: FieldProblem;
  /** An `error` stops `book` of a checkout unless `acceptIssues` names its code; a `warning` never does. */
  readonly severity: "error" | "warning";
  /**
   * Path from the root: `["passengers", 0, "dob"]`, `["offer", "segments", 0, "flight_status"]` for a problem of the
   * quote, or `["extraBody", "passengers", 0, "passport_expiry"]`.
   */
  readonly path: readonly (string | number)[];
  /** Sentence for the person at the form, never with what was typed. */
  readonly message: string;
  /** Numbers, days and types that `message` names, for translations: docs/forms.md lists them. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** Advice for the developer, if there is any. */
  readonly developerMessage?: string;
  /** The probable right value at `path`. It is never applied automatically. */
  readonly suggestion?: string;
  /** The airline's format of the field (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** Optional properties of an issue. */
type Details = {
  readonly [Name in "problem" | "values" | "developerMessage" | "suggestion" | "guidance"]?:
    | PassengerIssue[Name]
    | undefined;
};

/** Makes an issue with the severity of its code. */
export function issue(
  code: PassengerIssueCode,
  path: readonly (string | number)[],
  message: string,
  { problem, values, developerMessage, suggestion, guidance }: Details = {},
): PassengerIssue {
  return {
    code,
    ...(problem !== undefined && { problem }),
    severity: severities[code],
    path,
    message,
    ...(values !== undefined && { values }),
    ...(developerMessage !== undefined && { developerMessage }),
    ...(suggestion !== undefined && { suggestion }),
    ...(guidance !== undefined && { guidance }),
  };
}
