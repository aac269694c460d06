import type { WebhookProcessingReason } from "../../errors/webhook.ts";
import type { WebhookEvent } from "../events.ts";
import type { Settings } from "../options.ts";
import type { Claim } from "../stores/store.ts";
import type { ExpectedPayout, WebhookHandlers } from "../types.ts";
import { AckDeadline, WorkDeadline } from "./deadlines.ts";

/** The checked arguments of `handler({…})` or `process`. */
export interface DeliverySetup {
  readonly settings: Settings;
  readonly expectedPayout: ExpectedPayout | "none";
  readonly handlers: WebhookHandlers;
}

/** Data that the steps of one delivery share. */
export interface DeliveryContext extends DeliverySetup {
  readonly ackDeadline: AckDeadline;
  readonly workDeadline: WorkDeadline;
  readonly state: DeliveryState;
}

/** Progress of a delivery, for a response that must be sent before its end. */
export interface DeliveryState {
  body?: Uint8Array;
  event?: WebhookEvent;
  readonly nonces: Claim[];
  /** The current reason why the delivery has not ended. */
  obstacle: WebhookProcessingReason;
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
