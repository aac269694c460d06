import type { ResponseHeaders } from "../transport/fetch.ts";

/**
 * The headers of a message, read by name. Node's own object drops duplicates of some names; as in `Headers`, they are
 * joined here.
 */
export class MessageHeaders implements ResponseHeaders {
  readonly #pairs: readonly (readonly [string, string])[];

  /** @param raw - Names and values alternating. */
  constructor(raw: readonly string[]) {
    const pairs: [string, string][] = [];
    for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([String(raw[i]).toLowerCase(), String(raw[i + 1])]);
    this.#pairs = pairs;
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase();
    let found: string | null = null;
    for (const [key, value] of this.#pairs) {
      if (key === wanted) found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.toHeaders()[Symbol.iterator]();
  }

  toHeaders(): Headers {
    const headers = new Headers();
    for (const [name, value] of this.#pairs) headers.append(name, value);
    return headers;
  }
}
