import type { WebhookEvent } from "../events.ts";
import type { Settings } from "../options.ts";
import type { WebhookHandlers, WebhooksOptions } from "../types.ts";
import { Deadline } from "./ack-deadline.ts";
import { checkPayout } from "./check-amount.ts";
import { startProgress } from "./delivery-state.ts";
import { processingError } from "./processing-errors.ts";
import { type Processed, runEvent } from "./run-handler.ts";
import { WorkSignal } from "./work-signal.ts";

/** What processing an event needs that did not come as a delivery. */
export interface ProcessSetup {
  readonly settings: Settings;
  readonly expectedPayout: NonNullable<WebhooksOptions["expectedPayout"]>;
  readonly handlers: WebhookHandlers;
}

/** Takes an event along the road of a delivery from the check of its amount: nobody waits for a response. */
export async function processEvent(event: WebhookEvent, setup: ProcessSetup): Promise<Processed> {
  const { settings, expectedPayout, handlers } = setup;
  const { store, claimLease, workDeadline, ackDeadline } = settings;
  const deadline = new Deadline(ackDeadline);
  const work = new WorkSignal(() => processingError("workDeadlinePassed", event.client_referenceId));
  work.abortAfter(workDeadline);
  try {
    const settled = await checkPayout(event, expectedPayout);
    return await runEvent(event, settled, {
      ...{ store, claimLease, workDeadline, deadline, handlers },
      progress: startProgress(),
      signal: () => work.signal,
    });
  } finally {
    deadline.stop();
    work.stop();
  }
}
