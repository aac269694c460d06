import { parseJson } from "../../shared/json.ts";
import { cutText } from "./shorten.ts";

const limits = { pieces: 400, characters: 32_000, piece: 4_000 };

/** The pieces of a stream as they were sent. Those that were cut in the middle of a line are put together. */
export class Pieces {
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
    this.#begun += this.#decoder.decode(piece.subarray(0, limits.characters), { stream: true });
    if (this.#begun.length > limits.piece || /[\r\n]$/.test(this.#begun) || isWhole(this.#begun)) this.end();
  }

  /** Keeps what was begun. */
  end(): void {
    const piece = cutText(this.#begun, limits.piece);
    this.#begun = "";
    if (piece === "") return;
    if (this.#kept.length >= limits.pieces || this.#characters > limits.characters) {
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
