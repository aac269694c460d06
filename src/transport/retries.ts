import ky from "ky";
import type { Answer } from "./attempt.ts";
import type { PreparedCall } from "./prepare.ts";
import { planRetry, retryLimit } from "./retry.ts";

/** What ky carries through its hooks for one call. */
interface Retries {
  /** The pause before the next attempt; `undefined` once there is a response. */
  delayMs: number | undefined;
  /** Makes the next attempt; throws its error if that is final. */
  next(): Promise<void>;
}

/**
 * Retries a call whose first attempt failed, the first time after `delayMs`. ky counts the retries and keeps the pauses,
 * which end with the call. This module, and ky with it, is loaded when a call needs it.
 */
export async function retryWithKy(
  call: PreparedCall,
  attempt: () => Promise<Answer>,
  delayMs: number,
): Promise<Answer> {
  let answer: Answer | undefined;
  const retries: Retries = {
    delayMs,
    async next() {
      retries.delayMs = undefined;
      try {
        answer = await attempt();
      } catch (error) {
        retries.delayMs = planRetry(call, error);
      }
    },
  };
  await conductor(call.url, { context: { retries }, retry: retryLimit(call), signal: call.lifetime.callSignal });
  // ky resolves after the attempt that was answered, and rejects with the error of the last one.
  return answer as Answer;
}

/**
 * An attempt is made in a hook, because its deadline covers the body and its failure is a typed error. ky itself sends
 * nothing: to it every attempt, the first included, is an empty response that may ask for a retry.
 */
const conductor = ky.create({
  timeout: false,
  // It is not called: ky must not send a request by itself, whatever its hooks return.
  fetch: async () => new Response(),
  hooks: {
    beforeRequest: [() => new Response()],
    afterResponse: [
      ({ options }) => {
        const { delayMs } = retriesOf(options);
        return delayMs === undefined ? undefined : ky.retry({ delay: delayMs });
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
