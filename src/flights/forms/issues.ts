import { ConfigurationError } from "../../errors/request.ts";
import { field } from "../../shared/json.ts";
import { func, listOf, object, type Rule, type Rules, readOptions, string } from "../../shared/options.ts";
import { hookResult } from "../../shared/promises.ts";
import { refuseUnknownNames } from "../../shared/unknown-names.ts";
import {
  checks,
  type FieldProblem,
  fill,
  gstFields,
  type PassengerIssue,
  type PassengerIssueCode,
  problems,
} from "../passengers/issues.ts";
import { passengerInputs } from "./form.ts";

/** The key of a translation: the code of an issue, and for `invalid_field` the problem after a dot. */
export type FormTextKey = Exclude<PassengerIssueCode, "invalid_field"> | `invalid_field.${FieldProblem}`;

/** A translation, for the person at the form: a string with `{placeholders}` of the issue's `values`, or a function. */
export type FormText = string | ((issue: PassengerIssue) => string);

/** An issue as a form shows it. */
export interface FormIssue {
  /** The input that can change it, such as `passengers.0.dob`; an empty string if the form has none for it. */
  readonly name: string;
  /** The key of its text. */
  readonly key: FormTextKey;
  /** The text for the person at the form. */
  readonly text: string;
  /** An `error` stops the booking; a `warning` does not. */
  readonly severity: "error" | "warning";
  /** The probable right value. Offer it, and let the person choose. */
  readonly suggestion?: string;
  /** The airline's own words on the format, as plain text. */
  readonly guidance?: string;
  /** The issue itself. */
  readonly issue: PassengerIssue;
}

/** The issues of a form, by the input that they belong to. */
export interface FormIssues {
  /** By the name of the input, as `passengerForm` names them. An issue without an input is in `form`. */
  readonly fields: Readonly<Partial<Record<string, readonly FormIssue[]>>>;
  /** Those of the whole form, of a passenger, or of a field without an input, in the order of `passengers`. */
  readonly form: readonly FormIssue[];
  /** Those of the quote: no input changes them. */
  readonly offer: readonly FormIssue[];
  /** Whether one of them stops the booking. */
  readonly hasErrors: boolean;
}

/** Options of {@link formIssues}. */
export interface FormIssuesOptions {
  /**
   * Your texts, in the language of the person: the key → a string with `{placeholders}`, or a function that returns a
   * string at once. The issue's `message`, in English, is shown for the other keys.
   *
   * @default {}
   */
  readonly texts?: Readonly<Partial<Record<FormTextKey, FormText>>> | undefined;
}

/** The keys of all texts, to check that a translation is complete. */
export const formTextKeys: readonly FormTextKey[] = [
  ...Object.keys(problems).map((problem) => `invalid_field.${problem as FieldProblem}` as const),
  ...(Object.keys(checks) as PassengerIssueCode[]).filter((code) => code !== "invalid_field"),
];

const rules: Rules<FormIssuesOptions> = { texts: object };
const issueRule: Rule = (value) => {
  const path = field(value, "path");
  const isIssue =
    Array.isArray(path) &&
    ["code", "message", "severity"].every((name) => typeof field(value, name) === "string") &&
    // These become text.
    [...path, field(value, "problem"), ...Object.values(Object(field(value, "values")))].every(
      (part) => Object(part) !== part,
    );
  return isIssue ? undefined : "must be an issue of a passenger check";
};

/**
 * Sorts the issues of `trip.validate`, `validatePassengers` or a `PassengerValidationError` by the inputs of a form, with
 * the texts to show.
 *
 * @param issues - The issues.
 * @param options - See {@link FormIssuesOptions}.
 * @throws {@link ConfigurationError} if `issues` is not a list of issues, for a translation that is neither a string nor a
 *   function, or whose key does not exist, and for a function that returns no string.
 *
 * @example
 * ```ts
 * import { validatePassengers } from "serviceapi/flights";
 * import { formIssues } from "serviceapi/flights/forms";
 *
 * const texts = { "invalid_field.required": "Bitte ausfüllen.", adult_too_young: "Erwachsene sind ab {adultFrom}." };
 * const { fields, form } = formIssues(validatePassengers(offer, passengers), { texts });
 * console.log(fields["passengers.0.dob"]?.[0]?.text, form.length);
 * ```
 */
export function formIssues(issues: readonly PassengerIssue[], options: FormIssuesOptions = {}): FormIssues {
  const { texts = {} } = readOptions("formIssues", options, rules);
  checkTexts(texts);
  const complaint = listOf(issueRule, 0)(issues, "issues");
  if (complaint !== undefined) throw new ConfigurationError(`formIssues: \`issues\` ${complaint}.`);
  const shown = issues.map((issue) => formIssue(issue, texts));
  const others = shown.filter(({ name }) => name === "");
  const isOffers = ({ issue }: FormIssue) => issue.path[0] === "offer";
  return {
    fields: Object.groupBy(
      shown.filter(({ name }) => name !== ""),
      ({ name }) => name,
    ),
    form: others.filter((one) => !isOffers(one)),
    offer: others.filter(isOffers),
    hasErrors: shown.some(({ severity }) => severity === "error"),
  };
}

function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  refuseUnknownNames("formIssues", "key", texts, formTextKeys);
  for (const [key, text] of Object.entries(texts)) {
    if (text !== undefined && string(text, key) !== undefined && func(text, key) !== undefined) {
      throw new ConfigurationError(`formIssues: the translation "${key}" must be a string or a function.`);
    }
  }
}

function formIssue(issue: PassengerIssue, texts: NonNullable<FormIssuesOptions["texts"]>): FormIssue {
  const { code, problem = "invalid_type", severity, suggestion, guidance } = issue;
  const key: FormTextKey = code === "invalid_field" ? `${code}.${problem}` : code;
  return {
    name: nameOf(issue),
    key,
    text: textOf(issue, key, texts),
    severity,
    ...(suggestion !== undefined && !isOfType(issue) && { suggestion }),
    ...(guidance !== undefined && { guidance }),
    issue,
  };
}

/** The issues of an age: the quote has the type of the passenger, so only the date of birth can change. */
const ages: ReadonlySet<PassengerIssueCode> = new Set([
  "adult_too_young",
  "child_too_young",
  "child_too_old",
  "infant_too_old",
  "senior_fare_age",
]);

/** The name of the input that can change it, such as `passengers.0.fname`; empty if the form has none. */
function nameOf({ code, path }: PassengerIssue): string {
  const [root, index, field, detail] = path;
  if (root !== "passengers" || typeof index !== "number") return "";
  if (ages.has(code)) return `passengers.${index}.dob`;
  if (field === "gst") return index === 0 && isOneOf(gstFields, detail) ? path.join(".") : "";
  return path.length === 3 && isOneOf(passengerInputs, field) ? path.join(".") : "";
}

function isOneOf(names: readonly string[], name: unknown): boolean {
  return names.includes(String(name));
}

/** Whether its suggestion is another type of passenger, which the form cannot choose. */
function isOfType({ path }: PassengerIssue): boolean {
  return path.at(-1) === "passenger_type";
}

function textOf(issue: PassengerIssue, key: FormTextKey, texts: NonNullable<FormIssuesOptions["texts"]>): string {
  const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
  if (text === undefined) return issue.message;
  if (typeof text === "function") return hookResult("formIssues", `texts.${key}`, text(issue), string);
  return fill(text, issue.values ?? {});
}
