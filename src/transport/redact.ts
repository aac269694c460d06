/** Replaces every secret in a text, whatever brought it there. */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one may hold another.
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

/**
 * What may be told of a library's error (ky, undici): its name, code and message without secrets. The error itself holds
 * the request's headers, and a refused header value is quoted in the message, so it is never passed on.
 */
export function summarize(error: unknown, secrets: readonly string[]): Error | undefined {
  const chain = causesOf(error).map((link) => {
    const code = codeOf(link);
    return `${link.name}: ${code !== undefined && !link.message.includes(code) ? `${code} ` : ""}${link.message}`;
  });
  if (chain.length === 0) return undefined;
  const summary = new Error(redact(chain.join(" ← "), secrets).slice(0, 300));
  delete summary.stack;
  return summary;
}

/** An error and what caused it, four at most: a cause may lead back to where it began. */
export function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 4; link = link.cause) chain.push(link);
  return chain;
}

/** The runtime's word for a failure, such as `ECONNRESET`. */
export function codeOf(error: Error & { readonly code?: unknown }): string | undefined {
  return typeof error.code === "string" ? error.code : undefined;
}

/** The texts of a body that say nothing about a person. Everything else is masked, unknown fields included. */
const plainKeys = new Set([
  "status",
  "statusCode",
  "status_code",
  "event",
  "response_status",
  "accountStatus",
  "client_referenceId",
  "trace_id",
  "consent",
  "currency",
  "airline_code",
  "fare_type",
  "passenger_type",
  "flight_status",
]);

/** A body as it may stand in a log line: its shape, its plain fields, and the length of every other text. */
export function maskPersonalData(value: unknown, key = ""): unknown {
  if (typeof value === "string") return plainKeys.has(key) ? value : `[${value.length} characters]`;
  if (typeof value === "number") return Math.abs(value) < 1e6 ? value : "[number]";
  if (Array.isArray(value)) return value.map((element) => maskPersonalData(element, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, maskPersonalData(field, name)]));
}
