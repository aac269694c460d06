/** An object of which Node, Deno and Bun print a summary. */
// Apart from the classes that need it: bundlers keep a class with a computed key, although nothing imports it.
export abstract class Summarized {
  /** Returns the fields that are safe to show, which `JSON.stringify` writes. */
  abstract toJSON(): Record<string, unknown>;

  /** Returns the summary that `console.log` shows in Node, Deno and Bun. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const { name, ...fields } = this.toJSON();
    const list = Object.entries(fields).map(([field, value]) => `${field}: ${JSON.stringify(value) ?? "not set"}`);
    return `${name} { ${list.join(", ")} }`;
  }
}
