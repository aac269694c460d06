import { WebhookAuthError, WebhookProcessingError } from "../../errors/webhook.ts";
import { acknowledge, isPayoutStatus, type ProcessResult, type WebhookEvent } from "../events.ts";
import type { HandlerSettings, ReceiverSettings } from "../options.ts";
import { effectOf, identityOf, payoutKey } from "../stores/record.ts";
import type { RequestContext, WebhookHandlers, WebhookResponse } from "../types.ts";
import { authenticate, claimNonces, isDone, settleNonces, usedUp } from "./authenticate.ts";
import { Delivery, type DeliveryResult } from "./delivery.ts";
import { runEvent, waitForOther } from "./lifecycle.ts";
import { parseEvent } from "./parse-event.ts";
import { type DeliverySource, readDelivery } from "./read-delivery.ts";

/**
 * Returns the function that responds to one delivery within `ackTimeout`, however slow bodies, handlers and stores are
 * (docs/assumptions.md, W16). Work that is not done by then runs on. It never rejects.
 */
export function receiver(settings: HandlerSettings, handlers: WebhookHandlers, underWay: UnderWay) {
  return (source: DeliverySource, platform?: RequestContext): Promise<WebhookResponse> => {
    const { promise, resolve } = Promise.withResolvers<WebhookResponse>();
    const delivery = new Delivery(settings, handlers, (work) => {
      void track(underWay, work);
      keepAlive(work, platform);
    });
    // If the response is due first, as it is by default, this timer starts with the response: most never need it.
    if (settings.workTimeout < settings.ackTimeout) delivery.limitWork();
    const respond = () => {
      clearTimeout(timer);
      resolve(responseOf(delivery));
      delivery.hasResponded = true;
    };
    const work = track(underWay, processDelivery(source, platform, settings, delivery), respond);
    const timer = setTimeout(() => {
      // Work that is done waits for its nonces alone.
      if (delivery.result === undefined) delivery.outliveResponse(Promise.all([work, settle(delivery, undefined)]));
      respond();
    }, delivery.remaining(settings.ackTimeout));
    return promise;
  };
}

/**
 * The order of docs/assumptions.md, W13: authenticate, parse, check, claim, run, commit. Ends after the response if that
 * had to leave first. Never rejects.
 */
async function processDelivery(
  source: DeliverySource,
  platform: RequestContext | undefined,
  settings: HandlerSettings,
  delivery: Delivery,
): Promise<void> {
  let nonceRecord: string | undefined;
  try {
    const received = await readDelivery("webhooks.handler", source, platform, settings);
    delivery.body = received.body;
    const { nonces, stale } = await authenticate(received, settings.auth);
    const event = parseEvent(received.body, settings.requiredFields);
    delivery.event = event;
    let refusal = stale ?? (nonces.length > 0 ? await claimNonces(nonces, delivery.nonces, settings) : undefined);
    // An authentic redelivery that was not signed anew (docs/assumptions.md, W5), or a replay: it changes nothing.
    while (refusal !== undefined && !(await isDone(event, nonces, settings.store))) {
      if (WebhookAuthError.isInstance(refusal)) throw refusal;
      // Another delivery has the nonce, perhaps of this very event: the wait is that for a claim.
      await waitForOther(delivery, "inFlight");
      refusal = await claimNonces(nonces, delivery.nonces, settings);
    }
    const result = refusal === undefined ? await runEvent(event, delivery) : "DUPLICATE";
    // If the store has an entry of the payout, that alone says that it was accepted: after `forget()` it must not be a
    // DUPLICATE. Otherwise the nonce says it.
    const isRecorded = delivery.claim !== undefined || delivery.done !== undefined;
    if (nonces.length > 0)
      nonceRecord = isRecorded ? usedUp : identityOf(await payoutKey(event.client_referenceId), effectOf(event));
    delivery.end(result);
  } catch (error) {
    delivery.end();
    delivery.result = resultOf(error, delivery);
    delivery.report(error);
  }
  if (delivery.nonces.length > 0) await settle(delivery, delivery.hasResponded ? undefined : nonceRecord);
}

/** Takes an event through the steps of a delivery from the check of its order: nobody waits for a response. */
export async function processEvent(
  event: WebhookEvent,
  settings: ReceiverSettings,
  handlers: WebhookHandlers,
): Promise<ProcessResult> {
  const delivery = new Delivery(settings, handlers);
  delivery.event = event;
  delivery.limitWork();
  try {
    return await runEvent(event, delivery);
  } finally {
    delivery.end();
  }
}

function resultOf(error: unknown, delivery: Delivery): DeliveryResult {
  if (delivery.isRefusal(error)) {
    const { body, event } = delivery;
    // A body that did not arrive whole, and a status of a later version, may pass another time.
    return body !== undefined && (event === undefined || isPayoutStatus(event.status)) ? "refused" : "FAILED";
  }
  // A DUPLICATE notification asks for nothing, and a redelivery would say the same.
  const asksForNothing = WebhookProcessingError.isInstance(error) && error.reason === "notProcessed";
  return asksForNothing && !delivery.isInApplication ? "DUPLICATE" : "FAILED";
}

/** A nonce is used up if the response says so; otherwise it is released, or expires if the store fails. */
async function settle(delivery: Delivery, effect: string | undefined): Promise<void> {
  await settleNonces(delivery.nonces, effect, delivery.settings.store).catch((error) => delivery.report(error));
}

/**
 * Returns the response to a delivery: JSON of §6.3, which says nothing about the server or the reason (§6.5.3), with
 * HTTP 200 (§8), unless a failure asks to be redelivered by another status.
 */
function responseOf(delivery: Delivery): WebhookResponse {
  const { result = "FAILED", settings } = delivery;
  return {
    status: result === "FAILED" && settings.redeliverBy === "http500" ? 500 : 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(acknowledge(delivery.reference() ?? "", result === "refused" ? "FAILED" : result)),
  };
}

/** The work of a receiver that is under way, for a server that is shut down. */
export type UnderWay = Set<Promise<void>>;

/** Keeps work among what is under way until it ends. The promise that it returns resolves then, after `onEnd` was called. */
export function track(underWay: UnderWay, work: Promise<unknown>, onEnd?: () => void): Promise<void> {
  const end = () => {
    onEnd?.();
    underWay.delete(ended);
  };
  const ended = work.then(end, end);
  underWay.add(ended);
  return ended;
}

/** Keys under which Vercel and Next.js keep the context of the current request. */
const contextKeys = ["@vercel/request-context", "@next/request-context"];

type Holder = { get?(): RequestContext | undefined } | undefined;

/** Has the platform, if it can, keep work alive that outlives the response (docs/assumptions.md, W16). */
function keepAlive(work: Promise<unknown>, context: RequestContext | undefined): void {
  try {
    const isPassed = typeof context?.waitUntil === "function";
    const ofRequest = contextKeys.map((key) => (globalThis as Record<symbol, Holder>)[Symbol.for(key)]);
    const found = isPassed ? [context] : ofRequest.map((holder) => holder?.get?.());
    found.find((platform) => typeof platform?.waitUntil === "function")?.waitUntil?.(work);
  } catch {
    // A platform that refuses, as after the end of the request, still lets the work run as long as the process lives.
  }
}
