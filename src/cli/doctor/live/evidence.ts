/** Lists what is there, each once and at most ten. */
export function listed(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  const more = distinct.length > 10 ? `, and ${distinct.length - 10} more` : "";
  return `${distinct.slice(0, 10).join(", ")}${more}`;
}

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

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

/** Returns a path of fields. Positions are left out, and so are names that may be data, such as those with numbers. */
export function pathOf(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return "[]";
    return /^[A-Za-z_-]{1,40}$/.test(step) ? `.${step}` : ".…";
  });
  return steps.join("").replace(/^\./, "") || "the body";
}

export function describeFraming(contentType: string, text: string): string {
  const [type = "no content type"] = /^[\w.+/-]{1,60}/.exec(contentType) ?? [];
  const found = forms.find(([form]) => form.test(text))?.[1] ?? `begins with "${shapeOf(text.slice(0, 12))}"`;
  return `${type}, ${found}`;
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^\uFEFF?(?:data|event|id|retry)?:.*\r\n/, "SSE with CRLF"],
  [/^\uFEFF?(?:data|event|id|retry)?:.*\r(?!\n)/, "SSE with CR"],
  [/^\uFEFF?(?:data|event|id|retry)?:/, "SSE with LF"],
  [/^\s*\[/, "a JSON array"],
  [/^\s*\{.*\}\r?\n\s*\{/, "one JSON object on each line"],
  [/^\s*\{.*\}\s*\{/s, "JSON objects end to end"],
  [/^\s*\{/, "one JSON body"],
];
