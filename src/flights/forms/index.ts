/** The entry point `serviceapi/flights/forms`: the passengers of a quote as a form, and their issues by its inputs. */
import { ConfigurationError } from "../../errors/request.ts";
import { field, isObject } from "../../shared/json.ts";
import { each } from "../../shared/objects.ts";
import {
  anyOf,
  func,
  listOf,
  object,
  objectWith,
  type Rule,
  type Rules,
  readArguments,
  readOptions,
  string,
} from "../../shared/options.ts";
import { hookResult } from "../../shared/promises.ts";
import {
  checks,
  type Field,
  type FieldProblem,
  fields,
  fill,
  type PassengerIssue,
  type PassengerIssueCode,
  passengerTypes,
  problems,
} from "../passengers/issues.ts";
import { type NormalizedOffer, normalizeOffer, oneOrAll, plainGuidance } from "../quote/normalize.ts";
import { gstFields } from "../schemas.ts";
import type { FareQuoteResult, GstDetails, Passenger } from "../types/index.ts";

/** A form for the passengers of a quote. */
export interface PassengerForm {
  /** One for each passenger that the quote is for, adults first; empty if the quote does not say (`isCountKnown`). */
  readonly passengers: readonly PassengerSlot[];
  /**
   * False if the quote does not say for how many passengers it is, says more than 99, or its offers differ: ask, as many
   * times as your search did.
   */
  readonly isCountKnown: boolean;
  /** The documents and details that the fare requires beyond the fields of a passenger. */
  readonly needs: FormNeeds;
}

/** The requirements of a fare. The document has no field for passport and PAN: they go into `extraBody`. */
interface FormNeeds {
  /**
   * Whether the GST details of a company are mandatory. They are fields of the first passenger. A need that the quote
   * does not say readably counts as none here, and {@link validatePassengers} warns of it.
   */
  readonly gst: boolean;
  /** When the passport of each passenger is needed; null if it is not. */
  readonly passport: "book" | "ticket" | null;
  /** When the tax number (PAN) of each passenger is needed; null if it is not. */
  readonly pan: "book" | "ticket" | null;
  /** Whether a seat, baggage or meal makes the booking one that is held first, without an immediate ticket. */
  readonly holdWithServices: boolean;
}

/** A passenger to be entered. */
interface PassengerSlot {
  /** Index in `passengers`, from 0. The first leads the booking. */
  readonly index: number;
  /** The type that the quote names, such as `adult`. */
  readonly type: string;
  /** Number among those of the type, from 1: "child 2 of 3". */
  readonly number: number;
  /** Number of passengers of the type. */
  readonly count: number;
  /** The fields to ask for, in the usual order: `passenger_type` if the document does not name `type`, GST details last. */
  readonly fields: readonly FormField[];
}

/** A field of a form. */
export interface FormField extends Pick<Field, "choices" | "autocomplete"> {
  /** Name for the input: the path in the request, such as `passengers.0.fname`. */
  readonly name: string;
  /** The field, such as `fname` or `gst_number`. */
  readonly field: string;
  /** Whether it must be filled in. GST details that are not mandatory may be left out together. */
  readonly required: boolean;
  /** The kind of input. */
  readonly input: "text" | "email" | "tel" | "date" | "select";
  /** The airline's own words on the format (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** The inputs of a passenger by their paths, in the order in which a form asks. */
const inputs = Object.entries(fields).flatMap(([name, known]) => {
  if (known?.input === undefined) return [];
  const { input, choices, autocomplete } = known;
  const isGst = gstFields.some((one) => one === name);
  const shown = { field: name, input, ...(choices && { choices }), ...(autocomplete && { autocomplete }) };
  return [{ path: isGst ? `gst.${name}` : name, isGst, shown }];
});

/** The most passengers that a form has; a booking has a tenth of it. */
const maxPassengers = 99;

/** The titles of a type (docs/assumptions.md, F9). The quote may name a type that the document does not. */
const titles = new Map([
  ["adult", ["Mr", "Mrs", "Ms"]],
  ["child", ["Mstr", "Ms"]],
  ["infant", ["Mstr", "Ms"]],
]);

/**
 * Returns the form that a quote wants: a slot for each passenger of its price, the fields of each, and what the fare
 * requires beyond them (§2.4, §4.3).
 *
 * @param offer - A fare quote result, or all those of one trip: what one of them requires is required.
 * @throws {@link ConfigurationError} if it is neither.
 *
 * @example
 * ```ts
 * import { passengerForm } from "serviceapi/flights/forms";
 *
 * for (const { type, number, count, fields } of passengerForm(offer).passengers) {
 *   console.log(`${type} ${number} of ${count}: ${fields.map(({ name }) => name).join(", ")}`);
 * }
 * ```
 */
export function passengerForm(offer: FareQuoteResult | readonly FareQuoteResult[]): PassengerForm {
  const offers = oneOrAll("passengerForm", "offer", offer, "a fare quote result").map(normalizeOffer);
  const needs = (name: keyof NormalizedOffer) => offers.some((one) => one[name] === true);
  const needed = (document: "passport" | "pan") =>
    (["book", "ticket"] as const).find((time) => needs(`${document}_required_at_${time}`)) ?? null;
  const guidanceOn = (name: string) => offers.map((one) => plainGuidance(field(one, `${name}_format`))).find(Boolean);
  const guidance = new Map(["fname", "lname"].map((name) => [name, guidanceOn(name)]));
  const people = peopleIn(offers);
  const fieldsOf = (index: number, type: string) =>
    inputs.flatMap(({ path, isGst, shown }): FormField[] => {
      // The GST details are those of the first passenger.
      if (isGst && index > 0) return [];
      if (path === "passenger_type" && passengerTypes.includes(type)) return [];
      const choices = path === "title" ? titles.get(type) : undefined;
      const words = guidance.get(path);
      const name = `passengers.${index}.${path}`;
      const required = !isGst || needs("gst_mandatory");
      return [{ name, ...shown, required, ...(choices && { choices }), ...(words && { guidance: words }) }];
    });
  return {
    passengers: people.map((person, index) => ({ index, ...person, fields: fieldsOf(index, person.type) })),
    isCountKnown: people.length > 0,
    needs: {
      gst: needs("gst_mandatory"),
      passport: needed("passport"),
      pan: needed("pan"),
      holdWithServices: needs("hold_mandatory_with_ssr"),
    },
  };
}

/** The passengers of the offers that say whom they are for, adults first; none if two of them differ. */
function peopleIn(offers: readonly NormalizedOffer[]): Pick<PassengerSlot, "type" | "number" | "count">[] {
  const rank = (type: string) => (passengerTypes.includes(type) ? passengerTypes.indexOf(type) : passengerTypes.length);
  const counted = offers.map(({ quotedCounts }) =>
    Object.entries(quotedCounts ?? {})
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)),
  );
  const [counts = [], ...others] = counted.filter(({ length }) => length > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  // For more passengers the slots would fill the memory.
  if (total > maxPassengers || others.some((other) => other.join() !== counts.join())) return [];
  return counts.flatMap(([type, count]) => Array.from({ length: count }, (_, i) => ({ type, number: i + 1, count })));
}

type PlainField = Exclude<keyof Passenger, "passenger_type" | "seat" | "baggage" | "meal" | "gst">;

/**
 * The fields of a passenger as they were typed. `trip.validate` says what is wrong with them, and `isPassenger` makes
 * them the passengers that `trip.book` takes.
 */
export interface TypedPassenger extends Readonly<Partial<Record<PlainField | "passenger_type", string>>> {
  /** The GST details of a company. */
  readonly gst?: Readonly<Partial<Record<keyof GstDetails, string>>> | undefined;
}

/**
 * Reads the fields of a form that has the names of {@link passengerForm}. White space around a value is removed. Other
 * fields of the form are left out, and so are GST details if all of them are blank.
 *
 * @param form - The form that was shown: it has the types of the passengers.
 * @param entries - What was sent: a `FormData` or `URLSearchParams`.
 * @returns One element for each slot of the form, for `trip.validate`; for `trip.book` if `isPassenger` accepts each one. If the
 *   quote does not say how many passengers it is for, one for each index that was sent.
 * @throws {@link ConfigurationError} if `entries` is neither, or `form` is not one of {@link passengerForm}.
 *
 * @example
 * ```ts
 * import { isPassenger } from "serviceapi/flights";
 * import { formIssues, passengerForm, readPassengerForm } from "serviceapi/flights/forms";
 *
 * const typed = readPassengerForm(passengerForm(offer), new URLSearchParams("passengers.0.fname=RAVI"));
 * const issues = formIssues(trip.validate(typed));
 * if (issues.hasErrors || !typed.every(isPassenger)) console.log(issues.fields["passengers.0.dob"]); // show them
 * else await trip.book({ passengers: typed, maxTotal });
 * ```
 */
export function readPassengerForm(
  form: PassengerForm,
  entries: { forEach(take: (value: unknown, name: string) => void): void },
): TypedPassenger[] {
  const { passengers: slots, isCountKnown }: Partial<PassengerForm> = Object(form);
  if (typeof isCountKnown !== "boolean" || !Array.isArray(slots) || !slots.every(isObject))
    throw new ConfigurationError("readPassengerForm: `form` must be what `passengerForm` returned.");
  if (objectWith("forEach", "get")(entries, "entries") !== undefined) {
    throw new ConfigurationError("readPassengerForm: `entries` must be a FormData or URLSearchParams.");
  }
  const sent: Record<"own" | "gst", Record<string, string>>[] = [];
  entries.forEach((value, name) => {
    const [, position = "", path = ""] = /^passengers\.(\d{1,2})\.([\w.]+)$/.exec(name) ?? [];
    const index = Number(position);
    const input = inputs.find((one) => one.path === path);
    // A file is not a string.
    if (index >= maxPassengers || input === undefined || typeof value !== "string") return;
    const row = sent[index] ?? { own: {}, gst: {} };
    row[input.isGst ? "gst" : "own"][input.shown.field] = value.trim();
    sent[index] = row;
  });
  return Array.from({ length: isCountKnown ? slots.length : sent.length }, (_, i) => {
    const { own = {}, gst = {} } = sent[i] ?? {};
    const quoted = passengerTypes.find((type) => type === slots[i]?.type);
    const isGstGiven = Object.values(gst).some((value) => value !== "");
    return { ...own, ...(quoted !== undefined && { passenger_type: quoted }), ...(isGstGiven && { gst }) };
  });
}

/** The key of a translation: the code of an issue, and for `invalid_field` the problem after a dot. */
export type FormTextKey = Exclude<PassengerIssueCode, "invalid_field"> | `invalid_field.${FieldProblem}`;

/** A translation, for the person at the form: a string with `{placeholders}` of the issue's `values`, or a function. */
export type FormText = string | ((issue: PassengerIssue) => string);

/** An issue as a form shows it. */
export interface FormIssue extends Pick<PassengerIssue, "severity" | "suggestion" | "guidance"> {
  /** The input that can change it, such as `passengers.0.dob`; an empty string if the form has none for it. */
  readonly name: string;
  /** The key of its text. */
  readonly key: FormTextKey;
  /** The text for the person at the form. */
  readonly text: string;
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
interface FormIssuesOptions {
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

type Texts = NonNullable<FormIssuesOptions["texts"]>;

const textRules: Rules<Texts> = each(anyOf("must be a string or a function", string, func), ...formTextKeys);

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
  const given = readOptions<FormIssuesOptions>("formIssues", options, { texts: object }).texts ?? {};
  const texts = readOptions<Texts>("formIssues", given, textRules, [], "text");
  readArguments("formIssues", { issues }, { issues: listOf(issueRule, 0) });
  const shown = issues.map((issue) => formIssue(issue, texts));
  // Without a prototype, as it is: an input may be called `constructor`.
  const fields = Object.groupBy(shown, ({ name }) => name);
  const others = fields[""] ?? [];
  delete fields[""];
  const { form = [], offer = [] } = Object.groupBy(others, ({ issue }) =>
    issue.path[0] === "offer" ? "offer" : "form",
  );
  return { fields, form, offer, hasErrors: shown.some(({ severity }) => severity === "error") };
}

function formIssue(issue: PassengerIssue, texts: Texts): FormIssue {
  const { code, problem = "invalid_type", severity, suggestion, guidance } = issue;
  const key: FormTextKey = code === "invalid_field" ? `${code}.${problem}` : code;
  const name = inputOf(issue);
  const text = texts[key] ?? issue.message;
  return {
    name,
    key,
    text:
      typeof text === "function"
        ? hookResult("formIssues", `texts.${key}`, text(issue), string)
        : fill(text, issue.values ?? {}),
    severity,
    // The suggestion of another type is not one of a date of birth.
    ...(suggestion !== undefined && name === issue.path.join(".") && { suggestion }),
    ...(guidance !== undefined && { guidance }),
    issue,
  };
}

/** The name of the input that can change it, such as `passengers.0.fname`; empty if the form has none. */
function inputOf({ code, path }: PassengerIssue): string {
  const [root, index, ...rest] = path;
  // The quote has the types of passengers, unless one of them is invalid.
  const inner = code === "invalid_field" ? rest.join(".") : rest.join(".").replace(/^passenger_type$/, "dob");
  const isOfForm =
    root === "passengers" &&
    typeof index === "number" &&
    code !== "lead_not_adult" &&
    inputs.some(({ path, isGst }) => path === inner && (index === 0 || !isGst));
  return isOfForm ? `passengers.${index}.${inner}` : "";
}
