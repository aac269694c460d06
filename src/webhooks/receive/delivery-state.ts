import type { WebhookProcessingReason } from "../../errors/webhook.ts";
import type { WebhookEvent } from "../events.ts";
import type { Claim } from "../stores/store.ts";

/** How far a delivery has come, for a response that must leave before its end. */
export interface Progress {
  body?: Uint8Array;
  event?: WebhookEvent;
  readonly nonces: Claim[];
  /** What keeps the delivery from its end at this moment. */
  obstacle: WebhookProcessingReason;
  /** Why the store could not record the work, when it was last asked. */
  commitError?: unknown;
  /** True once code of the application runs on the event: what that throws is a failure, never a refusal. */
  isRunning: boolean;
}

export function startProgress(): Progress {
  return { nonces: [], obstacle: "deadlinePassed", isRunning: false };
}
