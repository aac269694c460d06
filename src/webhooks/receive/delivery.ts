import type { WebhookProcessingError } from "../../errors/webhook.ts";
import type { WebhookEvent } from "../events.ts";
import type { ReceiverSettings } from "../options.ts";
import { type ProcessingReason, processingError } from "../processing-errors.ts";
import type { Claim } from "../stores/store.ts";
import type { FindOrder, WebhookHandlers } from "../types.ts";
import type { Auth } from "./authenticate.ts";
import type { SearchedDelivery } from "./references.ts";
import type { UnderWay } from "./under-way.ts";

/** The checked arguments of `handler({…})` or `process`. */
export interface DeliverySetup {
  readonly settings: ReceiverSettings;
  readonly findOrder: FindOrder | "none";
  readonly handlers: WebhookHandlers;
}

/** The checked arguments of `handler({…})`, and the work of its receiver. */
export interface HandlerSetup extends DeliverySetup {
  readonly auth: Auth;
  readonly underWay: UnderWay;
}

/** One delivery: its setup, its progress and its two deadlines (docs/assumptions.md, W16). */
export class Delivery implements DeliverySetup, SearchedDelivery {
  readonly settings: ReceiverSettings;
  readonly findOrder: FindOrder | "none";
  readonly handlers: WebhookHandlers;
  body?: Uint8Array;
  event?: WebhookEvent;
  readonly nonces: Claim[] = [];
  /** The current reason why the delivery has not ended. */
  obstacle: ProcessingReason = "ackTimeout";
  /** The error with which the store last failed to record the work. */
  commitError?: unknown;
  /** Whether an error comes from `findOrder`, a handler or `onConflict`: it is a failure then, never a refusal. */
  isInApplication = false;
  /** Whether the response has left. */
  hasLeft = false;
  /** Called when an attempt to record the work has failed. */
  onUnrecorded?: () => void;
  readonly #startedAt = performance.now();
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #workTimer: ReturnType<typeof setTimeout> | undefined;
  /** Made when a handler asks for its signal: few do, and it costs more than the rest of the bookkeeping. */
  #controller: AbortController | undefined;

  /** Starts the clock of a delivery that has just come. */
  constructor({ settings, findOrder, handlers }: DeliverySetup) {
    this.settings = settings;
    this.findOrder = findOrder;
    this.handlers = handlers;
  }

  /** Resolves when the response must leave. */
  isDue(): Promise<void> {
    return new Promise((resolve) => {
      this.#ackTimer = setTimeout(resolve, this.remaining());
    });
  }

  /** Milliseconds since the delivery came. */
  elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds until the response must leave. */
  remaining(): number {
    return this.settings.ackTimeout - this.elapsed();
  }

  /** Aborted when the work must stop. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * Starts the timer of the work, unless it was started before. The time is up at once if the process was blocked
   * beyond it.
   *
   * @param onTimeout - Called with the error of the abort.
   */
  limitWork(onTimeout: (error: WebhookProcessingError) => void): void {
    const end = () => {
      const error = this.error("workTimeout");
      onTimeout(error);
      this.#controller ??= new AbortController();
      this.#controller.abort(error);
    };
    this.#workTimer ??= setTimeout(end, Math.max(0, this.settings.workTimeout - this.elapsed()));
  }

  /** The response leaves now. */
  leave(): void {
    this.hasLeft = true;
    clearTimeout(this.#ackTimer);
  }

  /** The work has ended. */
  stopWorkTimer(): void {
    clearTimeout(this.#workTimer);
  }

  /** Returns the error of this delivery, with its reference. */
  error(reason: ProcessingReason, cause?: unknown): WebhookProcessingError {
    return processingError(reason, this.event?.client_referenceId, cause);
  }
}
