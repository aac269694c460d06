import { ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { objectWith, requireObject } from "../../shared/options.ts";
import { choicesOf, fields, gstFields } from "../passengers/issues.ts";
import { expectedPassengers, normalizeOffer, plainGuidance } from "../quote/normalize.ts";
import type { FareQuoteResult, GstDetails, Passenger } from "../types/index.ts";

/** A form for the passengers of a quote. */
export interface PassengerForm {
  /** One for each passenger that the quote is for, adults first; empty if the quote does not say (`isCountKnown`). */
  readonly passengers: readonly PassengerSlot[];
  /** False if the quote does not say for how many passengers it is, or says more than 99: ask, as many times as your search did. */
  readonly isCountKnown: boolean;
  /** The documents and details that the fare requires beyond the fields of a passenger. */
  readonly needs: FormNeeds;
}

/** The requirements of a fare. The document has no field for passport and PAN: they go into `extraBody`. */
export interface FormNeeds {
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
export interface PassengerSlot {
  /** Index in `passengers`, from 0. The first leads the booking. */
  readonly index: number;
  /** The type that the quote names, such as `adult`. */
  readonly type: string;
  /** Number among those of the type, from 1: "child 2 of 3". */
  readonly number: number;
  /** Number of passengers of the type. */
  readonly count: number;
  /** The fields to ask for, in the usual order; GST details last. */
  readonly fields: readonly FormField[];
}

/** A field of a form. */
export interface FormField {
  /** Name for the input: the path in the request, such as `passengers.0.fname`. */
  readonly name: string;
  /** The field, such as `fname` or `gst_number`. */
  readonly field: string;
  /** Whether it must be filled in. GST details that are not mandatory may be left out together. */
  readonly required: boolean;
  /** The kind of input. */
  readonly input: "text" | "email" | "tel" | "date" | "select";
  /** The values of a `select`, as the service writes them. */
  readonly choices?: readonly string[];
  /** The token for the attribute `autocomplete`, without a section. */
  readonly autocomplete?: string;
  /** The airline's own words on the format (`fname_format`, `lname_format`), as plain text. */
  readonly guidance?: string;
}

/** A field of a form for a passenger that is one string. */
type PlainField = Exclude<keyof Passenger, "passenger_type" | "seat" | "baggage" | "meal" | "gst">;

/** The inputs of a passenger, in the order in which a form asks (§4.3). */
export const passengerInputs: readonly PlainField[] = [
  "title",
  "fname",
  "lname",
  "gender",
  "dob",
  "mobile",
  "email",
  "address",
  "city",
  "country",
  "country_code",
];

/** The most passengers that a form has; a booking has a tenth of it. */
const maxPassengers = 99;

/** The titles of a type (docs/assumptions.md, F9). The quote may name a type that the document does not. */
const titles: Readonly<Partial<Record<string, readonly string[]>>> = {
  adult: ["Mr", "Mrs", "Ms"],
  child: ["Mstr", "Ms"],
  infant: ["Mstr", "Ms"],
};

/**
 * Returns the form that a quote wants: a slot for each passenger of its price, the fields of each, and what the fare
 * requires beyond them (§2.4, §4.3).
 *
 * @param offer - A fare quote result.
 * @throws {@link ConfigurationError} if `offer` is not an object.
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
export function passengerForm(offer: FareQuoteResult): PassengerForm {
  requireObject("passengerForm", "offer", offer, "a fare quote result");
  const counts = countsOf(offer);
  const normalized = normalizeOffer(offer);
  const isGstMandatory = normalized.gst_mandatory === true;
  const guidanceOf = (html: unknown) => {
    const guidance = plainGuidance(html);
    return guidance === undefined ? {} : { guidance };
  };
  const names = { fname: guidanceOf(normalized.fname_format), lname: guidanceOf(normalized.lname_format) };
  const types = Object.entries(counts ?? {}).sort(([a], [b]) => rank(a) - rank(b) || 0);
  const people = types.flatMap(([type, count]) =>
    Array.from({ length: count }, (_, i) => ({ type, number: i + 1, count })),
  );
  const passengers = people.map((person, index): PassengerSlot => {
    const choices = Object.hasOwn(titles, person.type) ? titles[person.type] : undefined;
    const more: Partial<Record<PlainField, object>> = { ...names, ...(choices && { title: { choices } }) };
    const own = passengerInputs.map((name) => fieldOf(name, `passengers.${index}`, true, more[name]));
    const gst = gstFields.map((name) => fieldOf(name, `passengers.${index}.gst`, isGstMandatory));
    return { index, ...person, fields: index === 0 ? [...own, ...gst] : own };
  });
  return {
    passengers,
    isCountKnown: counts !== null,
    needs: {
      gst: isGstMandatory,
      passport: whenNeeded(normalized.passport_required_at_book, normalized.passport_required_at_ticket),
      pan: whenNeeded(normalized.pan_required_at_book, normalized.pan_required_at_ticket),
      holdWithServices: normalized.hold_mandatory_with_ssr === true,
    },
  };
}

/** A quote for more passengers than a form has does not say how many it is for: the slots would fill the memory. */
function countsOf(offer: FareQuoteResult): Readonly<Record<string, number>> | null {
  const counts = expectedPassengers(offer);
  const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  return total <= maxPassengers ? counts : null;
}

/** Types that the document does not name come last. */
function rank(type: string): number {
  const index = choicesOf("passenger_type").indexOf(type);
  return index === -1 ? Number.POSITIVE_INFINITY : index;
}

function fieldOf(
  field: PlainField | keyof GstDetails,
  prefix: string,
  required: boolean,
  more: Partial<Pick<FormField, "choices" | "guidance">> = {},
): FormField {
  const { input = "text", autocomplete } = fields[field] ?? {};
  const choices = choicesOf(field);
  return {
    ...{ name: `${prefix}.${field}`, field, required, input },
    ...(choices.length > 0 && { choices }),
    ...(autocomplete && { autocomplete }),
    ...more,
  };
}

function whenNeeded(atBook: boolean | undefined, atTicket: boolean | undefined): "book" | "ticket" | null {
  if (atBook) return "book";
  return atTicket ? "ticket" : null;
}

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
  if (!isForm(form ?? undefined))
    throw new ConfigurationError("readPassengerForm: `form` must be what `passengerForm` returned.");
  if (objectWith("forEach", "get")(entries, "entries") !== undefined) {
    throw new ConfigurationError("readPassengerForm: `entries` must be a FormData or URLSearchParams.");
  }
  const sent: Record<string, string>[] = [];
  const gst: Record<string, string>[] = [];
  entries.forEach((value, name) => {
    const [, position = "", isGst, field = ""] = /^passengers\.(\d{1,2})(\.gst)?\.(\w+)$/.exec(name) ?? [];
    const index = Number(position);
    const known: readonly string[] = isGst === undefined ? [...passengerInputs, "passenger_type"] : gstFields;
    // A file is not a string.
    if (position === "" || index >= maxPassengers || !known.includes(field) || typeof value !== "string") return;
    const rows = isGst === undefined ? sent : gst;
    rows[index] = { ...rows[index], [field]: value.trim() };
  });
  const count = form.isCountKnown ? form.passengers.length : Math.max(sent.length, gst.length);
  return Array.from({ length: count }, (_, i) => {
    const type = form.passengers[i]?.type;
    const details = Object.values(gst[i] ?? {}).some((value) => value !== "") ? gst[i] : undefined;
    return { ...sent[i], ...(type !== undefined && { passenger_type: type }), ...(details && { gst: details }) };
  });
}

function isForm({ passengers, isCountKnown }: Partial<PassengerForm> = {}): boolean {
  return typeof isCountKnown === "boolean" && Array.isArray(passengers) && passengers.every(isObject);
}
