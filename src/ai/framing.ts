import { createParser, type EventSourceParser } from "eventsource-parser";
import { concatBytes } from "../shared/bytes.ts";
import { parseJson } from "../shared/json.ts";

/** One event as it stood on the wire. */
export interface Frame {
  readonly kind: "frame";
  /** The JSON text of the event. */
  readonly data: string;
  /** The event's name, if the framing has a field for it (SSE). */
  readonly name?: string | undefined;
}

/** The reason why a body cannot be cut any further. */
export interface FramingError {
  readonly kind: "error";
  readonly reason: "damagedEvent" | "tooLarge" | "html" | "notJson" | "notObject";
  /** The text that is damaged, or that came in place of a stream. */
  readonly text: string;
}

/**
 * A piece of a body: a frame, the sender's mark that no event follows (`[DONE]`), or an error. Nothing may be pushed
 * after an error.
 */
export type Piece = Frame | { readonly kind: "end" } | FramingError;

/** Cuts text into pieces. It accepts chunks of any size. */
export interface Framing {
  /** Returns the pieces that this text completes. */
  push(text: string): readonly Piece[];
  /** Returns the pieces that the end of the body completes. */
  end(): readonly Piece[];
}

/**
 * Recognises the framing, which the document does not show (§6.1; docs/assumptions.md, I1), and cuts the body by it.
 *
 * The first characters decide; if they decide nothing, the content type does: gateways are known to label one type as
 * another.
 */
export class DetectedFraming implements Framing {
  readonly #contentType: string;
  readonly #maxEventBytes: number;
  #head = "";
  #framing: Framing | undefined;

  constructor(contentType: string | null, maxEventBytes: number) {
    this.#contentType = contentType ?? "";
    this.#maxEventBytes = maxEventBytes;
  }

  push(text: string): readonly Piece[] {
    if (this.#framing !== undefined) return this.#framing.push(text);
    const head = (this.#head + text).replace(leadingBlank, "");
    this.#framing = this.#recognise(head);
    this.#head = this.#framing === undefined ? head : "";
    return this.#framing?.push(head) ?? [];
  }

  end(): readonly Piece[] {
    if (this.#framing !== undefined) return this.#framing.end();
    // A body that ends before it can be told apart holds no event; what is left of it is shown by the error.
    return this.#head === "" ? [] : [notAStream(this.#head)];
  }

  /** Returns the framing of a body that begins like this, once that is certain. */
  #recognise(head: string): Framing | undefined {
    const first = head[0];
    if (first === undefined) return undefined;
    // U+001E begins each value of application/json-seq.
    if (first === "{" || first === "[" || first === "\u001E") {
      return new JsonFraming(this.#maxEventBytes, /ndjson|jsonl|jsonlines/i.test(this.#contentType));
    }
    if (first === "<") return new NoFraming();
    if (first !== ":" && !/event-stream/i.test(this.#contentType)) {
      if (head.length < maxFieldLength && !/[:\r\n]/.test(head)) return undefined;
      if (!sseField.test(head)) return new NoFraming();
    }
    return new SseFraming(this.#maxEventBytes);
  }
}

// Blank lines mean nothing in any framing, nor does a byte order mark.
const leadingBlank = /^[\uFEFF\s]+/;
const sseField = /^(?:data|event|id|retry)(?:[:\r\n]|$)/;
const maxFieldLength = "event:".length;

/** Extra room in the parser's buffer, which also holds field names and only counts what is left over from a chunk. */
const room = 4_096;

/** Server-sent events. */
class SseFraming implements Framing {
  readonly #parser: EventSourceParser;
  #pieces: Piece[] = [];

  constructor(maxEventBytes: number) {
    this.#parser = createParser({
      maxBufferSize: maxEventBytes + room,
      onEvent: ({ data, event }) => {
        // Measured for each event, because the limit must not depend on the chunking.
        if (exceedsBytes(data, maxEventBytes)) this.#pieces.push(tooLarge);
        else if (data === "[DONE]") this.#pieces.push({ kind: "end" });
        // An event without content is a heartbeat.
        else if (data.startsWith("{") || data.trim() !== "") this.#pieces.push({ kind: "frame", data, name: event });
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#pieces.push(tooLarge);
      },
    });
  }

  push(text: string): readonly Piece[] {
    this.#parser.feed(text);
    const completed = this.#pieces;
    this.#pieces = [];
    return completed;
  }

  /** The standard drops a last event without its blank line; a response is not lost for that. */
  end(): readonly Piece[] {
    return this.push("\n\n");
  }
}

/**
 * JSON objects in a row: one on each line (NDJSON), end to end, as the elements of an array, or a single one.
 *
 * Values are told apart by their brackets, so that they may as well be spread over lines. If the content type promises
 * one value a line, a line that ends inside a value is damaged and does not swallow the lines after it.
 */
class JsonFraming implements Framing {
  readonly #maxEventBytes: number;
  readonly #isOneLineEach: boolean;
  /** The place in the body that the next character takes. */
  #state: "between" | "value" | "string" | "escape" = "between";
  /** The brackets that are open in the value. */
  #depth = 0;
  #isArrayAllowed = true;
  /** The value so far, without the part of the current chunk. */
  #parts: string[] = [];
  #length = 0;

  constructor(maxEventBytes: number, isOneLineEach: boolean) {
    this.#maxEventBytes = maxEventBytes;
    this.#isOneLineEach = isOneLineEach;
  }

  push(text: string): readonly Piece[] {
    const pieces: Piece[] = [];
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const step = this.#step(text.charCodeAt(i));
      if (step === "begin") start = i;
      else if (step === "complete") {
        const data = this.#take(text.slice(start, i + 1));
        if (exceedsBytes(data, this.#maxEventBytes)) return [...pieces, tooLarge];
        pieces.push({ kind: "frame", data });
      } else if (step === "break") {
        const damaged = this.#state === "between" ? text.slice(i) : text.slice(start, i + 1);
        return [...pieces, framingError("damagedEvent", this.#take(damaged))];
      }
    }
    if (this.#state === "between") return pieces;
    this.#length += text.length - start;
    if (this.#length > this.#maxEventBytes) return [...pieces, tooLarge];
    this.#parts.push(text.slice(start));
    return pieces;
  }

  /** Completes nothing: a value that is not whole is a cut, which the end of the body reports. */
  end(): readonly Piece[] {
    return [];
  }

  /** Returns whether a character begins or completes a value, or is not allowed at its place. */
  #step(code: number): "begin" | "complete" | "break" | undefined {
    switch (this.#state) {
      case "between":
        if (code === openBracket && this.#isArrayAllowed) this.#isArrayAllowed = false;
        else if (code !== openBrace) return separators.has(code) ? undefined : "break";
        else {
          this.#isArrayAllowed = false;
          this.#state = "value";
          this.#depth = 1;
          return "begin";
        }
        return undefined;
      case "value":
        if (code === quote) this.#state = "string";
        else if (code === openBrace || code === openBracket) this.#depth++;
        else if (code === closeBrace || code === closeBracket) this.#depth--;
        else if (code === lineFeed && this.#isOneLineEach) return "break";
        if (this.#depth > 0) return undefined;
        this.#state = "between";
        return "complete";
      case "string":
        if (code === backslash) this.#state = "escape";
        else if (code === quote) this.#state = "value";
        return code < space ? "break" : undefined;
      case "escape":
        this.#state = "string";
        return undefined;
    }
  }

  #take(end: string): string {
    if (this.#length === 0) return end;
    const text = this.#parts.join("") + end;
    this.#parts = [];
    this.#length = 0;
    return text;
  }
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [quote, backslash, space, lineFeed] = [0x22, 0x5c, 0x20, 0x0a];
/** Characters between two values: white space, a comma, the end of an array, the separator of application/json-seq. */
const separators: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, closeBracket, 0x1e]);

/** The length of the excerpt that an error shows of a body that is not a stream; no more is read. */
const maxExcerpt = 16_384;

/** A body that is not a stream. */
class NoFraming implements Framing {
  #text = "";

  push(text: string): readonly Piece[] {
    this.#text += text;
    return this.#text.length > maxExcerpt ? this.end() : [];
  }

  end(): readonly Piece[] {
    return [notAStream(this.#text)];
  }
}

function notAStream(text: string): FramingError {
  if (text.startsWith("<")) return framingError("html", text);
  return framingError(parseJson(text) === undefined ? "notJson" : "notObject", text);
}

function framingError(reason: FramingError["reason"], text: string): FramingError {
  return { kind: "error", reason, text };
}

const tooLarge = framingError("tooLarge", "");

/** Whether a string takes more than `limit` bytes of UTF-8. It is encoded only if its length does not decide. */
function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  // One UTF-16 unit takes at most three bytes.
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}

/**
 * A decoder that does not depend on the chunking: a character that a chunk cuts waits for the rest of its bytes.
 *
 * A streaming `TextDecoder` would do that too, but one that is `fatal` throws the good part of a chunk away with the
 * bad, and one that is not cannot tell damage from a U+FFFD that was sent.
 */
export class Utf8Decoder {
  #cut = nothing;

  /** Returns the text of a chunk, and whether all of it is UTF-8. If not, the text ends before the first byte that is not. */
  decode(chunk: Uint8Array): { readonly text: string; readonly isValid: boolean } {
    const bytes = this.#cut.length === 0 ? chunk : concatBytes([this.#cut, chunk]);
    const whole = bytes.length - cutLength(bytes);
    this.#cut = whole === bytes.length ? nothing : bytes.slice(whole);
    try {
      return { text: strictDecoder().decode(bytes.subarray(0, whole)), isValid: true };
    } catch {
      // Text is encoded to the bytes that it was decoded from, except for what stands in for the damage.
      const encoded = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
      const valid = bytes.subarray(
        0,
        bytes.findIndex((byte, i) => byte !== encoded[i]),
      );
      return { text: strictDecoder().decode(valid.subarray(0, valid.length - cutLength(valid))), isValid: false };
    }
  }
}

const nothing: Uint8Array = new Uint8Array(0);

/**
 * The decoder of all streams: it keeps nothing between two calls. `ignoreBOM` keeps U+FEFF: only the first of a body is
 * a byte order mark, and the framing drops that one.
 */
function strictDecoder(): TextDecoder {
  shared ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return shared;
}

let shared: TextDecoder | undefined;

/** Returns how many bytes at the end begin a character without ending it: 0 to 3. */
function cutLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    // A first byte begins with as many ones as its character has bytes. None is larger than 0xf4.
    if (byte >= 0xc0) return byte < 0xf5 && back < Math.clz32(~byte << 24) ? back : 0;
  }
  return 0;
}
