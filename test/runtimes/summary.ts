import type { Outcome } from "./program/describe.ts";

/**
 * A result in one line: `answer`, or the error's name, its outcome, its cause and its detail; how often it was tried,
 * and how many requests really arrived.
 */
export function summary({ error }: Outcome, received: number): string {
  if (error === undefined) return `answer, ${received} received`;
  const cause = error.cause === undefined ? "" : `(${words(error.cause.name, error.cause.detail)})`;
  return `${words(error.name, error.outcome, error.detail, cause)}, ${error.attempts} tried, ${received} received`;
}

function words(...parts: readonly unknown[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}

/** The same result without the runtime's own codes and messages. */
export function levelled<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === "runtime" ? undefined : inner)));
}

/** The runtime's own code or message of a failure, without addresses and numbers that differ from run to run. */
export function spoken({ error }: Outcome): string {
  const { message = "" } = (error?.cause ?? error)?.runtime ?? {};
  const [innermost = ""] = message.split(" \u2190 ").slice(-1);
  return innermost
    .replace(/^\w*Error: /, "")
    .replace(/^error sending request .*?: (?=client error)/, "")
    .replace(/ 127\.0\.0\.1:\d+$/, "")
    .replace(/; if the root CA .*|; reference = .*| For more information.*| fetching ".*/, "");
}
