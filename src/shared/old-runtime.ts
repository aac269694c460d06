import { ConfigurationError } from "../errors/request.ts";

/**
 * Refuses a runtime that is too old, where the first call would fail with a bare TypeError. What is looked for came
 * with Node 22.
 *
 * @throws ConfigurationError on Node 20 or older, or its like.
 */
export function refuseOldRuntime(): void {
  if (Promise.withResolvers !== undefined) return;
  const { process } = globalThis as { process?: { version?: string } };
  throw new ConfigurationError(`serviceapi needs Node 22.12 or later; this is ${process?.version}.`);
}
