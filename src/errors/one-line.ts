/**
 * Returns text that may quote the service as one line: line breaks, escape sequences, and characters that reorder the
 * text around them, would forge lines of a log.
 */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  return text.replaceAll(/ ?[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, " ");
}
