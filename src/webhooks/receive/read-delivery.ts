import { ConfigurationError } from "../../errors/request.ts";
import { readUninherited } from "../../shared/read-uninherited.ts";
import type { ReceivedDelivery } from "../auth/check.ts";
import type { Settings } from "../options.ts";
import type { RequestContext, WebhookDelivery } from "../types.ts";
import { readBody } from "./body/read-body.ts";
import { headerReader } from "./headers.ts";

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
  // A platform that decompresses keeps the length of the compressed body.
  const declared = header("content-encoding") === undefined ? header("content-length") : undefined;
  const body = readBody(bodyOf(source), settings, declared);
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
