import { ConfigurationError } from "../../errors/request.ts";
import { readUninherited } from "../../shared/read-uninherited.ts";
import type { ReceivedDelivery } from "../auth/check.ts";
import type { Settings } from "../options.ts";
import type { RequestContext, WebhookDelivery } from "../types.ts";
import { headerReader } from "./headers.ts";
import { readBody } from "./read-body.ts";

/** A delivery as a `Request`, or without one. */
export type DeliverySource = Request | WebhookDelivery;

/** Reads a delivery's body and makes it ready for the checks. */
export function receiveDelivery(
  source: DeliverySource,
  context: RequestContext | undefined,
  settings: Settings,
): ReceivedDelivery | Promise<ReceivedDelivery> {
  if (!isDelivery(source)) {
    throw new ConfigurationError("webhooks.handler: pass the `Request`, or an object with `headers` and `body`.");
  }
  const header = headerReader(source.headers);
  const ready = (body: Uint8Array): ReceivedDelivery => ({
    header,
    body,
    remoteAddress: remoteAddressOf(source, context),
    trustedProxies: settings.trustedProxies,
    now: settings.now(),
  });
  // A platform that decompresses keeps the length of what came.
  const declared = header("content-encoding") === undefined ? header("content-length") : undefined;
  const body = readBody(bodyOf(source), settings, declared);
  return body instanceof Promise ? body.then(ready) : ready(body);
}

/** Whether it has headers: anything else is a mistake of the program. */
export function isDelivery(source: unknown): source is DeliverySource {
  const { headers }: { readonly headers?: unknown } = Object(source);
  return typeof headers === "object" && headers !== null;
}

/** A `Request` that was read before is handed on as it is, which `readBody` knows for a parsed body. */
function bodyOf(source: DeliverySource): unknown {
  return "bodyUsed" in source && source.bodyUsed ? source : source.body;
}

function remoteAddressOf(source: DeliverySource, context: RequestContext | undefined): string | undefined {
  const own = "remoteAddress" in source ? readUninherited(source, "remoteAddress") : undefined;
  const told = readUninherited(context, "remoteAddress");
  return own ?? told ?? readUninherited(readUninherited(context, "remoteAddr"), "hostname");
}
