import { isObjectOrList, parseJson } from "../../shared/json.ts";

/**
 * Limits of what the console keeps of one message. Requests come from any program on this machine, and a page that
 * shows megabytes helps nobody.
 */
const limits = { string: 2_000, name: 100, characters: 16_000, depth: 12 };
const streamLimits = { pieces: 400, characters: 32_000, piece: 4_000 };

/** Returns the beginning of a string, with its length if it is cut. */
export function cutText(text: string, length: number = limits.string): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

/** Returns a copy of parsed JSON in which long strings, long lists and deep parts are cut. */
export function shorten(value: unknown, budget = { left: limits.characters }, depth = limits.depth): unknown {
  if (typeof value === "string") {
    const text = cutText(value, Math.max(0, Math.min(limits.string, budget.left)));
    budget.left -= text.length;
    return text;
  }
  budget.left -= 8;
  if (!isObjectOrList(value)) return value;
  if (depth === 0) return "…";
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  const kept: [name: string, value: unknown][] = [];
  for (const name of names) {
    if (budget.left <= 0) {
      const more = `${names.length - kept.length} more`;
      kept.push(isList ? [name, `… ${more}`] : ["…", more]);
      break;
    }
    if (!isList) budget.left -= Math.min(name.length, limits.name);
    kept.push([cutText(name, limits.name), shorten(Reflect.get(value, name), budget, depth - 1)]);
  }
  return isList ? kept.map(([, element]) => element) : Object.fromEntries(kept);
}

/** The pieces of a stream as they were sent. Those that were cut in the middle of a line are put together. */
export class KeptPieces {
  readonly #kept: string[] = [];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #begun = "";
  #characters = 0;
  #left = 0;

  /** The pieces, and how many were left out. */
  get kept(): readonly string[] {
    return this.#left === 0 ? this.#kept : [...this.#kept, `… ${this.#left} more`];
  }

  add(piece: Uint8Array): void {
    this.#begun += this.#decoder.decode(piece.subarray(0, streamLimits.characters), { stream: true });
    if (this.#begun.length > streamLimits.piece || /[\r\n]$/.test(this.#begun) || isWhole(this.#begun)) this.end();
  }

  end(): void {
    const piece = cutText(this.#begun, streamLimits.piece);
    this.#begun = "";
    if (piece === "") return;
    if (this.#kept.length >= streamLimits.pieces || this.#characters > streamLimits.characters) {
      this.#left += 1;
      return;
    }
    this.#characters += piece.length;
    this.#kept.push(piece);
  }
}

/** Some framings end an event with nothing but its JSON. */
function isWhole(text: string): boolean {
  return text.endsWith("}") && parseJson(text.replace(/^[\uFEFF\s,[]+|^data: ?/, "")) !== undefined;
}
