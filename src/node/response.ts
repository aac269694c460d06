import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { type DirectBody, type DirectResponse, makeResponse } from "../transport/fetch.ts";

/** Statuses whose response has no body (Fetch standard, 2.2.3). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response as node:http received it. It becomes a `Response` when somebody asks for one. */
export class NodeResponse implements DirectResponse {
  readonly status: number;
  readonly type = "default";
  readonly redirected = false;
  readonly url: string;
  readonly body: MessageBody | null;
  readonly #message: IncomingMessage;
  #headers: Headers | undefined;
  /** Weak: the connection holds this object, and must not hold a `Response` that the caller has dropped. */
  #response: WeakRef<Response> | undefined;

  constructor(message: IncomingMessage, method: string, url: string) {
    this.status = message.statusCode ?? 0;
    this.url = url;
    this.#message = message;
    const isEmpty = method === "HEAD" || withoutBody.has(this.status);
    this.body = isEmpty ? null : new MessageBody(message, this.header("content-encoding"));
    // To its end, so that the connection can be used again.
    if (isEmpty) message.on("error", () => {}).resume();
  }

  get headers(): Headers {
    if (this.#headers !== undefined) return this.#headers;
    const { rawHeaders } = this.#message;
    this.#headers = new Headers();
    for (let i = 0; i + 1 < rawHeaders.length; i += 2)
      this.#headers.append(String(rawHeaders[i]), String(rawHeaders[i + 1]));
    return this.#headers;
  }

  /** Returns the value of a header, without making `Headers` of all: Node's own object drops duplicates of some names. */
  header(name: string): string {
    const { rawHeaders } = this.#message;
    return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name).join();
  }

  toResponse(): Response {
    const known = this.#response?.deref();
    if (known !== undefined) return known;
    const wasRead = this.body?.isRead;
    const statusText = this.#message.statusMessage ?? "";
    const response = makeResponse(wasRead ? "" : (this.body?.toStream() ?? null), {
      status: this.status,
      // `Response` refuses a reason phrase with control characters.
      statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : "",
      headers: this.headers,
      url: this.url,
    });
    // A body that was read is marked as such: reading it again must not return an empty one.
    if (wasRead) void response.body?.cancel();
    this.#response ??= new WeakRef(response);
    return response;
  }
}

/** Ends the connection of a body that the caller has dropped without reading it. */
const dropped = new FinalizationRegistry((end: () => void) => end());

class MessageBody implements DirectBody {
  readonly #message: IncomingMessage;
  readonly #contentEncoding: string;
  #failure: { readonly error: unknown } | undefined;
  /** The body without its encodings, once somebody reads it. */
  #source: Readable | undefined;

  constructor(message: IncomingMessage, contentEncoding: string) {
    this.#message = message;
    this.#contentEncoding = contentEncoding;
    // A body may break off before somebody reads it; without a listener the error would be lost.
    message.on("error", (error) => {
      this.#failure ??= { error: broken(error) };
    });
  }

  get isRead(): boolean {
    return this.#source !== undefined;
  }

  /** Ends the body and its connection, with the reason of the caller's signal. */
  abort(reason: unknown): void {
    this.#failure ??= { error: reason };
    this.#message.destroy(broken(reason));
    this.#source?.destroy(broken(reason));
  }

  /** Calls back when the body has been read to its end, or will not be. */
  whenRead(done: () => void): void {
    if (this.#source === undefined || this.#source.closed) done();
    else this.#source.once("close", done);
  }

  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void> {
    const source = this.#open();
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure.error);
      source.on("data", (chunk: Uint8Array) => {
        if (onChunk(chunk)) return;
        this.#end(source);
        resolve();
      });
      source.on("end", resolve);
      source.on("error", (error) => {
        this.#end(source);
        reject(this.#failure?.error ?? broken(error));
      });
    });
  }

  async cancel(): Promise<void> {
    this.#message.destroy();
  }

  /** The body as a stream, which is read on demand. A stream that is dropped ends the connection. */
  toStream(): ReadableStream<Uint8Array> {
    const source = this.#open();
    // The connection holds the stream only while somebody waits for its next chunk.
    let awaited: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          if (this.#failure !== undefined) return controller.error(this.#failure.error);
          const open = new WeakRef(controller);
          source.on("data", (chunk: Uint8Array) => {
            // Before the chunk is passed on: whoever waits for the next one too resumes at once.
            source.pause();
            const receiver = awaited ?? open.deref();
            awaited = undefined;
            receiver?.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
          });
          source.on("end", () => open.deref()?.close());
          source.on("error", (error) => {
            this.#end(source);
            open.deref()?.error(this.#failure?.error ?? broken(error));
          });
          source.on("close", () => {
            awaited = undefined;
          });
          source.pause();
        },
        pull: (controller) => {
          awaited = controller;
          source.resume();
        },
        cancel: () => this.#end(source),
      },
      { highWaterMark: 0 },
    );
    dropped.register(stream, () => this.#end(source));
    return stream;
  }

  #open(): Readable {
    this.#source ??= decoded(this.#message, this.#contentEncoding);
    return this.#source;
  }

  #end(source: Readable): void {
    source.removeAllListeners("data").removeAllListeners("end").destroy();
    this.#message.destroy();
  }
}

/** The error that `fetch` throws here. */
function broken(cause: unknown): TypeError {
  return new TypeError("terminated", { cause });
}

/** The encodings that are offered to a server. */
export const acceptEncoding = "gzip, deflate, br";

/** As with `fetch`, a body whose data is complete counts, even if its check sum is missing. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

const decoders: Readonly<Record<string, (source: Readable) => Readable>> = {
  gzip: (source) => pipeline(source, createGunzip(lenient), passedOn),
  "x-gzip": (source) => pipeline(source, createGunzip(lenient), passedOn),
  deflate: inflated,
  br: (source) => pipeline(source, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }), passedOn),
};

/** The reader of a decoder sees its error. */
const passedOn = () => {};

/** Some servers send "deflate" without the zlib header that RFC 9110 asks for. The first byte says which it is. */
function inflated(source: Readable): Readable {
  const output = new PassThrough();
  source.on("error", (error) => output.destroy(error));
  source.once("readable", () => {
    const first: Buffer | null = source.read(1);
    if (first !== null) source.unshift(first);
    const inflate = ((first?.[0] ?? 0) & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient);
    pipeline(source, inflate, output, passedOn);
  });
  return output;
}

/** More than any server applies. Each layer multiplies what a few bytes become. */
const maxLayers = 5;

/**
 * Returns the body without its content encodings, as a stream: what a few bytes become is never in memory as a whole. A
 * body in an encoding that is not known stays as it is, as with `fetch`.
 */
function decoded(message: IncomingMessage, contentEncoding: string): Readable {
  const names = contentEncoding.toLowerCase().split(",");
  const layers = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  const isKnown = layers.every((name) => Object.hasOwn(decoders, name));
  if (layers.length > maxLayers || !isKnown) return message;
  return layers.reduceRight<Readable>((source, name) => decoders[name]?.(source) ?? source, message);
}
