import * as z from "zod/mini";
import { toKey } from "../../shared/issue-list.ts";
import { isObject } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { isPassenger } from "../checks.ts";
import { passengerSchema } from "../schemas/index.ts";
import type { CheckContext } from "./context.ts";
import { type FieldProblem, issue, type PassengerIssue } from "./issues.ts";

const schema = standardSchema(passengerSchema);

/** Checks the fields: the rules of §4.3, and blank fields, mobile numbers and dates of birth beyond them. */
export function checkFields(context: CheckContext): PassengerIssue[] {
  return context.given.flatMap((passenger, index) => {
    if (!isObject(passenger)) {
      const problem: FieldProblem = isBlank(passenger) ? "required" : "invalid_type";
      const message = "Enter the details of this passenger.";
      return [
        issue("invalid_field", ["passengers", index], message, { problem, developerMessage: "must be an object" }),
      ];
    }
    const found = [...checkDocumented(passenger, index), ...checkForm(passenger, index, context)];
    // A blank field breaks a rule of the document and one of the form: one issue a place.
    return found.filter(({ path }, i) => found.findIndex((other) => other.path.join() === path.join()) === i);
  });
}

/** Returns true for a value of the documented shape of a passenger (§4.3). */
export function isPassengerShaped(value: unknown): boolean {
  return isPassenger(value);
}

function checkDocumented(passenger: object, index: number): PassengerIssue[] {
  if (isPassenger(passenger)) return [];
  const { issues = [] } = schema["~standard"].validate(passenger);
  return issues.flatMap((found) => {
    const path = (found.path ?? []).map(toKey);
    const value = path.reduce<unknown>(
      (holder, key) => (isObject(holder) ? Reflect.get(holder, key) : undefined),
      passenger,
    );
    // A GST field that is missing and one that is blank are one fault: `gst_incomplete`.
    if (path[0] === "gst" && path.length === 2 && isBlank(value)) return [];
    const isUnknown = "code" in found && found.code === "unrecognized_keys";
    const field = String(path.findLast((key) => typeof key === "string") ?? "");
    const problem = isUnknown ? "unknown_field" : problemOf(field, value);
    return [fieldIssue(["passengers", index, ...path], field, problem, found.message, value)];
  });
}

/** Fields that the document only calls strings. */
const required = ["fname", "lname", "mobile", "email", "address", "city", "country", "country_code"] as const;

function checkForm(passenger: object, index: number, { today, firstDeparture }: CheckContext): PassengerIssue[] {
  const found = required
    .filter((field) => isBlank(Reflect.get(passenger, field)))
    .map((field) => fieldIssue(["passengers", index, field], field, "required", "must not be blank"));
  const mobile: unknown = Reflect.get(passenger, "mobile");
  if (typeof mobile === "string" && !isMobile(mobile)) {
    found.push(fieldIssue(["passengers", index, "mobile"], "mobile", "invalid_mobile", "must have 7 to 15 digits"));
  }
  const dob: unknown = Reflect.get(passenger, "dob");
  const problem = isCalendarDate(dob) ? birthProblem(dob, today) : undefined;
  // `checkAges` reports a date of birth after the departure.
  if (isCalendarDate(dob) && firstDeparture !== null && dob > firstDeparture.toString().slice(0, 10)) return found;
  if (problem !== undefined) {
    const developerMessage = `must be a date from 1900-01-01 to ${today}`;
    found.push(fieldIssue(["passengers", index, "dob"], "dob", problem, developerMessage));
  }
  return found;
}

/** `YYYY-MM-DD` sorts as a string. */
function birthProblem(dob: string, today: string): FieldProblem | undefined {
  if (dob < "1900-01-01") return "born_before_1900";
  return dob > today ? "born_after_today" : undefined;
}

/** A mobile number of any country, as people write it: 7 to 15 digits. */
export function isMobile(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "").length;
  return /^\+?[\d\s\p{Pd}().]+$/u.test(text.trim()) && digits >= 7 && digits <= 15;
}

/** A day that the calendar has, as `YYYY-MM-DD`. */
export function isCalendarDate(value: unknown): value is string {
  return typeof value === "string" && z.regexes.date.test(value);
}

/** The values that the document lists, by their field. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  title: ["Mr", "Mrs", "Ms", "Mstr"],
  passenger_type: ["adult", "child", "infant"],
  gender: ["M", "F"],
};

const forms: Readonly<Record<string, FieldProblem>> = {
  title: "invalid_choice",
  passenger_type: "invalid_choice",
  gender: "invalid_choice",
  email: "invalid_email",
  dob: "invalid_date",
  origin: "invalid_airport",
  destination: "invalid_airport",
};

function problemOf(field: string, value: unknown): FieldProblem {
  if (isBlank(value)) return "required";
  return (typeof value === "string" && forms[field]) || "invalid_type";
}

function fieldIssue(
  path: readonly (string | number)[],
  field: string,
  problem: FieldProblem,
  developerMessage: string,
  value?: unknown,
): PassengerIssue {
  const known = choices[field] ?? [];
  // `Adult` and `mr` need no thought: the value in the service's own spelling.
  const suggestion = known.find(
    (choice) => typeof value === "string" && choice.toLowerCase() === value.trim().toLowerCase(),
  );
  const write = sentences[problem];
  return issue("invalid_field", path, write(labels[field] ?? "missing details", known), {
    problem,
    developerMessage,
    suggestion,
  });
}

const labels: Readonly<Record<string, string>> = {
  title: "title",
  fname: "first name",
  lname: "last name",
  mobile: "mobile number",
  email: "e-mail address",
  passenger_type: "type of passenger",
  dob: "date of birth",
  gender: "gender",
  address: "address",
  city: "city",
  country: "country",
  country_code: "country code",
  seat: "seats",
  baggage: "baggage",
  meal: "meals",
  code: "choice of seat, baggage or meal",
  origin: "departure airport",
  destination: "arrival airport",
  gst: "GST details",
  gst_company_name: "name of the company",
  gst_number: "GST number",
  gst_company_address: "address of the company",
  gst_company_mobile: "mobile number of the company",
  gst_company_email: "e-mail address of the company",
};

/** For the person at the form. */
const sentences: Readonly<Record<FieldProblem, (label: string, known: readonly string[]) => string>> = {
  required: (label, known) => `${known.length > 0 ? "Choose" : "Enter"} the ${label}.`,
  invalid_choice: (label, known) => `Choose the ${label}: ${known.join(", ")}.`,
  invalid_email: () => "Enter a complete e-mail address, such as name@example.com.",
  invalid_mobile: () => "Enter a complete mobile number, of 7 to 15 digits.",
  invalid_date: () => "Enter a valid date of birth, as year-month-day.",
  invalid_airport: (label) => `Enter the ${label} as a 3-letter code.`,
  invalid_type: (label) => `Enter the ${label} again.`,
  unknown_field: () => "Some details of this passenger cannot be sent to the airline.",
  born_before_1900: () => "Enter the full year of birth: the date of birth is before 1900.",
  born_after_today: () => "Check the date of birth: it is in the future.",
};

/** Not filled in: nothing, or white space. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
