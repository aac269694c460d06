/** Every code of a passenger check, and how grave it is. docs/passenger-checks.md explains each. */
export const severities = {
  invalid_field: "error",
  no_passengers: "error",
  too_many_passengers: "error",
  infants_exceed_adults: "error",
  count_differs_from_quote: "error",
  quote_type_unknown: "warning",
  quote_counts_unreadable: "warning",
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

/** What is wrong with a field under the code `invalid_field`, for translations. */
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

/** Something about the passengers, or about the offer they want, that would go wrong at or after booking. */
export interface PassengerIssue {
  /** The machine-readable code; docs/passenger-checks.md lists every one. */
  readonly code: PassengerIssueCode;
  /** With `invalid_field`: what is wrong with the field. */
  readonly problem?: FieldProblem;
  /** An `error` stops `book` of a checkout unless `acceptIssues` names its code; a `warning` never does. */
  readonly severity: "error" | "warning";
  /**
   * From the root: `["passengers", 0, "dob"]`, `["offer", "segments", 0, "flight_status"]` for what the quote itself says, or
   * `["extraBody", "passengers", 0, "passport_expiry"]`.
   */
  readonly path: readonly (string | number)[];
  /** A sentence for the person at the form, never with what was typed. */
  readonly message: string;
  /** Advice for the developer, if there is any. */
  readonly developerMessage?: string;
  /** The value that would be right at `path`, if it can be told. It is never put in by itself. */
  readonly suggestion?: string;
  /** How the airline wants the field written (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** What an issue may have besides its code, place and message. */
type Details = {
  readonly [Name in "problem" | "developerMessage" | "suggestion" | "guidance"]?: PassengerIssue[Name] | undefined;
};

/** Makes an issue; the table above knows its severity. */
export function issue(
  code: PassengerIssueCode,
  path: readonly (string | number)[],
  message: string,
  { problem, developerMessage, suggestion, guidance }: Details = {},
): PassengerIssue {
  return {
    code,
    ...(problem !== undefined && { problem }),
    severity: severities[code],
    path,
    message,
    ...(developerMessage !== undefined && { developerMessage }),
    ...(suggestion !== undefined && { suggestion }),
    ...(guidance !== undefined && { guidance }),
  };
}
