/** Every code of a passenger check, and how grave it is. docs/passenger-checks.md explains each. */
export const severities = {
  invalid_field: "error",
  no_passengers: "error",
  too_many_passengers: "error",
  infants_exceed_adults: "error",
  count_differs_from_quote: "error",
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
  name_not_latin: "warning",
  name_spacing: "warning",
  gst_missing: "error",
  gst_incomplete: "error",
  gst_number_form: "warning",
  passport_required_at_book: "error",
  passport_required_at_ticket: "warning",
  pan_required_at_book: "error",
  pan_required_at_ticket: "warning",
  hold_mandatory_with_ssr: "warning",
  service_unknown_leg: "error",
  service_repeated_leg: "error",
  service_for_infant: "error",
  seat_taken_twice: "error",
  segment_not_confirmed: "warning",
  ticket_deadline_passed: "warning",
} as const satisfies Record<string, "error" | "warning">;

/** A word for programs; docs/passenger-checks.md has the table. */
export type PassengerIssueCode = keyof typeof severities;

/** Something about the passengers, or about the offer they want, that would go wrong at or after booking. */
export interface PassengerIssue {
  readonly code: PassengerIssueCode;
  /** An `error` stops `book` of a checkout unless `acceptIssues` names its code; a `warning` never does. */
  readonly severity: "error" | "warning";
  /** From the root: `["passengers", 0, "dob"]`, or `["offer", "segments", 0, "flight_status"]` for what the quote itself says. */
  readonly path: readonly (string | number)[];
  /** In words for the person at the form, never with what was typed. */
  readonly message: string;
  /** The value that would be right at `path`, where one can be told. It is never put in by itself. */
  readonly suggestion?: string;
  /** How the airline wants the field written (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** Makes an issue; the table above knows its severity. */
export function issue(
  code: PassengerIssueCode,
  path: readonly (string | number)[],
  message: string,
  more: { readonly suggestion?: string | undefined; readonly guidance?: string | undefined } = {},
): PassengerIssue {
  return {
    code,
    severity: severities[code],
    path,
    message,
    ...(more.suggestion !== undefined && { suggestion: more.suggestion }),
    ...(more.guidance !== undefined && { guidance: more.guidance }),
  };
}
