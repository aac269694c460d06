import { oneLine } from "../errors/one-line.ts";
import { redact } from "./redact.ts";

/**
 * Summarizes the error of an underlying library (ky, undici): name, code and message without secrets. The error itself
 * is not passed on: it holds the headers of the request, and its message may quote a header value that was refused.
 */
export function summarize(error: unknown, secrets: readonly string[]): Error | undefined {
  const chain = causesOf(error).map((link) => {
    const code = runtimeCodeOf(link);
    return `${link.name}: ${code !== undefined && !link.message.includes(code) ? `${code} ` : ""}${link.message}`;
  });
  if (chain.length === 0) return undefined;
  const summary = new Error(oneLine(redact(chain.join(" ← "), secrets)).slice(0, 300));
  delete summary.stack;
  return summary;
}

/** Returns the error and its causes, at most four deep: cause chains can be cyclic. */
export function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 4; link = link.cause) chain.push(link);
  return chain;
}

/** Returns the error code of the runtime, such as `ECONNRESET`. */
export function runtimeCodeOf(error: Error & { readonly code?: unknown }): string | undefined {
  return typeof error.code === "string" ? error.code : undefined;
}
