import { WebhookAuthError, WebhookError, WebhookPayloadError, WebhookProcessingError } from "../../errors/webhook.ts";
import type { AcknowledgementStatus, ProcessResult, WebhookEvent } from "../events.ts";
import type { ReceiverSettings } from "../options.ts";
import { type ProcessingReason, processingError } from "../processing-errors.ts";
import type { Claim, StoreEntry, WebhookStore } from "../stores/store.ts";
import type { EventHandler, ExpectedOrder, WebhookHandlers } from "../types.ts";
import { searchReference } from "./parse-event.ts";

/** Outcome of a delivery: one of the three cases of §6.3, or refused because of its authentication or body. */
export type DeliveryResult = AcknowledgementStatus | "refused";

/**
 * One delivery, or one call of `process`: its options, its progress, its deadlines (docs/assumptions.md, W16), and what
 * is reported of it.
 */
export class Delivery {
  readonly settings: ReceiverSettings;
  readonly handlers: WebhookHandlers;
  body?: Uint8Array;
  event?: WebhookEvent;
  /** The key of the event's reference in the store. */
  key = "";
  settled: ExpectedOrder["settled"];
  readonly nonces: Claim[] = [];
  /** The handler of the event's status. */
  handler: EventHandler<WebhookEvent, Claim | undefined> | undefined;
  claim?: Claim;
  /**
   * Records the work under the latest claim. Nothing is recorded of an event without one: a DUPLICATE notification, or a
   * status that §6.2 does not name.
   */
  commit: () => Recording | "recorded" = () => "recorded";
  /** Why the store has not recorded the work. */
  commitError?: unknown;
  /** The entry of a reference that is done: the effect, and the conflicts that were reported. */
  done?: Pick<StoreEntry, "effect" | "conflicts">;
  /** Milliseconds until the nonce or the claim of another delivery is asked for again; 0 before the first wait. */
  pause = 0;
  /** The current reason why the delivery has not ended. */
  obstacle: ProcessingReason = "ackTimeout";
  /** Whether an error comes from `findOrder`, a handler or `onConflict`: it is a failure then, never a refusal. */
  isInApplication = false;
  result?: DeliveryResult;
  hasResponded = false;
  /** The reasons that were reported: a timeout is reported once, and that the store is away as well. */
  readonly #reported: string[] = [];
  #found: { readonly reference: string | undefined } | undefined;
  readonly #keepAlive: ((work: Promise<unknown>) => void) | undefined;
  readonly #startedAt = performance.now();
  #workTimer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;

  /**
   * Starts the clock of a delivery that has just come.
   *
   * @param keepAlive - Has work waited for that outlives the response. Without it, nothing is reported: the caller of
   *   `process` gets the error.
   */
  constructor(settings: ReceiverSettings, handlers: WebhookHandlers, keepAlive?: (work: Promise<unknown>) => void) {
    this.settings = settings;
    this.handlers = handlers;
    this.#keepAlive = keepAlive;
  }

  /** Returns how many milliseconds are left of a limit, which began when the delivery came. */
  remaining(limit: number): number {
    return Math.max(0, this.#startedAt + limit - performance.now());
  }

  /** Aborts its signal when the work must stop. Few handlers ask for it, and it costs more than all else here. */
  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }

  /**
   * Starts the timer of the work, unless it was started before. The time is up at once if the process was blocked
   * beyond it. The handler is signalled to stop, but keeps its claim: releasing it could run the work twice.
   */
  limitWork(): void {
    this.#workTimer ??= setTimeout(() => {
      const error = this.error("workTimeout");
      // Work that is done is not in time, but only to be recorded.
      if (this.obstacle !== "commitPending") this.report(error);
      this.controller.abort(error);
    }, this.remaining(this.settings.workTimeout));
  }

  /** The work has ended, with a result if its event has taken effect, now or before. */
  end(result?: ProcessResult): void {
    clearTimeout(this.#workTimer);
    if (result === undefined) return;
    this.result = result;
    const { event, handlers } = this;
    if (handlers.onAccepted && event) this.#run(() => handlers.onAccepted?.(event, result));
  }

  /** The work outlives its response. */
  outliveResponse(work: Promise<unknown>): void {
    this.report(this.error(this.obstacle, this.commitError));
    this.limitWork();
    this.#keepAlive?.(work);
  }

  error(reason: ProcessingReason, cause?: unknown): WebhookProcessingError {
    return processingError(reason, this.event?.client_referenceId, cause);
  }

  /** An error that the application throws is a failure, even if it is one of our errors. */
  isRefusal(error: unknown): error is WebhookAuthError | WebhookPayloadError {
    return (WebhookAuthError.isInstance(error) || WebhookPayloadError.isInstance(error)) && !this.isInApplication;
  }

  /** Reports an error to `onFailure`, unless that was done when the response left. */
  report(error: unknown): void {
    const reason = reasonOf(error);
    // A late claim and a handler that throws its `signal.reason` end for the same timeout.
    if (reason === "workTimeout" && this.#reported.includes(reason)) return;
    const isKnown = this.hasResponded && !this.isInApplication && (reason === "inFlight" || reason === "commitPending");
    if (!isKnown) this.#call(error);
  }

  /** Reports that the store is away, if the work was done after the response had left. */
  reportUnrecorded(): void {
    if (!this.hasResponded || this.#reported.includes("commitPending")) return;
    this.#call(this.error("commitPending", this.commitError));
  }

  #call(error: unknown): void {
    this.#reported.push(reasonOf(error));
    const { handlers, event, hasResponded } = this;
    const phase = hasResponded ? "late" : this.isRefusal(error) ? "refused" : "failed";
    this.#run(() => handlers.onFailure?.(withReference(error, this.reference()), { event, phase }));
  }

  /** Runs a hook that is not awaited. Its exception is dropped. */
  #run(hook: () => unknown): void {
    this.#keepAlive?.((async () => hook())().catch(() => {}));
  }

  /** Returns the reference, for which the body of a delivery that was refused before it was parsed is searched once. */
  reference(): string | undefined {
    if (this.event !== undefined) return this.event.client_referenceId;
    if (this.body !== undefined) this.#found ??= { reference: searchReference(this.body) };
    return this.#found?.reference;
  }
}

/** Returns our error with the reference of its delivery: a copy, because the application may throw one error again. */
function withReference(error: unknown, clientReferenceId: string | undefined): unknown {
  if (!WebhookError.isInstance(error) || (error.clientReferenceId ?? clientReferenceId) === error.clientReferenceId) {
    return error;
  }
  const { message, cause, kind, stack } = error;
  const copy = new WebhookError(kind, { ...error, message, cause, clientReferenceId });
  return Object.assign(Object.setPrototypeOf(copy, Object.getPrototypeOf(error)), { stack });
}

function reasonOf(error: unknown): string {
  return WebhookProcessingError.isInstance(error) ? error.reason : "";
}

/**
 * Work that this process has done and that the store has not recorded: it must not run again here. It is data, and no
 * promise of its delivery: where a request ends with its promises, as on Workers, the redelivery records it.
 */
export interface DoneWork {
  /** The claim under which it is recorded: a newer one if another delivery of this process took it over. */
  claim: Claim;
  /** Whether the store has said that the claim was lost to another, which may do the work again. */
  isLost: boolean;
}

const doneWork = new WeakMap<WebhookStore, Map<string, DoneWork>>();

/** The work of this process that a store has not recorded, by key. */
export function doneWorkOf(store: WebhookStore): Map<string, DoneWork> {
  const works = doneWork.get(store) ?? new Map<string, DoneWork>();
  doneWork.set(store, works);
  return works;
}

type Recording = Promise<"recorded" | "unrecorded">;

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
export const storeTimeout = 5_000;

/**
 * Returns a function that asks the store once to record work, and pauses if it fails or does not respond. It rejects with
 * a WebhookProcessingError if the claim was lost to another. From its first call, the work does not run again here.
 */
export function commitOf(delivery: Delivery, work: DoneWork): () => Recording {
  const { store } = delivery.settings;
  const works = doneWorkOf(store);
  // The response to an earlier attempt counts as well.
  const { promise: response, resolve } = Promise.withResolvers<boolean>();
  let pause = 0;
  const complete = async (claim: Claim): Promise<undefined> => {
    try {
      const isRecorded = (await store.complete(claim)) === true;
      // Lost under an older claim, the work is that of another delivery, which has taken it over.
      if (isRecorded || claim === work.claim) resolve(isRecorded);
    } catch (error) {
      delivery.commitError = error;
    }
    return undefined; // Nobody knows: `response` was first if there is one.
  };
  return async () => {
    if (pause === 0) {
      work.isLost = false;
      works.set(work.claim.key, work);
    }
    pause = Math.min(2 * pause || 50, 30_000);
    delivery.obstacle = "commitPending";
    let isRecorded = await within(storeTimeout, response, complete(work.claim));
    if (isRecorded === undefined) {
      delivery.reportUnrecorded();
      isRecorded = await within(pause, response);
    }
    if (isRecorded === undefined) return "unrecorded";
    work.isLost = !isRecorded;
    if (work.isLost) throw delivery.error("claimLost");
    works.delete(work.claim.key);
    return "recorded";
  };
}

/** Waits for the first of some promises; undefined after a number of milliseconds, and if it rejects. */
export function within<T>(duration: number, ...promises: readonly Promise<T | undefined>[]): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const timer = setTimeout(resolve, duration, undefined);
  const end = (value?: T) => {
    clearTimeout(timer);
    resolve(value);
  };
  // Not Promise.race(): it makes another promise of each.
  for (const waited of promises) waited.then(end, () => end());
  return promise;
}
