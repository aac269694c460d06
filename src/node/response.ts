import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { makeResponse } from "../shared/make-response.ts";
import type { DirectBody, DirectResponse } from "../transport/fetch.ts";
import { decoded } from "./decode.ts";
import { MessageHeaders } from "./headers.ts";

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
    this.body = isEmpty ? null : new MessageBody(message, this.headers);
    // To its end, so that the connection can be used again.
    if (isEmpty) message.on("error", () => {}).resume();
  }

  /** Ends the body and its connection, with the reason of the caller's signal. */
  abort(reason: unknown): void {
    this.body?.abort(reason);
  }

  /** Calls back when the body has been read to its end, or will not be. */
  whenRead(done: () => void): void {
    if (this.body === null) done();
    else this.body.whenRead(done);
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

/** Ends the connection of a body that the caller has dropped without reading it. */
const dropped = new FinalizationRegistry((end: () => void) => end());

class MessageBody implements DirectBody {
  isRead = false;
  readonly #message: IncomingMessage;
  readonly #headers: MessageHeaders;
  #failure: { readonly error: unknown } | undefined;
  /** The body without its encodings. */
  #source: Readable | undefined;

  constructor(message: IncomingMessage, headers: MessageHeaders) {
    this.#message = message;
    this.#headers = headers;
    // A body may break off before somebody reads it; without a listener the error would be lost.
    message.on("error", (error) => {
      this.#failure ??= { error: broken(error) };
    });
  }

  abort(reason: unknown): void {
    this.#failure ??= { error: reason };
    this.#message.destroy(broken(reason));
    this.#source?.destroy(broken(reason));
  }

  whenRead(done: () => void): void {
    const source = this.#source;
    if (source === undefined || source === this.#message || source.closed) done();
    else source.once("close", done);
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
    this.isRead = true;
    this.#source ??= decoded(this.#message, this.#headers.get("content-encoding"));
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
