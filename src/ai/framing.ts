import { createParser } from "eventsource-parser";
import { concatBytes, decodeUtf8 } from "../shared/bytes.ts";
import { parseJson } from "../shared/json.ts";

/** The reason why no more events can be read from a body. */
export interface FramingError {
  readonly reason: "damagedEvent" | "tooLarge" | "html" | "notJson" | "notObject";
  /** The text that is damaged, or that came in place of a stream. */
  readonly text: string;
}

/** Receives each event of a body as soon as it is complete. What follows an end or an error is to be ignored. */
export interface FramingCallbacks {
  /** Called with the JSON text of an event, and with its name if the framing has a field for it (SSE). */
  onEvent(data: string, name?: string): void;
  /** Called when no event follows: after an error, or the sender's mark (`[DONE]`). */
  onEnd(error?: FramingError): void;
}

/** Cuts text, in chunks of any size, into events. */
export interface Framing {
  push(text: string): void;
  /** The body has ended. */
  end(): void;
}

/** The length of a body beyond which no framing is looked for, about that of the excerpt that the error shows. */
const maxExcerpt = 16_384;
// Blank lines mean nothing in any framing, nor does a byte order mark.
const leadingBlank = /^[\uFEFF\s]+/;
/** U+001E begins each value of application/json-seq. */
const jsonStarts: readonly (string | undefined)[] = ["{", "[", "\u001E"];
const sseStart = /^(?::|(?:data|event|id|retry)[:\r\n])/;

/**
 * Recognises the framing, which the document does not show (§6.1; docs/assumptions.md, I1), and cuts the body by it.
 *
 * The first characters decide; if they decide nothing, the content type does: gateways are known to label one type as
 * another.
 */
export function detectFraming(contentType: string | null, maxEventBytes: number, callbacks: FramingCallbacks): Framing {
  /** The body so far, while no framing is recognised. */
  let head = "";
  let framing: Framing | undefined;
  const end = () => {
    if (framing !== undefined) framing.end();
    else if (head !== "") callbacks.onEnd(notAStream(head));
  };
  return {
    push(text) {
      if (framing !== undefined) return framing.push(text);
      head = (head + text).replace(leadingBlank, "");
      framing = framingOf(head, contentType ?? "", maxEventBytes, callbacks);
      if (framing !== undefined) framing.push(head);
      else if (head.length > maxExcerpt) end();
    },
    end,
  };
}

/** Returns the JSON texts of the events in a whole body. */
export function eventsIn(body: string, contentType: string | null): readonly string[] {
  const events: string[] = [];
  const callbacks = { onEvent: (data: string) => events.push(data), onEnd() {} };
  const framing = detectFraming(contentType, Number.POSITIVE_INFINITY, callbacks);
  framing.push(body);
  framing.end();
  return events;
}

/** Returns the framing of a body that begins like this, if it is certain. */
function framingOf(
  head: string,
  contentType: string,
  maxEventBytes: number,
  callbacks: FramingCallbacks,
): Framing | undefined {
  if (jsonStarts.includes(head[0])) return jsonFraming(maxEventBytes, /ndjson|jsonl/i.test(contentType), callbacks);
  const isLabelled = /event-stream/i.test(contentType) && /^[^<]/.test(head);
  return isLabelled || sseStart.test(head) ? sseFraming(maxEventBytes, callbacks) : undefined;
}

/** Extra room in the parser's buffer, which also holds field names and only counts what is left over from a chunk. */
const room = 4_096;

/** Server-sent events. */
function sseFraming(maxEventBytes: number, callbacks: FramingCallbacks): Framing {
  const parser = createParser({
    maxBufferSize: maxEventBytes + room,
    onEvent({ data, event }) {
      // Measured for each event, because the limit must not depend on the chunking.
      if (exceedsBytes(data, maxEventBytes)) callbacks.onEnd(tooLarge);
      else if (data === "[DONE]") callbacks.onEnd();
      // An event without content is a heartbeat.
      else if (data.startsWith("{") || data.trim() !== "") callbacks.onEvent(data, event);
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") callbacks.onEnd(tooLarge);
    },
  });
  return {
    push: (text) => parser.feed(text),
    // The standard drops a last event without its blank line; a response is not lost for that.
    end: () => parser.feed("\n\n"),
  };
}

/**
 * Characters between two values: white space, a comma, the end of an array, the separator of application/json-seq, a
 * byte order mark.
 */
const separators = " \t\n\r,]\u001E\uFEFF";

/**
 * JSON objects in a row: one on each line (NDJSON), end to end, as the elements of an array, or a single one.
 *
 * Values are told apart by their brackets, so that they may as well be spread over lines. If the content type promises
 * one value a line, a line that ends inside a value is damaged and does not swallow the lines after it.
 */
function jsonFraming(maxEventBytes: number, isOneLineEach: boolean, callbacks: FramingCallbacks): Framing {
  let isArrayAllowed = true;
  /** The brackets that are open in the value. */
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** The value so far, without the part of the current chunk. */
  let value = "";
  return {
    push(text) {
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const char = text.charAt(i);
        let isDamaged = false;
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (char === '"') isInString = false;
          else if (char === "\\") isEscaped = true;
          else isDamaged = char < " ";
        } else if (depth === 0) {
          if (char === "{") depth = 1;
          else isDamaged = (char !== "[" || !isArrayAllowed) && !separators.includes(char);
          if (char === "{" || char === "[") isArrayAllowed = false;
          start = i;
        } else if (char === '"') isInString = true;
        else if (char === "{" || char === "[") depth++;
        else if (char === "}" || char === "]") {
          if (--depth > 0) continue;
          const data = value + text.slice(start, i + 1);
          value = "";
          if (exceedsBytes(data, maxEventBytes)) callbacks.onEnd(tooLarge);
          else callbacks.onEvent(data);
        } else isDamaged = char === "\n" && isOneLineEach;
        if (isDamaged) {
          const end = depth === 0 ? text.length : i + 1;
          callbacks.onEnd({ reason: "damagedEvent", text: value + text.slice(start, end) });
          return;
        }
      }
      if (depth === 0) return;
      value += text.slice(start);
      if (value.length > maxEventBytes) callbacks.onEnd(tooLarge);
    },
    // A value that is not whole is a cut, which the end of the body reports.
    end() {},
  };
}

function notAStream(text: string): FramingError {
  if (text.startsWith("<")) return { reason: "html", text };
  return { reason: parseJson(text) === undefined ? "notJson" : "notObject", text };
}

const tooLarge: FramingError = { reason: "tooLarge", text: "" };

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
  #cut: Uint8Array | undefined;

  /** Returns the text of a chunk, and whether all of it is UTF-8. If not, the text ends before the first byte that is not. */
  decode(chunk: Uint8Array): { readonly text: string; readonly isValid: boolean } {
    const bytes = this.#cut === undefined ? chunk : concatBytes([this.#cut, chunk]);
    const whole = bytes.length - cutLength(bytes);
    this.#cut = whole === bytes.length ? undefined : bytes.slice(whole);
    // The byte order mark stays: only the first of a body is one, and the framing drops that one.
    const text = decodeUtf8(bytes.subarray(0, whole), true);
    return text === undefined ? { text: validStart(bytes), isValid: false } : { text, isValid: true };
  }
}

/** Returns the text before the first byte that is not UTF-8: up to there the bytes are those of the decoded text. */
function validStart(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const replaced = new TextEncoder().encode(decoder.decode(bytes));
  const end = bytes.findIndex((byte, i) => byte !== replaced[i]);
  return decoder.decode(bytes.subarray(0, end), { stream: true });
}

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
