import { WebhookAuthError, WebhookError, WebhookPayloadError, WebhookProcessingError } from "../../errors/webhook.ts";
import type { WebhookEvent } from "../events.ts";
import type { ProcessingReason } from "../processing-errors.ts";
import type { RequestContext, WebhookFailure, WebhookResponse } from "../types.ts";
import { type DeliveryResult, responseOf } from "./acknowledge.ts";
import { authenticate } from "./authenticate.ts";
import { checkPayout } from "./check-amount.ts";
import { Delivery, type DeliverySetup, type HandlerSetup } from "./delivery.ts";
import { isDone, type ProcessResult, runEvent } from "./lifecycle.ts";
import { claimNonces, settleNonces } from "./nonces.ts";
import { parseEvent } from "./parse-event.ts";
import { type DeliverySource, readDelivery } from "./read-delivery.ts";
import { findReference } from "./references.ts";
import { keepAlive } from "./under-way.ts";

/**
 * Responds to one delivery within `ackTimeout`, however slow bodies, handlers and stores are (docs/assumptions.md,
 * W16). Work that is not done by then runs on. Never rejects.
 */
export async function handleDelivery(
  source: DeliverySource,
  platform: RequestContext | undefined,
  setup: HandlerSetup,
): Promise<WebhookResponse> {
  const delivery = new Delivery(setup);
  const response = new DeliveryResponse(delivery, setup, platform);
  const work = response.watch(takeEffect(source, platform, setup, delivery));
  setup.underWay.add(work);
  await Promise.race([work, delivery.isDue()]);
  return responseOf(response.leave(work), delivery);
}

/**
 * The order of docs/assumptions.md, W13: authenticate, parse, check, claim, run, commit. Rejects with a
 * `WebhookAuthError` or `WebhookPayloadError` for a refusal, and with any other error for a failure.
 */
async function takeEffect(
  source: DeliverySource,
  platform: RequestContext | undefined,
  { auth, settings }: HandlerSetup,
  delivery: Delivery,
): Promise<ProcessResult> {
  const received = await readDelivery("webhooks.handler", source, platform, settings);
  delivery.body = received.body;
  const { nonces, stale } = await authenticate(received, auth);
  const refusal = stale ?? (await claimNonces(nonces, delivery.nonces, settings));
  const event = parseEvent(received.body, settings.requiredFields);
  delivery.event = event;
  if (refusal === undefined) return checkAndRun(event, delivery);
  // An authentic redelivery that was not signed anew (docs/assumptions.md, W5), or a replay: it changes nothing.
  if (await isDone(event, delivery)) return "DUPLICATE";
  throw refusal;
}

async function checkAndRun(event: WebhookEvent, delivery: Delivery): Promise<ProcessResult> {
  return runEvent(event, await checkPayout(event, delivery), delivery);
}

/** Takes an event through the steps of a delivery from the check of its amount: nobody waits for a response. */
export async function processEvent(event: WebhookEvent, setup: DeliverySetup): Promise<ProcessResult> {
  const delivery = new Delivery(setup);
  delivery.event = event;
  delivery.limitWork(() => {});
  try {
    return await checkAndRun(event, delivery);
  } finally {
    delivery.stopWorkTimer();
  }
}

/** The response to one delivery, and the calls of `onFailure`. */
class DeliveryResponse {
  readonly #delivery: Delivery;
  readonly #keepAlive: (work: Promise<unknown>) => void;
  #result: DeliveryResult | undefined;
  /** The reason that was reported when the response left before the work had ended. */
  #leftFor: ProcessingReason | undefined;
  #isTimeoutReported = false;

  constructor(delivery: Delivery, { settings, underWay }: HandlerSetup, platform: RequestContext | undefined) {
    this.#delivery = delivery;
    this.#keepAlive = (work) => {
      underWay.add(work);
      keepAlive(work, platform);
    };
    delivery.onUnrecorded = () => {
      // The work was done after the response had left, and the store is away.
      if (delivery.hasLeft && this.#leftFor !== "commitPending") {
        this.#leftFor = "commitPending";
        this.#call("late", delivery.error("commitPending", delivery.commitError));
      }
    };
    // If the response is due first, as it is by default, this timer starts with the response: most never need it.
    if (settings.workTimeout < settings.ackTimeout) this.#limitWork();
  }

  /** Waits for the end of the work, also after the response has left. Never rejects. */
  async watch(work: Promise<ProcessResult>): Promise<void> {
    try {
      this.#result = await work;
    } catch (error) {
      this.#result = this.#resultOf(error);
      this.#report(error);
    }
    this.#delivery.stopWorkTimer();
    await this.#settleNonces(!this.#delivery.hasLeft && (this.#result === "SUCCESS" || this.#result === "DUPLICATE"));
  }

  /** Returns how to respond now. */
  leave(work: Promise<void>): DeliveryResult {
    const { obstacle, commitError } = this.#delivery;
    if (this.#result === undefined) {
      this.#leftFor = obstacle;
      this.#call("failed", this.#delivery.error(obstacle, commitError));
      this.#limitWork();
      this.#keepAlive(Promise.all([work, this.#settleNonces(false)]));
    }
    this.#delivery.leave();
    return this.#result ?? "FAILED";
  }

  #resultOf(error: unknown): DeliveryResult {
    // An unknown status is reported as a refusal and acknowledged as a failure, so that it is seen again.
    if (this.#isRefusal(error)) return error.reason === "unknownStatus" ? "FAILED" : "refused";
    // A DUPLICATE notification asks for nothing, and a redelivery would say the same.
    const asksForNothing = WebhookProcessingError.isInstance(error) && error.reason === "notProcessed";
    return asksForNothing && !this.#delivery.isInApplication ? "DUPLICATE" : "FAILED";
  }

  /** An error that the application throws is a failure, even if it is one of our errors. */
  #isRefusal(error: unknown): error is WebhookAuthError | WebhookPayloadError {
    return (
      (WebhookAuthError.isInstance(error) || WebhookPayloadError.isInstance(error)) && !this.#delivery.isInApplication
    );
  }

  /** Signals the handler to stop, but keeps the claim: releasing it could run the work twice. */
  #limitWork(): void {
    this.#delivery.limitWork((error) => {
      // Work that is done is not in time, but only to be recorded.
      if (this.#delivery.obstacle !== "commitPending") this.#report(error);
    });
  }

  #report(error: unknown): void {
    const reason = WebhookProcessingError.isInstance(error) ? error.reason : "";
    if (reason === "workTimeout") {
      // A late claim and a handler that throws its `signal.reason` end for the same timeout.
      if (this.#isTimeoutReported) return;
      this.#isTimeoutReported = true;
    }
    if (!this.#delivery.hasLeft) this.#call(this.#isRefusal(error) ? "refused" : "failed", error);
    // Our own errors for those two were reported when the response left.
    else if (this.#delivery.isInApplication || (reason !== "inFlight" && reason !== "commitPending"))
      this.#call("late", error);
  }

  /** An exception of the hook is dropped. */
  #call(phase: WebhookFailure["phase"], error: unknown): void {
    const { handlers, event } = this.#delivery;
    addReference(error, this.#delivery);
    const called = (async () => handlers.onFailure?.(error, { event, phase }))();
    this.#keepAlive(called.catch(() => {}));
  }

  async #settleNonces(isUsedUp: boolean): Promise<void> {
    try {
      await settleNonces(this.#delivery.nonces, isUsedUp, this.#delivery.settings.store);
    } catch (error) {
      this.#report(error); // The lease of a nonce runs out by itself.
    }
  }
}

/** A delivery that was refused before it was parsed is searched for its reference. */
function addReference(error: unknown, delivery: Delivery): void {
  if (!WebhookError.isInstance(error) || error.clientReferenceId !== undefined) return;
  const value = findReference(delivery);
  // Not by assignment: the error may be of the application's own check, and frozen.
  if (value !== undefined) Reflect.defineProperty(error, "clientReferenceId", { value, enumerable: true });
}
