import { requireObject } from "../../shared/options.ts";
import { expectedPassengers, normalizeOffer, plainGuidance } from "../quote/normalize.ts";
import type { FareQuoteResult } from "../types/index.ts";
import { type FieldKind, type FormField, gstKinds, maxPassengers, passengerKinds } from "./fields.ts";

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

const typeOrder = ["adult", "child", "infant"];

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
  const guidance = { fname: plainGuidance(normalized.fname_format), lname: plainGuidance(normalized.lname_format) };
  const types = Object.entries(counts ?? {}).sort(([a], [b]) => rank(a) - rank(b));
  const people = types.flatMap(([type, count]) =>
    Array.from({ length: count }, (_, i) => ({ type, number: i + 1, count })),
  );
  const passengers = people.map((person, index): PassengerSlot => {
    const own = passengerKinds(person.type).map((kind) => fieldOf(kind, `passengers.${index}`, true, guidance));
    const gst = gstKinds.map((kind) => fieldOf(kind, `passengers.${index}.gst`, isGstMandatory, {}));
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

function rank(type: string): number {
  const index = typeOrder.indexOf(type);
  return index === -1 ? typeOrder.length : index;
}

function fieldOf(
  { field, ...kind }: FieldKind,
  prefix: string,
  required: boolean,
  guidance: Readonly<Partial<Record<string, string>>>,
): FormField {
  const words = guidance[field];
  return { name: `${prefix}.${field}`, field, required, ...kind, ...(words !== undefined && { guidance: words }) };
}

function whenNeeded(atBook: boolean | undefined, atTicket: boolean | undefined): "book" | "ticket" | null {
  if (atBook) return "book";
  return atTicket ? "ticket" : null;
}
