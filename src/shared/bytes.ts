export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

/** Returns the bytes of a body that was received in chunks. A single chunk is not copied. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : concatBytes(chunks);
}

/** Returns a string as UTF-8, and bytes unchanged; undefined for anything else. */
export function toBytes(source: unknown): Uint8Array | undefined {
  if (typeof source === "string") return new TextEncoder().encode(source);
  if (source instanceof Uint8Array) return source;
  // Not `instanceof` alone: Jest gives test files a Uint8Array and an ArrayBuffer of their own.
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return Object.prototype.toString.call(source) === "[object ArrayBuffer]"
    ? new Uint8Array(source as ArrayBuffer)
    : undefined;
}

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** Returns the bytes of a base64 string; undefined if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reused, because a decoder costs more than the decoding of a small body. */
let withoutBom: TextDecoder | undefined;
let withBom: TextDecoder | undefined;

/**
 * Returns the string of UTF-8 bytes; undefined if they are not valid UTF-8.
 *
 * @param keepBom - Whether a byte order mark is a part of the string.
 */
export function decodeUtf8(bytes: Uint8Array, keepBom = false): string | undefined {
  withoutBom ??= new TextDecoder("utf-8", { fatal: true });
  withBom ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return (keepBom ? withBom : withoutBom).decode(bytes);
  } catch {
    return undefined;
  }
}
