import { concatBytes } from "../../shared/bytes.ts";

/** The text of a chunk of bytes. */
export interface DecodedChunk {
  /** The text up to the end of the chunk, or up to the first byte that cannot be UTF-8. */
  readonly text: string;
  /** False if the chunk has a byte that cannot be UTF-8; nothing may be decoded after it. */
  readonly isValid: boolean;
}

/**
 * A decoder that does not depend on the chunking: a character that a chunk cuts waits for the rest of its bytes.
 *
 * A streaming `TextDecoder` would do that too, but one that is `fatal` throws the good part of a chunk away with the
 * bad, and one that is not cannot tell damage from a U+FFFD that was sent.
 */
export class Utf8Decoder {
  #cut: Uint8Array = nothing;

  decode(chunk: Uint8Array): DecodedChunk {
    const bytes = this.#cut.length === 0 ? chunk : concatBytes([this.#cut, chunk]);
    const whole = bytes.length - cutLength(bytes);
    this.#cut = whole === bytes.length ? nothing : bytes.slice(whole);
    try {
      const text = decoder().decode(whole === bytes.length ? bytes : bytes.subarray(0, whole));
      return { text, isValid: true };
    } catch {
      return { text: readablePrefix(bytes), isValid: false };
    }
  }
}

/** Returns the longest readable prefix. It bisects: every prefix of a readable prefix is readable. */
function readablePrefix(bytes: Uint8Array): string {
  let text = "";
  for (let low = 0, high = bytes.length; low < high; ) {
    const middle = Math.ceil((low + high) / 2);
    const prefix = bytes.subarray(0, middle);
    try {
      text = decoder().decode(prefix.subarray(0, middle - cutLength(prefix)));
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return text;
}

const nothing = new Uint8Array(0);

/**
 * The decoder of all streams: it keeps nothing between two calls. `ignoreBOM` keeps U+FEFF: only the first of a body is
 * a byte order mark, and the framing drops that one.
 */
function decoder(): TextDecoder {
  shared ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return shared;
}

let shared: TextDecoder | undefined;

/** Returns how many bytes at the end begin a character without ending it: 0 to 3. */
function cutLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < characterLength(byte) ? back : 0;
  }
  return 0;
}

function characterLength(lead: number): number {
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}
