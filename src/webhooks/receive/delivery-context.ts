import type { WebhookEvent } from "../events.ts";
import type { ReceiverSettings } from "../options.ts";
import type { ProcessingReason } from "../processing-errors.ts";
import type { Claim } from "../stores/store.ts";
import type { ExpectedPayout, WebhookHandlers } from "../types.ts";
import type { Auth } from "./authenticate.ts";
import type { SearchedDelivery } from "./references.ts";
import type { UnderWay } from "./under-way.ts";

/** The checked arguments of `handler({…})` or `process`. */
export interface DeliverySetup {
  readonly settings: ReceiverSettings;
  readonly expectedPayout: ExpectedPayout | "none";
  readonly handlers: WebhookHandlers;
}

/** The checked arguments of `handler({…})`, and the work of its receiver. */
export interface HandlerSetup extends DeliverySetup {
  readonly auth: Auth;
  readonly underWay: UnderWay;
}

/** Data that the steps of one delivery share: its setup, its two deadlines and its progress. */
export interface DeliveryContext extends DeliverySetup {
  readonly ackDeadline: AckDeadline;
  readonly workDeadline: WorkDeadline;
  readonly state: DeliveryState;
}

/** Progress of a delivery, for a response that must be sent before its end. */
export interface DeliveryState extends SearchedDelivery {
  event?: WebhookEvent;
  readonly nonces: Claim[];
  /** The current reason why the delivery has not ended. */
  obstacle: ProcessingReason;
  /** Why the store could not record the work when it was last asked. */
  commitError?: unknown;
  /** True once code of the application runs on the event: what that throws is a failure, never a refusal. */
  isRunning: boolean;
}

/**
 * Starts the clock of a delivery that has just come.
 *
 * @param onWorkTimeout - Called at `workTimeout`, once the work deadline was started; returns the reason of the abort.
 */
export function startDelivery(setup: DeliverySetup, onWorkTimeout: () => Error): DeliveryContext {
  const { settings, expectedPayout, handlers } = setup;
  return {
    ...{ settings, expectedPayout, handlers },
    ackDeadline: new AckDeadline(settings.ackTimeout),
    workDeadline: new WorkDeadline(onWorkTimeout),
    state: { nonces: [], obstacle: "ackTimeout", isRunning: false },
  };
}

/** When the response to a delivery must leave (docs/assumptions.md, W16). */
class AckDeadline {
  /** Resolves when the response must leave. */
  readonly expired: Promise<void>;
  readonly #timeout: number;
  readonly #startedAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Starts the clock of a delivery that has just come. */
  constructor(timeout: number) {
    this.#timeout = timeout;
    this.expired = new Promise((resolve) => {
      this.#timer = setTimeout(resolve, timeout);
    });
  }

  /** Milliseconds since the delivery came. */
  elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds until the response must leave. */
  remaining(): number {
    return this.#timeout - this.elapsed();
  }

  /** Clears the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** When the work on a delivery must stop: then its `signal` is aborted. */
class WorkDeadline {
  readonly #onTimeout: () => Error;
  /** Made when a handler asks for its signal: few do, and it costs more than the rest of the bookkeeping. */
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onTimeout - Called when the time is up; returns the reason of the abort. */
  constructor(onTimeout: () => Error) {
    this.#onTimeout = onTimeout;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Starts the timer, unless it was started before. The time is up at once if the process was blocked beyond it. */
  start(timeout: number): void {
    this.#timer ??= setTimeout(
      () => {
        const reason = this.#onTimeout();
        this.#controller ??= new AbortController();
        this.#controller.abort(reason);
      },
      Math.max(0, timeout),
    );
  }

  /** Clears the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
