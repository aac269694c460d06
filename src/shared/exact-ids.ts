/**
 * Returns JSON in which a booking ID that a number cannot hold exactly is a string. `JSON.parse` would round it to the
 * ID of another booking. The pattern finds only names: within a string, the quotes around a name are escaped.
 *
 * An ID of more than 64 digits stays a number, and counts as inexact.
 *
 * @param text - JSON, which may be invalid.
 */
export function quoteLargeIds(text: string): string {
  return text.replaceAll(largeId, (whole, name: string, digits: string) =>
    Number.isSafeInteger(Number(digits)) ? whole : `${name}"${digits}"`,
  );
}

const largeId = /("booking[_\- ]?id"\s*:\s*)([1-9]\d{15,63})(?=\s*[,}])/gi;
