import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** The encodings that are offered to a server. */
export const acceptEncoding = "gzip, deflate, br";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: inflate,
  br: createBrotliDecompress,
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
    const decoder = decoders[name]?.() ?? new PassThrough();
    // Its reader sees the error; `pipeline` only passes it on.
    return pipeline(source, decoder, () => {});
  }, message);
}

/** Some servers send "deflate" without the zlib header that RFC 9110 asks for. The first byte tells. */
function inflate(): Transform {
  let inner: Transform | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (inner === undefined) {
        inner = ((chunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
        inner.on("data", (bytes) => this.push(bytes));
        inner.on("error", (error) => this.destroy(error));
      }
      inner.write(chunk, (error) => done(error));
    },
    flush(done) {
      if (inner === undefined) return done();
      inner.once("end", done).end();
    },
    destroy(error, done) {
      inner?.destroy();
      done(error);
    },
  });
}
