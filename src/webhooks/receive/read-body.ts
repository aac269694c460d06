import { WebhookPayloadError, type WebhookPayloadReason } from "../../errors/webhook.ts";
import { joinChunks } from "../../shared/bytes.ts";

/** How much of a body is taken, and how long it may take. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Milliseconds. */
  readonly bodyTimeout: number;
}

/**
 * Returns the raw bytes of a body (docs/assumptions.md, W7), at once if they are there already.
 *
 * @param source - Text, bytes, or a stream of bytes; anything else was already parsed, and is refused with an explanation.
 * @param declared - The header `content-length`, where there is one: fewer bytes than that is a cut body.
 */
export function readBody(
  source: unknown,
  limits: BodyLimits,
  declared?: string | undefined,
): Uint8Array | Promise<Uint8Array> {
  const bytes = immediateBytes(source);
  if (bytes !== undefined) {
    if (bytes.length > limits.maxBodyBytes) throw tooLarge(limits);
    return bytes;
  }
  const length = readLength(declared);
  if (length !== undefined && length > limits.maxBodyBytes) throw tooLarge(limits);
  return collect(open(source), limits, length);
}

/** Undefined for a header that is no length: the bytes themselves are counted in any case. */
function readLength(declared: string | undefined): number | undefined {
  return declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : undefined;
}

const noBytes = new Uint8Array(0);

function immediateBytes(source: unknown): Uint8Array | undefined {
  if (source === undefined || source === null) return noBytes;
  if (typeof source === "string") return new TextEncoder().encode(source);
  if (source instanceof Uint8Array) return source;
  // Not `instanceof` alone: Jest gives test files a Uint8Array of their own.
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined;
}

/** What both kinds of stream come down to. */
interface ByteSource {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Lets go of a stream that is not read to its end. */
  cancel(): void;
}

function open(source: unknown): ByteSource {
  if (isWebStream(source)) {
    if (source.locked) throw alreadyParsed();
    const reader = source.getReader();
    return { next: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
  if (typeof source === "object" && source !== null && Symbol.asyncIterator in source) {
    const iterator = (source as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    // `return()` would destroy Node's socket, and the answer with it: the server drops the rest after the answer.
    return { next: () => iterator.next(), cancel: () => {} };
  }
  throw alreadyParsed();
}

function isWebStream(source: unknown): source is ReadableStream<Uint8Array> {
  return typeof source === "object" && source !== null && "getReader" in source;
}

async function collect(source: ByteSource, limits: BodyLimits, declared: number | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const timer = startTimer(limits.bodyTimeout);
  try {
    for (;;) {
      const { done, value } = await timer.race(source.next());
      if (done) break;
      const chunk = typeof value === "string" ? new TextEncoder().encode(value) : value;
      if (!isBytes(chunk)) throw alreadyParsed();
      length += chunk.length;
      if (length > limits.maxBodyBytes) throw tooLarge(limits);
      chunks.push(chunk);
    }
  } catch (error) {
    source.cancel();
    throw WebhookPayloadError.isInstance(error) ? error : cut();
  } finally {
    timer.stop();
  }
  if (declared !== undefined && length < declared) throw cut();
  return joinChunks(chunks);
}

function isBytes(chunk: unknown): chunk is Uint8Array {
  return ArrayBuffer.isView(chunk) && "length" in chunk;
}

interface Timer {
  /** Settles as the promise does, or rejects when the time is up. */
  race<T>(promise: Promise<T>): Promise<T>;
  stop(): void;
}

/** Not `Promise.race` with one promise for the time: that would remember every chunk of the body until its end. */
function startTimer(bodyTimeout: number): Timer {
  let hasExpired = false;
  let expire = (_error: WebhookPayloadError) => {};
  const tooSlow = () => refusal("tooSlow", `The body did not arrive within ${bodyTimeout} ms (\`bodyTimeout\`).`);
  const timer = setTimeout(() => {
    hasExpired = true;
    expire(tooSlow());
  }, bodyTimeout);
  return {
    race: (promise) =>
      new Promise((resolve, reject) => {
        expire = reject;
        promise.then(resolve, reject);
        if (hasExpired) reject(tooSlow());
      }),
    stop: () => clearTimeout(timer),
  };
}

/** A signature is over bytes; what a parser made of them cannot be turned back. */
export function alreadyParsed(): WebhookPayloadError {
  return refusal(
    "alreadyParsed",
    "The body was parsed or read before it came here, so its signature cannot be checked. " +
      'Express: mount this route before express.json(), or give it express.raw({ type: "*/*" }). ' +
      "Fastify: use fastifyWebhook from serviceapi/webhooks/node. Koa: mount it before the body parser. " +
      "Nest: create the application with { rawBody: true }. Lambda: pass event.body as it came. " +
      "Next.js: use a route handler of the app router. Elsewhere: pass the Request unread.",
  );
}

function cut(): WebhookPayloadError {
  return refusal("cut", "The connection ended before the whole body had arrived.");
}

function tooLarge({ maxBodyBytes }: BodyLimits): WebhookPayloadError {
  return refusal("tooLarge", `The body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`).`);
}

function refusal(reason: WebhookPayloadReason, message: string): WebhookPayloadError {
  return new WebhookPayloadError({ reason, message });
}
