import { WebhookAuthError, WebhookError, WebhookPayloadError, WebhookProcessingError } from "../../errors/webhook.ts";
import { type ProcessingReason, processingError } from "../processing-errors.ts";
import type { RequestContext, WebhookHooks } from "../types.ts";
import type { DeliveryResult } from "./acknowledge.ts";
import { type DeliveryContext, type DeliveryState, type HandlerSetup, startDelivery } from "./delivery-context.ts";
import type { ProcessResult } from "./lifecycle.ts";
import { settleNonces } from "./nonces.ts";
import { findReference } from "./references.ts";
import { findWaitUntil, type WaitUntil } from "./wait-until.ts";

/** The handling of one delivery: its result, and the hook that is called with the error. */
export class Delivery {
  readonly context: DeliveryContext;
  readonly #keepAlive: WaitUntil;
  readonly #hooks: Hooks;
  #result: DeliveryResult | undefined;
  #hasResponded = false;
  /** The reason that was reported when the response left before the work had ended. */
  #leftFor: ProcessingReason | undefined;
  #isTimeoutReported = false;

  constructor(setup: HandlerSetup, platform: RequestContext | undefined) {
    this.context = startDelivery(setup, () => this.#onWorkTimeout());
    const waitUntil = findWaitUntil(platform);
    this.#keepAlive = (work) => {
      setup.underWay.add(work);
      waitUntil(work);
    };
    this.#hooks = new Hooks(setup.handlers, this.context.state, this.#keepAlive);
    const { ackTimeout, workTimeout } = setup.settings;
    // If the response is due first, as it is by default, this timer starts with the response: most never need it.
    if (workTimeout < ackTimeout) this.context.workDeadline.start(workTimeout);
  }

  /** Waits for the end of the work, also after the response has left. Never rejects. */
  async follow(work: Promise<ProcessResult>): Promise<void> {
    try {
      this.#result = await work;
    } catch (error) {
      this.#result = this.#resultOf(error);
      this.#report(error);
    }
    this.context.workDeadline.stop();
    const isUsedUp = !this.#hasResponded && (this.#result === "SUCCESS" || this.#result === "DUPLICATE");
    if (this.context.state.nonces.length > 0) await this.#settleNonces(isUsedUp);
  }

  /** Returns how to respond now. */
  resultAtDeadline(work: Promise<void>): DeliveryResult {
    this.context.ackDeadline.stop();
    const result = this.#result ?? this.#leaveUnfinished(work);
    this.#hasResponded = true;
    return result;
  }

  #leaveUnfinished(work: Promise<void>): DeliveryResult {
    const { settings, state, ackDeadline, workDeadline } = this.context;
    this.#leftFor = state.obstacle;
    this.#hooks.onError(processingError(state.obstacle, state.event?.client_referenceId, state.commitError));
    workDeadline.start(settings.workTimeout - ackDeadline.elapsed());
    this.#keepAlive(Promise.all([work, this.#settleNonces(false)]));
    return "FAILED";
  }

  #resultOf(error: unknown): DeliveryResult {
    // An unknown status is reported as a refusal and acknowledged as a failure, so that it is seen again.
    if (this.#isRefusal(error)) return error.reason === "unknownStatus" ? "FAILED" : "refused";
    // A DUPLICATE notification asks for nothing, and a redelivery would say the same.
    const asksForNothing =
      WebhookProcessingError.isInstance(error) && error.reason === "notProcessed" && !this.context.state.isRunning;
    return asksForNothing ? "DUPLICATE" : "FAILED";
  }

  /** An error that the application throws is a failure, even if it is one of our errors. */
  #isRefusal(error: unknown): error is WebhookAuthError | WebhookPayloadError {
    const isRefusal = WebhookAuthError.isInstance(error) || WebhookPayloadError.isInstance(error);
    return isRefusal && !this.context.state.isRunning;
  }

  /** Signals the handler to stop, but keeps the claim: releasing it could run the work twice. */
  #onWorkTimeout(): Error {
    const { obstacle, event, commitError } = this.context.state;
    const error = processingError("workTimeout", event?.client_referenceId);
    if (obstacle !== "commitPending") this.#report(error);
    // The work was done after the response had left, and the store has been away since.
    else if (this.#hasResponded && this.#leftFor !== obstacle)
      this.#hooks.onLateError(processingError(obstacle, event?.client_referenceId, commitError));
    return error;
  }

  #report(error: unknown): void {
    const reason = WebhookProcessingError.isInstance(error) ? error.reason : undefined;
    if (reason === "workTimeout") {
      // A late claim and a handler that throws its `signal.reason` end for the same timeout.
      if (this.#isTimeoutReported) return;
      this.#isTimeoutReported = true;
    }
    if (this.#hasResponded) {
      if (reason === undefined || !reportedAtDeadline.has(reason)) this.#hooks.onLateError(error);
    } else if (this.#isRefusal(error)) {
      this.#hooks.onRefused(error);
    } else {
      this.#hooks.onError(error);
    }
  }

  async #settleNonces(isUsedUp: boolean): Promise<void> {
    try {
      await settleNonces(this.context.state.nonces, isUsedUp, this.context.settings.store);
    } catch (error) {
      this.#report(error); // The lease of a nonce runs out by itself.
    }
  }
}

/** Reasons with which `onError` was called when the response left. */
const reportedAtDeadline: ReadonlySet<string> = new Set(["inFlight", "ackTimeout", "commitPending"]);

/** Calls the hooks that report on one delivery. What they throw changes no response. */
class Hooks {
  readonly #hooks: WebhookHooks;
  readonly #state: DeliveryState;
  readonly #keepAlive: WaitUntil;

  constructor(hooks: WebhookHooks, state: DeliveryState, keepAlive: WaitUntil) {
    this.#hooks = hooks;
    this.#state = state;
    this.#keepAlive = keepAlive;
  }

  onRefused(error: WebhookAuthError | WebhookPayloadError): void {
    this.#call(
      error,
      () => this.#hooks.onRefused?.(error, this.#state.event),
      (thrown) => this.onError(thrown),
    );
  }

  onError(error: unknown): void {
    this.#call(error, () => this.#hooks.onError?.(error, this.#state.event));
  }

  onLateError(error: unknown): void {
    this.#call(error, () => this.#hooks.onLateError?.(error, this.#state.event));
  }

  #call(error: unknown, hook: () => unknown, onThrow: (error: unknown) => void = () => {}): void {
    addReference(error, this.#state);
    this.#keepAlive((async () => hook())().catch(onThrow));
  }
}

/** A delivery that was refused before it was parsed is searched for its reference. */
function addReference(error: unknown, state: DeliveryState): void {
  if (!WebhookError.isInstance(error) || error.clientReferenceId !== undefined) return;
  const value = findReference(state);
  // Not by assignment: the error may be of the application's own check, and frozen.
  if (value !== undefined) Reflect.defineProperty(error, "clientReferenceId", { value, enumerable: true });
}
