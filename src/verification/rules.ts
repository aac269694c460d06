/**
 * Normalizes an Indian mobile number to ten digits: spaces, dashes, dots, parentheses, `+91`, `0091`, `091`, a leading
 * `0`, and `91` on twelve digits are removed (docs/assumptions.md, V3). A string that is not a mobile number is returned
 * unchanged; the request is then refused. So is a number with a decimal point, such as `987654321.0`.
 *
 * @param text - A mobile number as people write it, such as `(+91) 98765 43210`.
 *
 * @example
 * ```ts
 * import { normalizeMobile } from "serviceapi/verification";
 *
 * normalizeMobile("(+91) 60000 00001"); // "6000000001"
 * ```
 */
export function normalizeMobile(text: string): string {
  if (typeof text !== "string") return text;
  // `\p{Pd}` and `\p{Cf}`: a number copied from a document or an address book has dashes and direction marks that
  // keyboards do not have.
  const dotted = text.replaceAll(/[\s\p{Pd}\p{Cf}()]/gu, "");
  if (decimal.test(dotted)) return text;
  const national = dotted.replaceAll(".", "").replace(/^(?:\+91|0091|0?91(?=0?\d{10}$))?0?(?=\d{10}$)/, "");
  return mobilePattern.test(national) ? national : text;
}

/** A dot before zeros at the end; a single dot before one or two digits, or behind the first. */
const decimal = /\.0+$|^[^.]*\.\d{1,2}$|^\+?\d\.\d+$/;

/** Ten digits, the first from 6 to 9. */
export const mobilePattern = /^[6-9]\d{9}$/;
