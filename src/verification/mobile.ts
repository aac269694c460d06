/**
 * An Indian mobile number as the service wants it: spaces, dashes, `+91`, `0091`, a leading `0`, and `91` on twelve
 * digits are stripped (docs/assumptions.md, V3). What is no mobile number is given back as it was, for the schema to refuse.
 */
export function normalizeMobile(text: string): string {
  // `\p{Pd}`: what is copied from a document has dashes that no keyboard has.
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, "");
  const national = digits.replace(/^(?:\+91|0091|91(?=\d{10}$)|0(?=\d{10}$))/, "");
  return mobilePattern.test(national) ? national : text;
}

/** Ten digits from 6 to 9. */
export const mobilePattern = /^[6-9]\d{9}$/;
