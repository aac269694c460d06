import type { Rule } from "./options.ts";

/** A rule for the name of a header: a token of HTTP (RFC 9110, section 5.1). */
export const headerName: Rule = (value) =>
  typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? undefined : "must be a valid header name";

/** A rule for options: headers as a plain object of names and string values. */
export function plainHeaders(value: unknown): string | undefined {
  // The entries of a `Headers` are not properties: it would pass as an empty object.
  if (typeof value !== "object" || value === null || Symbol.iterator in value)
    return "must be a plain object of names and string values";
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== "string") return `has a value that is not a string: "${header}"`;
    try {
      new Headers().set(header, text);
    } catch {
      // The runtime's own message quotes the value.
      return `has a name or value that HTTP does not allow: "${header.slice(0, 60)}"`;
    }
  }
  return undefined;
}
