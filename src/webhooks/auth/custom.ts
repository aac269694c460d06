import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import type { CheckOutcome, ReceivedDelivery, WebhookCheck } from "./check.ts";

/** What the function of {@link custom} returns: true, or a nonce, for a delivery that it accepts; false for one that it refuses. */
export type CustomVerdict =
  | boolean
  | {
      /** Nonce of the delivery, 1 to 256 printable characters. */
      readonly nonce: string;
    };

/**
 * A check of your own, beside the others: all in `auth` must pass.
 *
 * @param check - Returns true for a delivery that it accepts, or `{ nonce }` to have the nonce accepted only once, 1 to 256
 *   printable characters. Any other value, `undefined` included, and an error thrown, refuses the delivery.
 * @throws ConfigurationError if `check` is not a function.
 *
 * @example
 * ```ts
 * import { custom, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ auth: [custom((delivery) => delivery.header("x-tenant") === "blue")] });
 * ```
 */
export function custom(check: (delivery: ReceivedDelivery) => CustomVerdict | Promise<CustomVerdict>): WebhookCheck {
  if (typeof check !== "function") throw new ConfigurationError("custom: give a function that checks a delivery.");
  return {
    name: "custom",
    async check(delivery) {
      let verdict: unknown;
      let cause: unknown;
      try {
        verdict = await check(delivery);
      } catch (error) {
        if (WebhookAuthError.isInstance(error)) throw error;
        cause = error;
      }
      if (verdict === true) return undefined;
      // What is not a nonce is refused by `authenticate`.
      if (typeof verdict === "object" && verdict !== null) return verdict as CheckOutcome;
      // A check that forgets to return refuses everything, and is noticed.
      throw new WebhookAuthError({ reason: "refusedByCheck", message: "A custom check refused the delivery.", cause });
    },
  };
}
