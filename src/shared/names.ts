/** How names and identifiers of responses are read. */

/** Longer names are not compared: to sort the accents of one takes time in proportion to the square of their number. */
const maxName = 300;

/**
 * Returns a name in capitals, without the accents of Latin letters, which airlines leave out: `José` and `JOSE` are
 * one. The vowel signs of other scripts stay: without them राम and रमा would be one.
 */
export function capitals(name: string): string {
  return name
    .slice(0, maxName)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}

/** Returns whether a string is a placeholder: zeros, dashes, `N/A`, `null`. */
export function isPlaceholder(text: string): boolean {
  return /^(?:[-–—_.*0\s]*|n\.? ?[/.]? ?a\.?|null|nil|none)$/i.test(text);
}

/** Names of bookings that a response only refers to. */
export const otherBooking =
  /^(original|existing|previous|similar|conflict|duplicate|old[_a-z]|history|alternatives?|others?|past|related|earlier)/i;
