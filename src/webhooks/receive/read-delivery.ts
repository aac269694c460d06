import { ConfigurationError } from "../../errors/request.ts";
import { isList } from "../../shared/json.ts";
import { readUninherited } from "../../shared/objects.ts";
import type { ReceivedDelivery } from "../auth/check.ts";
import type { Settings } from "../options.ts";
import type { HeaderSource, RequestContext, WebhookDelivery } from "../types.ts";
import { readBody } from "./body/read-body.ts";

/** A delivery as a `Request`, or without one. */
export type DeliverySource = Request | WebhookDelivery;

/**
 * Reads the body of a delivery, and returns what the checks need.
 *
 * @param owner - Whose argument the source is, for the message.
 * @throws WebhookPayloadError for a body that is too large, too slow, cut or already parsed; ConfigurationError for
 *   anything that has no headers.
 */
export function readDelivery(
  owner: string,
  source: DeliverySource,
  platform: RequestContext | undefined,
  settings: Settings,
): ReceivedDelivery | Promise<ReceivedDelivery> {
  if (!isDelivery(source)) {
    throw new ConfigurationError(`${owner}: pass the \`Request\`, or an object with \`headers\` and \`body\`.`);
  }
  const header = headerReader(source.headers);
  const withBody = (body: Uint8Array): ReceivedDelivery => ({
    header,
    body,
    remoteAddress: remoteAddressOf(source, platform),
    trustedProxies: settings.trustedProxies,
    now: settings.now(),
  });
  const declaredLength = () =>
    // A platform that decompresses keeps the length of the compressed body.
    header("content-encoding") === undefined ? header("content-length") : undefined;
  const body = readBody(bodyOf(source), settings, declaredLength);
  return body instanceof Promise ? body.then(withBody) : withBody(body);
}

/** Whether it has headers: anything else is a mistake of the program. */
function isDelivery(source: unknown): source is DeliverySource {
  const { headers }: { readonly headers?: unknown } = Object(source);
  return typeof headers === "object" && headers !== null;
}

/** A `Request` that was read before is passed on itself: `readBody` refuses it as already parsed. */
function bodyOf(source: DeliverySource): unknown {
  return "bodyUsed" in source && source.bodyUsed ? source : source.body;
}

function remoteAddressOf(source: DeliverySource, platform: RequestContext | undefined): string | undefined {
  const own = "remoteAddress" in source ? readUninherited(source, "remoteAddress") : undefined;
  const given = readUninherited(platform, "remoteAddress");
  return own ?? given ?? readUninherited(readUninherited(platform, "remoteAddr"), "hostname");
}

/**
 * Returns a reader of headers by lower-case name, for all three forms of a {@link HeaderSource}. Values that came
 * several times are joined by `, `.
 *
 * @throws ConfigurationError for a list that is not flat.
 */
function headerReader(source: HeaderSource): (name: string) => string | undefined {
  if (Array.isArray(source) && !source.every((part) => typeof part === "string")) {
    throw new ConfigurationError(
      "Webhooks: a list of headers must be flat, as `rawHeaders` of Node: name, value, name, value.",
    );
  }
  if (isHeaders(source)) return (name) => source.get(name) ?? undefined;
  if (isList(source)) return (name) => readFlatList(source, name);
  return (name) => readRecord(source, name);
}

function isHeaders(source: HeaderSource): source is Headers {
  return "get" in source && typeof source.get === "function";
}

/** Node's `rawHeaders`: name, value, name, value. */
function readFlatList(list: readonly string[], name: string): string | undefined {
  return join(list.filter((_, i) => i % 2 === 1 && list[i - 1]?.toLowerCase() === name));
}

function readRecord(
  record: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | undefined {
  // A header that came twice in different letters must not count as one.
  let values: readonly string[] = [];
  for (const key of Object.keys(record)) {
    if (key.length === name.length && key.toLowerCase() === name) values = values.concat(record[key] ?? []);
  }
  return join(values);
}

function join(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(", ");
}
