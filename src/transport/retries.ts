import ky from "ky";
import type { ServiceApiError } from "../errors/base.ts";
import type { CallResult } from "./call.ts";
import type { PreparedCall } from "./request.ts";
import { delayBeforeRetry, retryLimit } from "./retry-policy.ts";

/**
 * Retries a call whose first attempt failed. ky keeps the pauses, which end with the call, and asks before each; to it
 * an attempt is a `fetch` that fails with a typed error, the one that has already failed included. This module, and ky
 * with it, is loaded when a call needs it.
 */
export async function retryWithKy(
  call: PreparedCall,
  attempt: () => Promise<CallResult>,
  failure: unknown,
): Promise<CallResult> {
  const { progress, reporter, scope } = call;
  const pauses = new AbortController();
  let next = () => Promise.reject<CallResult>(failure);
  let result: CallResult | undefined;
  await ky.post(call.url, {
    async fetch() {
      const current = next;
      next = attempt;
      result = await current();
      return new Response();
    },
    retry: {
      limit: retryLimit(call),
      methods: ["post"],
      shouldRetry({ error }) {
        const delay = delayBeforeRetry(call, error);
        if (delay === undefined) return false;
        const { kind } = error as unknown as ServiceApiError;
        reporter?.report({ type: "retry", attempt: progress.attempts, delay, reason: kind });
        scope.onCancel(() => pauses.abort("cancelled"));
        return true;
      },
      delay: () => progress.retry?.delay ?? 0,
    },
    timeout: false,
    signal: pauses.signal,
  });
  // ky resolves after the attempt that succeeded, and rejects with the error of the last one.
  return result as CallResult;
}
