import { ConfigurationError } from "../../errors/request.ts";
import { anyOf, nonEmptyString, object, type Rules, readOptions, string } from "../../shared/options.ts";
import { type SignOptions, schemeRule, signBy, signRules } from "../../webhooks/sign.ts";
import { type PayoutRequest, payoutEvent, payoutRules } from "./payout-event.ts";
import type { WebhookSettings } from "./types.ts";

/** Options of {@link signedDelivery}: the payout, and how it is signed. */
export interface SignedDeliveryOptions
  extends Pick<PayoutRequest, "amount" | "outcome" | "client_referenceId">,
    SignOptions {
  /** The checks of `new Webhooks({ auth })`, or `"none"` for a notification that is not signed. */
  readonly auth: NonNullable<WebhookSettings["auth"]>;
  /** The exact event, or its JSON text, in place of `amount`, `outcome` and `client_referenceId`. @default none */
  readonly event?: object | string | undefined;
  /** The URL of the request. @default "https://callback.example/webhook" */
  readonly url?: string | undefined;
}

const rules: Rules<SignedDeliveryOptions> = {
  ...payoutRules,
  event: anyOf("must be an object, or its JSON text", string, object),
  url: nonEmptyString,
  auth: schemeRule,
  ...signRules,
};

/**
 * Returns the notification of a payout as the service would send it (§6.2), signed, to test a receiver without an
 * emulator.
 *
 * @param options - See {@link SignedDeliveryOptions}. With `auth` alone, it is a SUCCESS of 8500.
 * @throws {ConfigurationError} without `auth`, for an unknown outcome, an `event` together with `amount`, `outcome` or
 *   `client_referenceId`, a check that fails to sign, `now` or `id` without a check that signs, an unknown option or an
 *   invalid value.
 *
 * @example
 * ```ts
 * import { signedDelivery } from "serviceapi/emulator";
 * import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
 *
 * const auth = hmac({ header: "x-signature", secrets: ["a secret of at least a few words"] });
 * const webhooks = new Webhooks({ auth: [auth], store: memoryStore(), findOrder: () => 8500 });
 * const handler = webhooks.handler({ SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} });
 *
 * const response = await handler(await signedDelivery({ auth, client_referenceId: "order-17" }));
 * console.log((await response.json()).status); // SUCCESS
 * ```
 */
export async function signedDelivery(options: SignedDeliveryOptions): Promise<Request> {
  const checked = readOptions<SignedDeliveryOptions>("signedDelivery", options, rules, ["auth"]);
  const { auth, event, url = "https://callback.example/webhook", now, id, ...payout } = checked;
  if (event !== undefined && Object.keys(payout).length > 0) {
    throw new ConfigurationError(`signedDelivery: pass either \`event\` or \`${Object.keys(payout)[0]}\`.`);
  }
  const notification = event ?? payoutEvent(payout, 1);
  const { headers, body } = await signBy("signedDelivery", Date.now, notification, auth, { now, id });
  return new Request(url, { method: "POST", headers, body });
}
