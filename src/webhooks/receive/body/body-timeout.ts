import type { WebhookPayloadError } from "../../../errors/webhook.ts";
import { tooSlow } from "./body-errors.ts";

/** The time that a body has to arrive. */
export interface BodyTimeout {
  /** Settles as the promise does, or rejects when the time is up. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Clears the timer. */
  stop(): void;
}

/** Not `Promise.race` with one promise for the time: that would remember every chunk of the body until its end. */
export function startTimeout(bodyTimeout: number): BodyTimeout {
  let hasExpired = false;
  let expire = (_error: WebhookPayloadError) => {};
  const timer = setTimeout(() => {
    hasExpired = true;
    expire(tooSlow(bodyTimeout));
  }, bodyTimeout);
  return {
    race: (promise) =>
      new Promise((resolve, reject) => {
        expire = reject;
        promise.then(resolve, reject);
        if (hasExpired) reject(tooSlow(bodyTimeout));
      }),
    stop: () => clearTimeout(timer),
  };
}
