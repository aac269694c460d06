import { passengerShape } from "../schemas.ts";
import type { GstDetails, Passenger, ServiceChoice } from "../types/index.ts";

/** The checks that stop a booking, by their codes, with the sentence for the person at the form. */
export const errors = {
  // `problems` has the sentences of fields.
  invalid_field: "{sentence}",
  no_passengers: "Add at least one passenger.",
  too_many_passengers: "One booking takes at most {maxPassengers} passengers.",
  infants_exceed_adults: "Each infant needs a different adult to sit with.",
  count_differs_from_quote:
    "The quote is for {quoted} of type {type}, and there {are} {given}: search and quote again for these passengers.",
  born_after_departure: "The date of birth is after the first departure.",
  adult_too_young:
    "This passenger is under {adultFrom} on {firstDay}, the first departure, and cannot travel as an adult.",
  child_too_young:
    "This passenger is under {infantUnder} until {lastDay}, the last departure, and travels as an infant.",
  child_too_old: "This passenger is {adultFrom} or older on {firstDay}, the first departure, and travels as an adult.",
  infant_too_old:
    "This passenger is {infantUnder} or older on {lastDay}, the last departure, and needs their own seat.",
  title_gender_mismatch: "The title does not match the gender.",
  title_age_mismatch: "The title Mstr is for boys who travel as a child or an infant.",
  name_characters: "Use letters and spaces only, as on the travel document.",
  gst_missing: "This fare requires the GST details of a company.",
  gst_incomplete: "Enter the {label}.",
  passport_required_at_book: "The airline needs the passport details of each passenger to book this fare.",
  pan_required_at_book: "The tax number (PAN) of each passenger is needed to book this fare.",
  service_unknown_leg: "This entry names a {part} that is not in the itinerary.",
  service_repeated_leg: "This entry names a leg, or a part of one, that an earlier entry has already.",
  service_for_infant: "An infant cannot have their own {kind}.",
  seat_taken_twice: "This seat is taken by an earlier entry.",
} as const;

/** The checks that do not stop one. docs/passenger-checks.md explains each code. */
const warnings = {
  quote_type_unknown:
    "The quote is for a type of passenger other than adult, child or infant: check that the price is for these passengers.",
  quote_counts_unreadable: "The quote does not say how many passengers it is for: check that it is for all of them.",
  quote_flag_unreadable: "It is not known whether the fare needs this: ask for it before you book.",
  lead_not_adult: "The first passenger leads the booking and should be an adult.",
  passenger_repeated: "This passenger has the same name and date of birth as an earlier one.",
  departure_unknown: "The quote does not state the day of every departure, so ages could not be checked completely.",
  senior_fare_age:
    "This passenger is under {seniorFrom} on {firstDay}. The fare is for seniors, and the airport asks for proof of age.",
  name_punctuation:
    "Airlines write names without apostrophes, hyphens and dots; the ticket may show the name without them.",
  name_not_latin:
    "The name has letters beyond A to Z; write it as in the machine-readable lines of the travel document.",
  name_spacing: "The name has an extra space, which may appear on the ticket.",
  gst_number_form: "This does not look like a GST number (15 characters).",
  gst_contact_form: "This is not a complete {label}.",
  passport_required_at_ticket:
    "The airline will need the passport details of each passenger when the ticket is issued.",
  passport_expires: "The passport expires before the trip is over.",
  passport_expiry_unreadable: "The date on which the passport expires cannot be read: check that it is after the trip.",
  pan_required_at_ticket: "The tax number (PAN) of each passenger will be needed when the ticket is issued.",
  hold_mandatory_with_ssr:
    "Seats, baggage and meals of this fare need a booking that is held first: the ticket cannot be issued immediately.",
  segment_not_confirmed: "This flight is not confirmed: there may be no seat on it.",
  flight_departed: "This flight has left: search again.",
  ticket_deadline_passed: "The ticket deadline has passed: search again.",
  ticket_deadline_unreadable: "The ticket deadline cannot be read: ask for it before you book.",
} as const;

export const checks: Readonly<Record<PassengerIssueCode, string>> = { ...errors, ...warnings };

/** The machine-readable code of a passenger check; docs/passenger-checks.md has the table. */
export type PassengerIssueCode = keyof typeof errors | keyof typeof warnings;

/** The problem of a field with the code `invalid_field`, for translations. */
export type FieldProblem = keyof typeof problems;

/** The sentences of fields, for the person at the form. */
export const problems = {
  /** Missing or blank. */
  required: "{enter} the {label}.",
  /** Not one of the documented values of `title`, `passenger_type` or `gender`. */
  invalid_choice: "Choose the {label}: {choices}.",
  /** Not an e-mail address. */
  invalid_email: "Enter a complete e-mail address, such as name@example.com.",
  /** Not 7 to 15 digits, between which spaces, dashes, dots, parentheses and a leading `+` may stand. */
  invalid_mobile: "Enter a complete mobile number, of 7 to 15 digits.",
  /** Not a calendar date as `YYYY-MM-DD`. */
  invalid_date: "Enter a valid date of birth, as year-month-day.",
  /** Not a 3-letter airport code. */
  invalid_airport: "Enter the {label} as a 3-letter code.",
  /** Not of the documented type, such as a number instead of a string. */
  invalid_type: "Enter the {label} again.",
  /** A field that the document does not show: those go into `extraBody`. */
  unknown_field: "Some details of this passenger cannot be sent to the airline.",
  /** A date of birth before 1900, such as the zero date `0001-01-01`. */
  born_before_1900: "Enter the full year of birth: the date of birth is before 1900.",
  /** A date of birth after today. */
  born_after_today: "Check the date of birth: it is in the future.",
} as const;

/** A field of a passenger, of a seat, a piece of baggage or a meal, or of GST details (§4.3). */
export interface Field {
  /** Its name in the sentence for the person at the form. */
  readonly label: string;
  /** The values that the document lists, as the service writes them. */
  readonly choices?: readonly string[];
  /** The problem of a string of another form. */
  readonly problem?: FieldProblem;
  /** The kind of input in a form; absent if a form has none for it. */
  readonly input?: "text" | "email" | "tel" | "date" | "select";
  /** The token for the attribute `autocomplete`, without a section. */
  readonly autocomplete?: string;
}

const { title, gender, passenger_type } = passengerShape;
const choice = { problem: "invalid_choice", input: "select" } as const;
const text = { input: "text" } as const;

/** The fields that a form asks for are in the order in which it does. */
export const fields: Readonly<Partial<Record<string, Field>>> = {
  passenger_type: { label: "type of passenger", choices: passenger_type.choices, ...choice },
  title: { label: "title", choices: title.choices, ...choice, autocomplete: "honorific-prefix" },
  fname: { label: "first name", ...text, autocomplete: "given-name" },
  lname: { label: "last name", ...text, autocomplete: "family-name" },
  gender: { label: "gender", choices: gender.choices, ...choice, autocomplete: "sex" },
  dob: { label: "date of birth", problem: "invalid_date", input: "date", autocomplete: "bday" },
  mobile: { label: "mobile number", input: "tel", autocomplete: "tel" },
  email: { label: "e-mail address", problem: "invalid_email", input: "email", autocomplete: "email" },
  address: { label: "address", ...text, autocomplete: "street-address" },
  city: { label: "city", ...text, autocomplete: "address-level2" },
  country: { label: "country", ...text, autocomplete: "country-name" },
  country_code: { label: "country code", ...text, autocomplete: "country" },
  gst_company_name: { label: "name of the company", ...text, autocomplete: "organization" },
  gst_number: { label: "GST number", ...text },
  gst_company_address: { label: "address of the company", ...text },
  gst_company_mobile: { label: "mobile number of the company", input: "tel" },
  gst_company_email: { label: "e-mail address of the company", input: "email" },
  seat: { label: "seats" },
  baggage: { label: "baggage" },
  meal: { label: "meals" },
  gst: { label: "GST details" },
  code: { label: "choice of seat, baggage or meal" },
  origin: { label: "departure airport", problem: "invalid_airport" },
  destination: { label: "arrival airport", problem: "invalid_airport" },
  passengers: { label: "details of this passenger" },
} satisfies Record<keyof Passenger | keyof ServiceChoice | keyof GstDetails | "passengers", Field>;

/** The types of passenger that the document names. */
export const passengerTypes: readonly string[] = passenger_type.choices;

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
  /** The probable right value at `path`. It is never applied automatically: offer it, and let the person choose. */
  readonly suggestion?: string;
  /** The airline's format of the field (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** Optional parts of an issue, and the words of its sentence that are not `values`. */
type Details = {
  readonly [Name in Exclude<keyof PassengerIssue, "code" | "severity" | "path" | "message">]?:
    | PassengerIssue[Name]
    | undefined;
} & { readonly words?: Readonly<Record<string, string>> };

/** Makes an issue with the severity and the sentence of its code. */
export function issue(
  code: PassengerIssueCode,
  path: PassengerIssue["path"],
  { words, ...more }: Details = {},
): PassengerIssue {
  const severity = Object.hasOwn(errors, code) ? "error" : "warning";
  const given = Object.entries(more).filter(([, part]) => part !== undefined);
  return {
    code,
    severity,
    path,
    message: fill(checks[code], { ...words, ...more.values }),
    ...Object.fromEntries(given),
  };
}

/** Fills the `{placeholders}` of a sentence. One without a value stays. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
