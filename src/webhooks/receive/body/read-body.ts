import { WebhookPayloadError } from "../../../errors/webhook.ts";
import { joinChunks } from "../../../shared/bytes.ts";
import { alreadyParsed, cut, tooLarge, tooSlow } from "./body-errors.ts";

/** Maximum size of a body, and maximum time to read it. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeout: number;
}

/**
 * Returns the raw bytes of a body (docs/assumptions.md, W7), without a promise if they are there already.
 *
 * @param source - A string, bytes, or a stream of bytes; anything else was already parsed, and is refused with advice.
 * @param declaredLength - Returns the header `content-length`, if there is one: a stream with fewer bytes was cut.
 */
export function readBody(
  source: unknown,
  limits: BodyLimits,
  declaredLength: () => string | undefined = () => undefined,
): Uint8Array | Promise<Uint8Array> {
  const bytes = immediateBytes(source);
  if (bytes !== undefined) {
    if (bytes.length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
    return bytes;
  }
  const length = readLength(declaredLength());
  if (length !== undefined && length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
  return collect(openSource(source), limits, length);
}

const noBytes = new Uint8Array(0);

function immediateBytes(source: unknown): Uint8Array | undefined {
  if (source === undefined || source === null) return noBytes;
  if (typeof source === "string") return new TextEncoder().encode(source);
  if (source instanceof Uint8Array) return source;
  // Not `instanceof` alone: Jest gives test files a Uint8Array and an ArrayBuffer of their own.
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return isArrayBuffer(source) ? new Uint8Array(source) : undefined;
}

function isArrayBuffer(source: unknown): source is ArrayBuffer {
  return Object.prototype.toString.call(source) === "[object ArrayBuffer]";
}

/** Undefined for an invalid header: the bytes themselves are counted in any case. */
function readLength(declared: string | undefined): number | undefined {
  return declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : undefined;
}

async function collect(source: ByteSource, limits: BodyLimits, declared: number | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const timeout = startTimeout(limits.bodyTimeout);
  try {
    for (;;) {
      const { done, value } = await timeout.race(source.next());
      if (done) break;
      const chunk = typeof value === "string" ? new TextEncoder().encode(value) : value;
      if (!isBytes(chunk)) throw alreadyParsed();
      length += chunk.length;
      if (length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    source.cancel();
    throw WebhookPayloadError.isInstance(error) ? error : cut();
  } finally {
    timeout.stop();
  }
  if (declared !== undefined && length < declared) throw cut();
  return joinChunks(chunks);
}

function isBytes(chunk: unknown): chunk is Uint8Array {
  return ArrayBuffer.isView(chunk) && "length" in chunk;
}

/** A body that arrives in chunks: a web stream or a Node stream. */
interface ByteSource {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Releases a stream that is not read to its end. */
  cancel(): void;
}

/**
 * Opens a stream of bytes.
 *
 * @throws WebhookPayloadError for anything else, and for a stream that somebody else reads.
 */
function openSource(source: unknown): ByteSource {
  if (isWebStream(source)) {
    if (source.locked) throw alreadyParsed();
    const reader = source.getReader();
    return { next: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
  if (isAsyncIterable(source)) {
    const iterator = source[Symbol.asyncIterator]();
    // `return()` would destroy Node's socket, and the response with it: the server drops the rest afterwards.
    return { next: () => iterator.next(), cancel: () => {} };
  }
  throw alreadyParsed();
}

function isWebStream(source: unknown): source is ReadableStream<Uint8Array> {
  return typeof source === "object" && source !== null && "getReader" in source;
}

function isAsyncIterable(source: unknown): source is AsyncIterable<unknown> {
  return typeof source === "object" && source !== null && Symbol.asyncIterator in source;
}

/** The time that a body has to arrive. */
interface BodyTimeout {
  /** Settles as the promise does, or rejects when the time is up. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Clears the timer. */
  stop(): void;
}

/** Not `Promise.race` with one promise for the time: that would remember every chunk of the body until its end. */
function startTimeout(bodyTimeout: number): BodyTimeout {
  let expire = (_error: WebhookPayloadError) => {};
  const timer = setTimeout(() => expire(tooSlow(bodyTimeout)), bodyTimeout);
  return {
    race: (promise) =>
      new Promise((resolve, reject) => {
        expire = reject;
        promise.then(resolve, reject);
      }),
    stop: () => clearTimeout(timer),
  };
}
