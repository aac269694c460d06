import ky from "ky";
import type { CallResult } from "./call.ts";
import type { PreparedCall } from "./request.ts";
import { planRetry, retryLimit } from "./retry.ts";

/** The retries of one call, which ky passes to its hooks as `context`. */
interface Retries {
  /** The pause before the next attempt; `undefined` once there is a response. */
  delay: number | undefined;
  /** Makes the next attempt; throws its error if that is final. */
  next(): Promise<void>;
}

/**
 * Retries a call whose first attempt failed, the first time after `delay` milliseconds. ky counts the retries and keeps
 * the pauses, which end with the call. This module, and ky with it, is loaded when a call needs it.
 */
export async function retryWithKy(
  call: PreparedCall,
  attempt: () => Promise<CallResult>,
  delay: number,
): Promise<CallResult> {
  let result: CallResult | undefined;
  const retries: Retries = {
    delay,
    async next() {
      retries.delay = undefined;
      try {
        result = await attempt();
      } catch (error) {
        retries.delay = planRetry(call, error);
      }
    },
  };
  await conductor(call.url, { context: { retries }, retry: retryLimit(call), signal: call.scope.callSignal });
  // ky resolves after the attempt that succeeded, and rejects with the error of the last one.
  return result as CallResult;
}

/**
 * An attempt is made in a hook, because its deadline covers the body and its failure is a typed error. ky itself sends
 * nothing: to ky each attempt, the first included, is an empty response that may ask for a retry.
 */
const conductor = ky.create({
  timeout: false,
  // It is not called: ky must not send a request on its own, whatever its hooks return.
  fetch: async () => new Response(),
  hooks: {
    beforeRequest: [() => new Response()],
    afterResponse: [
      ({ options }) => {
        const { delay } = retriesOf(options);
        return delay === undefined ? undefined : ky.retry({ delay });
      },
    ],
    beforeRetry: [
      async ({ options }) => {
        await retriesOf(options).next();
        return new Response();
      },
    ],
  },
});

function retriesOf(options: { readonly context: Record<string, unknown> }): Retries {
  return options.context.retries as Retries;
}
