/**
 * Masks for evidence: an issue may be public, so it holds types, names of fields and shapes, and no value of a person.
 */

/** Returns the shape of a string: `a` for letters, `A` for capitals, `9` for digits; at most 40 characters. */
export function shapeOf(text: string): string {
  const shape = text
    .slice(0, 40)
    .replaceAll(/\p{L}/gu, (letter) => (/\p{Lu}/u.test(letter) ? "A" : "a"))
    .replaceAll(/\d/g, "9")
    .replaceAll(/[^\x20-\x7e]/g, "?");
  return text.length > 40 ? `${shape}…` : shape;
}

/**
 * Returns a word of the interface, such as a status, as it is, and the shape of anything else. A word is in one case and
 * has no spaces, unlike the name of a person.
 */
export function wordOf(value: unknown): string {
  if (typeof value !== "string") return typeOf(value);
  return /^(?:[a-z][a-z_]{0,20}|[A-Z][A-Z_]{0,20})$/.test(value) ? `"${value}"` : `of the shape "${shapeOf(value)}"`;
}

/** Returns the JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  return (
    { string: "a string", number: "a number", boolean: "a boolean", object: "an object" }[typeof value as string] ??
    typeof value
  );
}

/** Returns a path of fields. Positions are left out, and so are names that may be data, such as those with numbers. */
export function pathOf(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return "[]";
    return /^[A-Za-z_-]{1,40}$/.test(step) ? `.${step}` : ".…";
  });
  return steps.join("").replace(/^\./, "") || "the body";
}
