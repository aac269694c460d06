/** How names, identifiers and sentences of responses are read. */

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

/** Returns the letters and digits of a name in capitals, as an airline writes JOSÉ-LUIS: as JOSELUIS. */
export function lettersOf(name: string): string {
  return capitals(name).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
}

/** Returns whether a string is a placeholder: zeros, dashes, `N/A`, `null`, `undefined`. */
export function isPlaceholder(text: string): boolean {
  return /^(?:[-–—_.*0\s]*|n\.? ?[/.]? ?a\.?|null|nil|none|undefined)$/i.test(text);
}

/** Returns the same for `booking_id`, `Booking-ID` and `bookingId`. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\- ]/g, "");
}

/** Returns whether a name is that of a booking or another record that a response only refers to. */
export function isOtherRecord(name: string): boolean {
  return /^(original|existing|previous|similar|conflict\w*|duplicates?|old|history|alternatives?|others?|past|related|earlier)(?! request)( |$)/.test(
    wordsOf(name),
  );
}

/** A sentence in the form in which two are compared: without case and the punctuation at its end. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!:,;]{1,3}$/, "");
}

/** Returns a test for sentences of a list. In the list, `#` stands for any number but zero. */
export function oneOfSentences(list: readonly string[]): (text: string) => boolean {
  const known = new Set(list.map(plain));
  return (text) =>
    known.has(plain(text)) ||
    known.has(plain(text).replaceAll(/\d+/g, (digits) => (/[1-9]/.test(digits) ? "#" : digits)));
}

/** Returns the words of a name: `client_referenceId` is "client reference id". */
export function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\s-]+/g, " ")
    .trim()
    .toLowerCase();
}
