import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** The encodings that are offered to a server. */
export const acceptEncoding = "gzip, deflate, br";

/** As with `fetch`, a body whose data is complete counts, even if its check sum is missing. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

/** By its encoding, the decoder of a body with this first byte. */
const decoders: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(lenient),
  "x-gzip": () => createGunzip(lenient),
  // Some servers send "deflate" without the zlib header that RFC 9110 asks for.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient)),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/** More than any server applies. Each layer multiplies what a few bytes become. */
const maxLayers = 5;

/**
 * Returns the body without its content encodings, as a stream: what a few bytes become is never in memory as a whole. A
 * body in an encoding that is not known stays as it is, as with `fetch`.
 */
export function decoded(message: IncomingMessage, contentEncoding: string | null): Readable {
  const names = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const known = names.every((name) => Object.hasOwn(decoders, name));
  if (names.length === 0 || names.length > maxLayers || !known) return message;
  return names.reduceRight<Readable>((source, name) => {
    const decoder = decoders[name];
    // Its reader sees the error; `pipeline` only passes it on.
    return decoder === undefined ? source : pipeline(source, new Decoder(decoder), () => {});
  }, message);
}

/** A decoder that begins with the first byte: an empty body is empty, although it is not valid gzip. */
class Decoder extends Transform {
  readonly #choose: (first: number) => Transform;
  #inner: Transform | undefined;
  #hasEnded = false;

  constructor(choose: (first: number) => Transform) {
    super();
    this.#choose = choose;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#start(chunk[0] ?? 0);
    // Bytes after the end of the data are not part of it.
    if (this.#hasEnded) done();
    else this.#inner.write(chunk, (error) => done(error));
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner === undefined || this.#hasEnded) done();
    else this.#inner.once("end", () => done()).end();
  }

  /** A reader who pauses pauses the decoder: one chunk may become gigabytes. */
  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #start(first: number): Transform {
    const inner = this.#choose(first);
    inner.on("data", (bytes) => {
      if (!this.push(bytes)) inner.pause();
    });
    inner.on("end", () => {
      this.#hasEnded = true;
    });
    inner.on("error", (error) => this.destroy(error));
    return inner;
  }
}
