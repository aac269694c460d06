import { ConfigurationError } from "../errors/request.ts";

/**
 * Refuses a runtime that is too old, where the first call would fail with a bare TypeError. What is looked for came
 * with Node 22, and with the browsers of 2023.
 *
 * @throws ConfigurationError on Node 20 or older, or its like.
 */
export function refuseOldRuntime(): void {
  if (Promise.withResolvers !== undefined) return;
  const { process } = globalThis as { process?: { version?: unknown } };
  const version = process?.version;
  throw new ConfigurationError(
    typeof version === "string" && version !== ""
      ? `serviceapi needs Node 22.12 or later; this is ${version}.`
      : "serviceapi needs `Promise.withResolvers`, which this runtime does not have. Use a newer browser or runtime.",
  );
}
