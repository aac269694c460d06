/** Returns whether a value is a non-empty string: the form of a token, which is opaque. */
export function isToken(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
