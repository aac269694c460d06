import { WebhookAuthError } from "../../errors/webhook.ts";
import type { ReceivedDelivery, WebhookCheck } from "./check.ts";

/**
 * A check of your own, beside the others: all in `auth` must pass.
 *
 * @param check - Returns true for a delivery that it believes. False, or an error thrown, refuses it.
 *
 * @example
 * ```ts
 * import { custom, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ auth: [custom((delivery) => delivery.header("x-tenant") === "blue")] });
 * ```
 */
export function custom(check: (delivery: ReceivedDelivery) => boolean | Promise<boolean>): WebhookCheck {
  return {
    name: "custom",
    async check(delivery) {
      let believed: unknown;
      let cause: unknown;
      try {
        believed = await check(delivery);
      } catch (error) {
        if (WebhookAuthError.isInstance(error)) throw error;
        cause = error;
      }
      // Only `true` will do: a check that forgets to return refuses everything, and is noticed.
      if (believed === true) return undefined;
      throw new WebhookAuthError({ reason: "refusedByCheck", message: "A custom check refused the delivery.", cause });
    },
  };
}
