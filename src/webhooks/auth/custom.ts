import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import type { CheckOutcome, ReceivedDelivery, WebhookCheck } from "./check.ts";

/** The result of the function of {@link custom}: true to accept a delivery, false to refuse it, or as a check returns. */
export type CustomVerdict = boolean | { readonly nonce: string } | { readonly stale: WebhookAuthError };

/**
 * Returns a check from a function of yours. All checks of `auth` must pass.
 *
 * @param check - Returns true to accept a delivery, `{ nonce }` to have the nonce accepted only once, 1 to 256
 *   printable characters, or `{ stale }` with the error of a delivery that is signed but too old. Any other value,
 *   including `undefined`, and an exception refuse the delivery.
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
  if (typeof check !== "function") throw new ConfigurationError("custom: pass a function that checks a delivery.");
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
      // `authenticate` refuses an object without a nonce.
      if (typeof verdict === "object" && verdict !== null) return verdict as CheckOutcome;
      // A function that forgets to return refuses all deliveries, which somebody notices.
      throw new WebhookAuthError({ reason: "refusedByCheck", message: "A custom check refused the delivery.", cause });
    },
  };
}
