/** Thrown at the first byte that cannot be UTF-8. */
export class InvalidUtf8 extends Error {
  /** What could be read of the chunk before that byte. */
  readonly before: string;

  constructor(before: string) {
    super("invalid UTF-8");
    this.before = before;
  }
}

/**
 * Bytes to text, whatever the chunking: a character that a chunk cuts waits for the rest of its bytes.
 *
 * A streaming `TextDecoder` would do that too, but one that is `fatal` throws the good part of a chunk away with the bad,
 * and one that is not cannot tell damage from a U+FFFD that was sent.
 */
export class Utf8Decoder {
  #cut: Uint8Array = nothing;

  /** @throws {@link InvalidUtf8} */
  decode(chunk: Uint8Array): string {
    const bytes = this.#cut.length === 0 ? chunk : joined(this.#cut, chunk);
    const whole = bytes.length - cutLength(bytes);
    this.#cut = whole === bytes.length ? nothing : bytes.slice(whole);
    try {
      return decoder().decode(whole === bytes.length ? bytes : bytes.subarray(0, whole));
    } catch {
      throw new InvalidUtf8(this.#longestPrefix(bytes));
    }
  }

  /** Bisects: every prefix of a readable prefix is readable. */
  #longestPrefix(bytes: Uint8Array): string {
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
}

const nothing = new Uint8Array(0);

/**
 * One for all streams, because it keeps nothing between two calls. `ignoreBOM` keeps U+FEFF: only the first of a body is
 * a byte order mark, and the framing drops that one.
 */
function decoder(): TextDecoder {
  shared ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return shared;
}

let shared: TextDecoder | undefined;

/** How many bytes at the end begin a character without ending it: 0 to 3. */
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

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}
