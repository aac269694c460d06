import { WebhookAuthError, WebhookPayloadError, WebhookProcessingError } from "../../errors/webhook.ts";
import { Hooks } from "../hooks.ts";
import { settleNonces } from "../nonces.ts";
import type { Settings } from "../options.ts";
import type { RequestContext, WebhookAnswer, WebhookHandlers, WebhooksOptions } from "../types.ts";
import { Deadline } from "./ack-deadline.ts";
import type { Auth } from "./authenticate.ts";
import { type Progress, startProgress } from "./delivery-state.ts";
import { type PipelineTerms, runPipeline } from "./pipeline.ts";
import { processingError } from "./processing-errors.ts";
import type { DeliverySource } from "./read-delivery.ts";
import { type Answered, answer } from "./respond.ts";
import { findWaitUntil } from "./wait-until.ts";
import { WorkSignal } from "./work-signal.ts";

/** What `handler({…})` has established once for all deliveries. */
export interface ReceiverSetup {
  readonly settings: Settings;
  readonly auth: Auth;
  readonly expectedPayout: NonNullable<WebhooksOptions["expectedPayout"]>;
  readonly handlers: WebhookHandlers;
}

/**
 * Responds to one delivery, within `ackDeadline` whatever happens: slow bodies, handlers and stores included
 * (docs/assumptions.md, W16). Work that is not done by then runs on. Never rejects.
 */
export async function receive(
  source: DeliverySource,
  context: RequestContext | undefined,
  setup: ReceiverSetup,
): Promise<WebhookAnswer> {
  const delivery = new Delivery(context, setup);
  const work = delivery.work(source);
  await Promise.race([work, delivery.deadline.expired]);
  return answer(delivery.conclude(work), delivery.progress, delivery.deadline, setup.settings);
}

class Delivery {
  readonly deadline: Deadline;
  readonly progress: Progress = startProgress();
  readonly #terms: PipelineTerms;
  readonly #hooks: Hooks;
  readonly #signal: WorkSignal;
  readonly #context: RequestContext | undefined;
  #result: Answered | undefined;
  #isConcluded = false;

  constructor(context: RequestContext | undefined, { settings, auth, expectedPayout, handlers }: ReceiverSetup) {
    const { store, claimLease, workDeadline, ackDeadline } = settings;
    this.#context = context;
    this.deadline = new Deadline(ackDeadline);
    this.#hooks = new Hooks(handlers, this.progress, (work) => this.#keepAlive(work));
    this.#signal = new WorkSignal(() => this.#stopWork());
    // If the response is due first, as it is by default, this timer starts with the response: most never need it.
    if (workDeadline < ackDeadline) this.#signal.abortAfter(workDeadline);
    this.#terms = {
      ...{ settings, auth, expectedPayout, handlers, store, claimLease, workDeadline },
      deadline: this.deadline,
      progress: this.progress,
      signal: () => this.#signal.signal,
    };
  }

  /** Runs the steps to their end, also after the response has left. Never rejects. */
  async work(source: DeliverySource): Promise<void> {
    try {
      this.#result = await runPipeline(source, this.#context, this.#terms);
    } catch (error) {
      this.#result = this.#answerTo(error);
      this.#report(error);
    }
    this.#signal.stop();
    const isUsedUp = !this.#isConcluded && (this.#result === "SUCCESS" || this.#result === "DUPLICATE");
    if (this.progress.nonces.length > 0) await this.#settleNonces(isUsedUp);
  }

  /** Returns how to respond now. */
  conclude(work: Promise<void>): Answered {
    this.deadline.stop();
    const result = this.#result ?? this.#concludeUnfinished(work);
    this.#isConcluded = true;
    return result;
  }

  #concludeUnfinished(work: Promise<void>): Answered {
    const { obstacle, event, commitError } = this.progress;
    this.#hooks.onError(processingError(obstacle, event?.client_referenceId, commitError));
    this.#signal.abortAfter(this.#terms.workDeadline - this.deadline.elapsed());
    this.#keepAlive(Promise.all([work, this.#settleNonces(false)]));
    return "FAILED";
  }

  #answerTo(error: unknown): Answered {
    // An unknown status is reported as a refusal and acknowledged as a failure, so that it is seen again.
    if (this.#isRefusal(error)) return error.reason === "unknownStatus" ? "FAILED" : "refused";
    // A DUPLICATE notification asks for nothing, and a redelivery would say the same.
    const asksForNothing =
      WebhookProcessingError.isInstance(error) && error.reason === "notProcessed" && !this.progress.isRunning;
    return asksForNothing ? "DUPLICATE" : "FAILED";
  }

  /** What the application throws is a failure, even if it is one of our errors. */
  #isRefusal(error: unknown): error is WebhookAuthError | WebhookPayloadError {
    const isRefusal = WebhookAuthError.isInstance(error) || WebhookPayloadError.isInstance(error);
    return isRefusal && !this.progress.isRunning;
  }

  /** The work is told to stop, not cut off: were its claim given back, it might be done twice. */
  #stopWork(): Error {
    const error = processingError("workDeadlinePassed", this.progress.event?.client_referenceId);
    if (this.progress.obstacle !== "commitPending") this.#report(error);
    return error;
  }

  #report(error: unknown): void {
    if (this.#isConcluded) {
      const isKnown = WebhookProcessingError.isInstance(error) && reportedAtDeadline.has(error.reason);
      if (!isKnown) this.#hooks.onLateError(error);
    } else if (this.#isRefusal(error)) {
      this.#hooks.onRefused(error);
    } else {
      this.#hooks.onError(error);
    }
  }

  async #settleNonces(isUsedUp: boolean): Promise<void> {
    try {
      await settleNonces(this.progress.nonces, isUsedUp, this.#terms.store);
    } catch (error) {
      this.#report(error); // The lease of a nonce runs out by itself.
    }
  }

  #keepAlive(work: Promise<unknown>): void {
    findWaitUntil(this.#context)(work);
  }
}

/** Of these, `onError` was called when the response left. */
const reportedAtDeadline: ReadonlySet<string> = new Set(["inFlight", "deadlinePassed", "commitPending"]);
