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
  let isFirst = true;
  let delay: number | undefined;
  let result: CallResult | undefined;
  const pauses = new AbortController();
  await ky.post(call.url, {
    async fetch() {
      if (isFirst) {
        isFirst = false;
        throw failure;
      }
      result = await attempt();
      return new Response();
    },
    retry: {
      limit: retryLimit(call),
      methods: ["post"],
      shouldRetry({ error }) {
        delay = delayBeforeRetry(call, error);
        if (delay === undefined) return false;
        call.progress.phase = "backoff";
        const { kind } = error as unknown as ServiceApiError;
        call.reporter?.report({ type: "retry", attempt: call.progress.attempts, delay, reason: kind });
        call.scope.onCancel(() => pauses.abort("cancelled"));
        return true;
      },
      delay: () => delay ?? 0,
    },
    timeout: false,
    signal: pauses.signal,
  });
  // ky resolves after the attempt that succeeded, and rejects with the error of the last one.
  return result as CallResult;
}
