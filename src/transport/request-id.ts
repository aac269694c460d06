import type { ResponseHead } from "./fetch.ts";
import { redact } from "./redact.ts";

/** The response that each body came with, and what must not be printed of it. */
export const results = new WeakMap<object, { readonly response: ResponseHead; readonly secrets: readonly string[] }>();

/**
 * Returns the ID that the service, or a gateway before it, gave the request of a result, if it has one: the same as
 * `requestId` of `withResponse()`. Quote it to the service operator.
 *
 * @param result - The body that a call returned: the object itself, not a copy.
 *
 * @example
 * ```ts
 * import { requestIdOf, ServiceApi } from "serviceapi";
 *
 * const quote = await new ServiceApi().flights.fareQuote({ trace_id, token });
 * console.log(requestIdOf(quote)); // "8f3a…", or undefined
 * ```
 */
export function requestIdOf(result: object): string | undefined {
  const found = results.get(result);
  return found && redactedRequestId(found.response, found.secrets);
}

/** The ID of the request, without secrets. */
export function redactedRequestId(response: ResponseHead, secrets: readonly string[]): string | undefined {
  return redact(readRequestId(response.headers), secrets);
}

/** The headers in which services and gateways name a request, the most specific first. */
const requestIdHeaders =
  "x-request-id request-id x-amzn-requestid x-amz-request-id x-correlation-id correlation-id x-trace-id cf-ray traceparent".split(
    " ",
  );

/** Returns the ID that the service, or a gateway before it, gave the request. */
export function readRequestId(headers: Pick<Headers, "get">): string | undefined {
  for (const name of requestIdHeaders) {
    const id = headers.get(name)?.trim();
    if (id) return id;
  }
  return undefined;
}

/**
 * Returns the end of a message that names the request; an empty string for an ID that is long or not printable ASCII.
 */
export function namingRequest(id: string | undefined): string {
  return id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? ` Request ID: ${id}.` : "";
}
