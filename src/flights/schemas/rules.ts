/** Returns whether a value is a non-empty string: the form of a token, which is opaque. */
export function isToken(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * A day that the calendar has, as `YYYY-MM-DD`: 29 February in leap years alone. The same pattern of zod brings all its others
 * into a bundle.
 */
export const calendarDay =
  /^(?:(?:\d\d(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))$/;

// What the document states for the values of a response.

/** Returns whether a string is a time as `YYYY-MM-DD HH:mm:ss` (§1), or empty, as one that does not apply. */
export function isTimestamp(text: string): boolean {
  return /^(?:\d{4}-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d)?$/.test(text);
}

/** Returns whether a string is a date as `YYYY-MM-DD` (§1). */
export function isDate(text: string): boolean {
  return /^\d{4}-[01]\d-[0-3]\d$/.test(text);
}

/** Returns whether a string is a 3-letter airport code (§1). */
export function isAirportCode(text: string): boolean {
  return /^[a-z]{3}$/i.test(text);
}

/** Returns whether a string is the IATA code of an airline (§1): two letters or digits, rarely three. */
export function isAirlineCode(text: string): boolean {
  return /^[a-z\d]{2,3}$/i.test(text);
}

/** Returns whether a string is numeric, or empty, as the end of a window that is open (§2.6). */
export function isNumeric(text: string): boolean {
  return /^\d*$/.test(text);
}

/** Returns whether an amount or a count is not negative. */
export function isNotNegative(amount: number): boolean {
  return amount >= 0;
}
