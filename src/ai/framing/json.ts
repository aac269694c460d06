import { exceedsBytes, type Frame, type Framing, type FramingError, framingError, type Piece } from "./frame.ts";

/** The place in the body that the next character takes. */
type State = "between" | "value" | "string" | "escape";

/** The meaning of a character: it changes nothing, begins or completes a value, or is not allowed at its position. */
type Step = "goOn" | "begin" | "complete" | "break";

/**
 * JSON objects in a row: one on each line (NDJSON), end to end, as the elements of an array, or a single one.
 *
 * Values are told apart by their brackets, so that they may as well be spread over lines. If the content type promises
 * one value a line, a line that ends inside a value is damaged and does not swallow the lines after it.
 */
export class JsonFraming implements Framing {
  readonly #maxEventBytes: number;
  readonly #isOneLineEach: boolean;
  #state: State = "between";
  /** The brackets that are open in the value. */
  #depth = 0;
  #isInArray = false;
  #isFirst = true;
  /** The value so far, without the part of the current chunk. */
  #pieces: string[] = [];
  #length = 0;

  constructor(maxEventBytes: number, contentType: string) {
    this.#maxEventBytes = maxEventBytes;
    this.#isOneLineEach = /ndjson|jsonl|jsonlines/i.test(contentType);
  }

  push(text: string): readonly Piece[] {
    const pieces: Piece[] = [];
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const step = this.#step(text.charCodeAt(i));
      if (step === "goOn") continue;
      if (step === "begin") {
        start = i;
        continue;
      }
      const piece = step === "complete" ? this.#complete(text.slice(start, i + 1)) : this.#damaged(text, start, i);
      pieces.push(piece);
      if (piece.kind === "error") return pieces;
    }
    if (this.#state !== "between" && !this.#keep(text.slice(start))) pieces.push(framingError("tooLarge"));
    return pieces;
  }

  /** Completes nothing: a value that is not whole is a cut, which the end of the body reports. */
  end(): readonly Piece[] {
    return [];
  }

  #step(code: number): Step {
    switch (this.#state) {
      case "between":
        return this.#stepBetween(code);
      case "value":
        return this.#stepInValue(code);
      case "string":
        if (code === backslash) this.#state = "escape";
        else if (code === quote) this.#state = "value";
        return code < space ? "break" : "goOn";
      case "escape":
        this.#state = "string";
        return "goOn";
    }
  }

  #stepBetween(code: number): Step {
    if (code === openBrace) {
      this.#state = "value";
      this.#depth = 1;
      return "begin";
    }
    if (code === openBracket && this.#isFirst && !this.#isInArray) {
      this.#isInArray = true;
      return "goOn";
    }
    return separators.has(code) ? "goOn" : "break";
  }

  #stepInValue(code: number): Step {
    if (code === quote) this.#state = "string";
    else if (code === openBrace || code === openBracket) this.#depth++;
    else if (code === closeBrace || code === closeBracket) this.#depth--;
    else if (code === lineFeed && this.#isOneLineEach) return "break";
    if (this.#depth > 0) return "goOn";
    this.#state = "between";
    return "complete";
  }

  /** Keeps a part of a value that a later chunk goes on with, unless the value is too large. */
  #keep(part: string): boolean {
    this.#length += part.length;
    if (this.#length > this.#maxEventBytes) return false;
    this.#pieces.push(part);
    return true;
  }

  #complete(end: string): Frame | FramingError {
    const data = this.#take(end);
    if (exceedsBytes(data, this.#maxEventBytes)) return framingError("tooLarge");
    this.#isFirst = false;
    return { kind: "frame", data };
  }

  /**
   * Returns the error for a character that is not allowed at `i`, with the value that it breaks, or the text in place
   * of one.
   */
  #damaged(text: string, start: number, i: number): FramingError {
    const end = this.#state === "between" ? text.slice(i) : text.slice(start, i + 1);
    return framingError("damagedEvent", this.#take(end));
  }

  #take(end: string): string {
    if (this.#length === 0) return end;
    const text = this.#pieces.join("") + end;
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [quote, backslash, space, lineFeed] = [0x22, 0x5c, 0x20, 0x0a];
/** Characters between two values: white space, a comma, the end of an array, the separator of application/json-seq. */
const separators: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, closeBracket, 0x1e]);
