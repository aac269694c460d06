/** The headers in which services and gateways name a request, the most specific first. */
const names = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "x-correlation-id",
  "correlation-id",
  "x-trace-id",
  "cf-ray",
];

/** Returns the ID that the service, or a gateway before it, gave the request. */
export function readRequestId(headers: Pick<Headers, "get">): string | undefined {
  for (const name of names) {
    const id = headers.get(name)?.trim();
    if (id) return id;
  }
  return undefined;
}

/** Returns the end of a message that names the request; an empty string for an ID that is long or not printable ASCII. */
export function namingRequest(id: string | undefined): string {
  return id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? ` Request ID: ${id}.` : "";
}
