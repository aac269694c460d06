import { claimNonce } from "../nonces.ts";
import type { Settings } from "../options.ts";
import type { RequestContext, WebhooksOptions } from "../types.ts";
import { type Auth, authenticate } from "./authenticate.ts";
import { checkPayout } from "./check-amount.ts";
import { parseEvent } from "./parse-event.ts";
import { type DeliverySource, receiveDelivery } from "./read-delivery.ts";
import { type Processed, type RunTerms, runEvent } from "./run-handler.ts";

/** What the steps of a delivery need. */
export interface PipelineTerms extends RunTerms {
  readonly settings: Settings;
  readonly auth: Auth;
  readonly expectedPayout: NonNullable<WebhooksOptions["expectedPayout"]>;
}

/**
 * The order of docs/assumptions.md, W13: authenticate → parse → check → claim → run → commit. The acknowledgement is made by the
 * caller from what this resolves with. Rejects with a `WebhookError` for a refusal, with any other error for a failure.
 */
export async function runPipeline(
  source: DeliverySource,
  context: RequestContext | undefined,
  terms: PipelineTerms,
): Promise<Processed> {
  const { settings, progress } = terms;
  const received = await receiveDelivery(source, context, settings);
  progress.body = received.body;
  for (const nonce of await authenticate(received, terms.auth)) {
    progress.nonces.push(await claimNonce(nonce, settings.store, settings.claimLease));
  }
  const event = parseEvent(received.body, settings.requiredFields);
  progress.event = event;
  return runEvent(event, await checkPayout(event, terms.expectedPayout), terms);
}
