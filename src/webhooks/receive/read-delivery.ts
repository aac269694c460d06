import { ConfigurationError } from "../../errors/request.ts";
import { WebhookPayloadError } from "../../errors/webhook.ts";
import { joinChunks, toBytes } from "../../shared/bytes.ts";
import { isList, isObjectOrList, isString } from "../../shared/json.ts";
import { readUninherited } from "../../shared/objects.ts";
import type { ReceivedDelivery } from "../auth/check.ts";
import type { Settings } from "../options.ts";
import type { HeaderSource, RequestContext, WebhookDelivery } from "../types.ts";
import { payloadError } from "./parse-event.ts";

export type DeliverySource = Request | WebhookDelivery;

/**
 * Returns what the checks need of a delivery.
 *
 * @param owner - Whose argument the source is, for the message.
 * @throws WebhookPayloadError for a body that is too large, already parsed, too slow or cut; ConfigurationError for
 *   anything that has no headers.
 */
export async function readDelivery(
  owner: string,
  source: DeliverySource,
  platform: RequestContext | undefined,
  settings: Settings,
): Promise<ReceivedDelivery> {
  const { headers }: { readonly headers?: unknown } = Object(source);
  if (!isObjectOrList(headers)) {
    throw new ConfigurationError(`${owner}: pass the \`Request\`, or an object with \`headers\` and \`body\`.`);
  }
  const now = ("receivedAt" in source ? readUninherited(source, "receivedAt") : undefined) ?? settings.now();
  if (!Number.isFinite(now)) {
    throw new ConfigurationError(`${owner}: \`receivedAt\` must be a number of milliseconds since 1970.`);
  }
  if ("bodyUsed" in source && source.bodyUsed) throw alreadyParsed();
  const header = headerReader(source.headers);
  // Platforms may write anything, such as a number: then the address is not known.
  const own = "remoteAddress" in source ? readUninherited(source, "remoteAddress") : undefined;
  const given = platform && readUninherited(platform, "remoteAddress");
  const peer = platform && readUninherited(readUninherited(platform, "remoteAddr"), "hostname");
  const remoteAddress = [own, given, peer].find(isString);
  // A platform that decompresses keeps the length of the compressed body.
  const length = header("content-encoding") === undefined ? header("content-length") : undefined;
  return { header, body: await readBody(source.body, settings, length), remoteAddress, now };
}

/**
 * Returns a reader of headers by lower-case name, for all three forms of a {@link HeaderSource}. Values that came
 * several times, also in different letters, are joined by `, `.
 *
 * @throws ConfigurationError for a list that is not flat.
 */
function headerReader(source: HeaderSource): (name: string) => string | undefined {
  if ("get" in source && typeof source.get === "function") {
    const headers = source as Headers;
    return (name) => headers.get(name) ?? undefined;
  }
  if (isList(source) && !source.every((part) => typeof part === "string")) {
    throw new ConfigurationError(
      "Webhooks: a list of headers must be flat, as `rawHeaders` of Node: name, value, name, value.",
    );
  }
  const list: readonly unknown[] = isList(source) ? [...source] : Object.entries(source).flat();
  return (name) => {
    let found: string | undefined;
    for (let i = 0; i < list.length; i += 2) {
      const key = String(list[i]);
      if (key.length !== name.length || key.toLowerCase() !== name) continue;
      for (const value of [list[i + 1] ?? []].flat()) found = found === undefined ? `${value}` : `${found}, ${value}`;
    }
    return found;
  };
}

type BodyLimits = Pick<Settings, "maxBodyBytes" | "bodyTimeout">;

/**
 * Returns the raw bytes of a body (docs/assumptions.md, W7).
 *
 * @param source - A string, bytes, or a stream of bytes; anything else was already parsed, and is refused with advice.
 * @param declared - The header `content-length`, if there is one: a stream with fewer bytes was cut.
 */
export async function readBody(source: unknown, limits: BodyLimits, declared = ""): Promise<Uint8Array> {
  const { maxBodyBytes, bodyTimeout } = limits;
  const bytes = toBytes(source ?? "");
  if (bytes !== undefined && bytes.length > maxBodyBytes) throw tooLarge(limits);
  if (bytes !== undefined) return bytes;
  // An invalid header does not count: the bytes themselves are counted in any case.
  const expected = /^\d{1,15}$/.test(declared) ? Number(declared) : 0;
  if (expected > maxBodyBytes) throw tooLarge(limits);
  const reader = readerOf(source);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not `Promise.race` with one promise for the time: that would remember every chunk of the body until its end.
  let expire = (_error: WebhookPayloadError) => {};
  const timer = setTimeout(() => {
    expire(payloadError("tooSlow", `The body did not arrive within ${bodyTimeout} ms (\`bodyTimeout\`).`));
  }, bodyTimeout);
  try {
    for (;;) {
      const { done, value } = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        expire = reject;
        reader.read().then(resolve, reject);
      });
      if (done) break;
      const chunk = toBytes(value);
      if (chunk === undefined) throw alreadyParsed();
      length += chunk.length;
      if (length > maxBodyBytes) throw tooLarge(limits);
      chunks.push(chunk);
    }
  } catch (error) {
    reader.cancel?.().catch(() => {});
    throw WebhookPayloadError.isInstance(error) ? error : cut();
  } finally {
    clearTimeout(timer);
  }
  if (length < expected) throw cut();
  return joinChunks(chunks);
}

/**
 * Opens a web stream or a Node stream. Of the latter, `return()` would destroy the socket, and the response with it: the
 * server drops the rest afterwards.
 *
 * @throws WebhookPayloadError for anything else, and for a stream that somebody else reads.
 */
function readerOf(source: unknown): { read(): Promise<IteratorResult<unknown>>; cancel?(): Promise<void> } {
  if (!isObjectOrList(source) || Reflect.get(source, "readableDidRead") === true) throw alreadyParsed();
  if ("getReader" in source) {
    const stream = source as ReadableStream<Uint8Array>;
    if (stream.locked) throw alreadyParsed();
    return stream.getReader();
  }
  if (!(Symbol.asyncIterator in source)) throw alreadyParsed();
  const iterator = (source as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return { read: () => iterator.next() };
}

/** A signature is over bytes: a parsed body cannot be turned back into them. */
export function alreadyParsed(): WebhookPayloadError {
  return payloadError(
    "alreadyParsed",
    "The body was already parsed or read, so its signature cannot be checked. " +
      'Express: mount this route before express.json(), or use express.raw({ type: "*/*" }). ' +
      "Koa: mount it before the body parser. Fastify: use fastifyWebhook. Nest: create the app with { rawBody: true }. " +
      "Lambda: pass event.body unchanged. Next.js: use the app router. Elsewhere: pass the Request unread.",
  );
}

function cut(): WebhookPayloadError {
  return payloadError("cut", "The connection ended before the whole body had arrived.");
}

function tooLarge({ maxBodyBytes }: BodyLimits): WebhookPayloadError {
  return payloadError("tooLarge", `The body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`).`);
}
