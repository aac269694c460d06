import { formatDecimal, parseDecimal } from "../../shared/decimal.ts";
import { type Money, readMoney } from "../quote/money.ts";
import { passengerShape } from "../schemas.ts";
import type { PassengerType } from "../types/index.ts";

/** The parsed text of a charge (§2.6 `charges`). */
export type Charge = ChargeMeaning & {
  /** The type of passenger that it applies to; absent if it applies to all. */
  readonly passengerType?: PassengerType;
};

/** The kinds of charge. */
type ChargeMeaning =
  | ({
      readonly kind: "amount";
      /** The fixed amount. */
      readonly money: Money;
      /** Whether the difference to the new fare comes on top. */
      readonly plusFareDifference: boolean;
    } & More)
  | PlainFee
  | { readonly kind: "unreadable" };

/** A charge, or the fee for it, without an amount. */
export type PlainFee =
  | ({
      readonly kind: "percent";
      /** Part of the fare, as a decimal string. The document does not say of which amount. */
      readonly percent: string;
    } & More)
  | { readonly kind: "free" }
  | { readonly kind: "notAllowed" };

/** More is due than the text of the charge says: a charge with an asterisk is a minimum, and not free. */
export interface More {
  /** An asterisk in the text: further charges apply. */
  readonly andMore?: true;
}

/** Signs and words for a currency, if the text has no code. `$` is missing on purpose: it is ambiguous. */
const currencySigns: Record<string, string> = { "₹": "INR", rs: "INR", "rs.": "INR", "€": "EUR", "£": "GBP" };

const number = String.raw`\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,12}(?:\.\d+)?`;
/** Codes and no other three letters: "MAX 3500" is not money. */
const codes =
  "AED AUD BDT BHD CAD CHF CNY DKK EUR GBP HKD IDR INR JPY KRW KWD LKR MUR MVR MYR NOK NPR NZD OMR PHP QAR RUB SAR SEK SGD THB TRY TWD USD VND ZAR";
const currency = String.raw`${codes.replaceAll(" ", "|")}|₹|rs\.?|€|£`;
/** A dot before more digits than the currency has groups thousands, perhaps: "EUR 3.500". */
const decimals: Record<string, number> = { BHD: 3, KWD: 3, OMR: 3, JPY: 0, KRW: 0, VND: 0 };
const ending = String.raw`(?:\s*/-)?\s*\*{0,3}`;
const perHead = String.raw`(?:\s*(?:per|/)\s*(?:passenger|pax|person|sector)(?:\s*(?:per|/|and)\s*(?:passenger|pax|person|sector))?)?`;
const difference = String.raw`(?<difference>\s*(?:\+|plus|and)\s*(?:(?:any\s+)?fare\s*diff(?:erence)?|difference\s+(?:in|of)\s+fare)\.?)?`;

type Groups = Readonly<Record<string, string | undefined>>;

/** The first that matches decides. */
const forms: readonly (readonly [source: string, read: (groups: Groups, more: More) => ChargeMeaning])[] = [
  [
    String.raw`(?:un\s?changeable|non[\s-]?changeable|non[\s-]?refundable|not\s+(?:allowed|permitted|changeable|refundable)|no\s+refund)`,
    () => ({ kind: "notAllowed" }),
  ],
  [
    String.raw`(?:free(?:\s+of\s+(?:charge|cost))?|nil|no\s+(?:charge|fee)s?)`,
    (_, { andMore }) => (andMore ? unreadable : { kind: "free" }),
  ],
  [
    String.raw`(?<percent>\d{1,3}(?:\.\d+)?)\s*(?:%|percent)(?:\s+of\s+(?:the\s+)?(?:total\s+|base\s+)?fare)?`,
    ({ percent = "" }, more) => {
      const decimal = parseDecimal(percent);
      const isPart = decimal !== null && Number(percent) <= 100;
      return isPart ? { kind: "percent", percent: formatDecimal(decimal), ...more } : unreadable;
    },
  ],
  [String.raw`(?<code>${currency})\s*(?<amount>${number})${ending}${perHead}${difference}`, readAmount],
  [String.raw`(?<amount>${number})\s*(?<code>${currency})${ending}${perHead}${difference}`, readAmount],
];
const readers = forms.map(([source, read]) => [new RegExp(`^${source}${ending}$`, "i"), read] as const);

const unreadable: ChargeMeaning = { kind: "unreadable" };

/**
 * Parses the text of a charge. Text that is not understood completely is `unreadable`, never a guess, such as
 * `INR 3500 or 50%` and `Free*`.
 *
 * @param text - `charges` of a mini fare rule, such as `INR 3,500*`, `ADULT- INR 4300.0*`, `100%` or `Unchangeable`.
 *
 * @example
 * ```ts
 * import { parseCharge } from "serviceapi/flights";
 *
 * parseCharge("INR 3,500");
 * // { kind: "amount", money: { amount: "3500", currency: "INR" }, plusFareDifference: false }
 * parseCharge("INR 3,500*"); // the same with `andMore: true`: further charges apply
 * parseCharge("on request"); // { kind: "unreadable" }
 * ```
 */
export function parseCharge(text: unknown): Charge {
  if (typeof text !== "string" || text.length > 200) return unreadable;
  const { who, rest = "" } =
    /^(?:(?<who>adult|child|infant)s?\s*[-–:]\s*)?(?<rest>.*)$/is.exec(text.trim().replaceAll(/\s+/g, " "))?.groups ??
    {};
  const charge = rest.trim();
  const passengerType = passengerShape.passenger_type.choices.find((type) => type === who?.toLowerCase());
  const [form, read] = readers.find(([form]) => form.test(charge)) ?? [];
  const meaning = read?.(form?.exec(charge)?.groups ?? {}, charge.includes("*") ? { andMore: true } : {}) ?? unreadable;
  return { ...meaning, ...(passengerType && { passengerType }) };
}

function readAmount({ code = "", amount = "", difference }: Groups, more: More): ChargeMeaning {
  const money = readMoney(amount.replaceAll(",", ""), currencySigns[code.toLowerCase()] ?? code);
  const [, fraction = ""] = amount.split(".");
  if (money === null || fraction.length > (decimals[money.currency] ?? 2)) return unreadable;
  if (money.amount === "0" && difference === undefined && !more.andMore) return { kind: "free" };
  return { kind: "amount", money, plusFareDifference: difference !== undefined, ...more };
}
