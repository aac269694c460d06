import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { type DirectBody, type DirectResponse, makeResponse, type ResponseHeaders } from "../transport/fetch.ts";

/** Statuses whose response has no body (Fetch standard, 2.2.3). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response as node:http received it. It becomes a `Response` when somebody asks for one. */
export class NodeResponse implements DirectResponse {
  readonly status: number;
  readonly type = "default";
  readonly redirected = false;
  readonly url: string;
  readonly headers: MessageHeaders;
  readonly body: MessageBody | null;
  readonly #statusText: string;
  /** Weak: the connection holds this object, and must not hold a `Response` that the caller has dropped. */
  #response: WeakRef<Response> | undefined;

  constructor(message: IncomingMessage, method: string, url: string) {
    this.status = message.statusCode ?? 0;
    this.#statusText = message.statusMessage ?? "";
    this.url = url;
    this.headers = new MessageHeaders(message.rawHeaders);
    const isEmpty = method === "HEAD" || withoutBody.has(this.status);
    this.body = isEmpty ? null : new MessageBody(message, this.headers.get("content-encoding"));
    // To its end, so that the connection can be used again.
    if (isEmpty) message.on("error", () => {}).resume();
  }

  toResponse(): Response {
    const response = this.#response?.deref() ?? this.#create();
    this.#response ??= new WeakRef(response);
    return response;
  }

  #create(): Response {
    const wasRead = this.body?.isRead;
    const response = makeResponse(wasRead ? "" : (this.body?.toStream() ?? null), {
      status: this.status,
      // `Response` refuses a reason phrase with control characters.
      statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(this.#statusText) ? this.#statusText : "",
      headers: this.headers.toHeaders(),
      url: this.url,
    });
    // A body that was read is marked as such: reading it again must not return an empty one.
    if (wasRead) void response.body?.cancel();
    return response;
  }
}

/**
 * The headers of a message. Node's own objects drop duplicates of some names, or fail on a header `__proto__`; as in
 * `Headers`, all are joined here.
 */
class MessageHeaders implements ResponseHeaders {
  readonly #raw: readonly string[];

  /** @param raw - Names and values alternating. */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase();
    let found: string | null = null;
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      if (this.#raw[i]?.length !== wanted.length || this.#raw[i]?.toLowerCase() !== wanted) continue;
      found = found === null ? String(this.#raw[i + 1]) : `${found}, ${this.#raw[i + 1]}`;
    }
    return found;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.toHeaders()[Symbol.iterator]();
  }

  toHeaders(): Headers {
    const headers = new Headers();
    for (let i = 0; i + 1 < this.#raw.length; i += 2) headers.append(String(this.#raw[i]), String(this.#raw[i + 1]));
    return headers;
  }
}

/** Ends the connection of a body that the caller has dropped without reading it. */
const dropped = new FinalizationRegistry((end: () => void) => end());

class MessageBody implements DirectBody {
  readonly #message: IncomingMessage;
  readonly #contentEncoding: string | null;
  #failure: { readonly error: unknown } | undefined;
  /** The body without its encodings, once somebody reads it. */
  #source: Readable | undefined;

  constructor(message: IncomingMessage, contentEncoding: string | null) {
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
function decoded(message: IncomingMessage, contentEncoding: string | null): Readable {
  const names = (contentEncoding ?? "").toLowerCase().split(",");
  const layers = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  const isKnown = layers.every((name) => Object.hasOwn(decoders, name));
  if (layers.length > maxLayers || !isKnown) return message;
  return layers.reduceRight<Readable>((source, name) => decoders[name]?.(source) ?? source, message);
}
