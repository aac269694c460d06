import type { Issue } from "../../errors/base.ts";
import { WebhookPayloadError } from "../../errors/webhook.ts";
import { type ClaimTerms, claimPayout, completeClaim } from "../claims.ts";
import type { PayoutDuplicate, PayoutFailed, PayoutRejected, PayoutSucceeded, WebhookEvent } from "../events.ts";
import type { Claim } from "../stores/store.ts";
import type { EventContext, EventHandler, ExpectedOrder, WebhookHandlers } from "../types.ts";
import { findWarnings } from "./event-fields.ts";
import { withKnownWork } from "./known-work.ts";
import { processingError } from "./processing-errors.ts";
import { payoutKey } from "./references.ts";

/** What running an event needs. */
export interface RunTerms extends ClaimTerms {
  readonly handlers: WebhookHandlers;
  /** Aborted at `workDeadline`. */
  signal(): AbortSignal;
}

/** How an event was processed: its handler ran and the claim is committed, or that was so before. */
export type Processed = "SUCCESS" | "DUPLICATE";

/** Whether the order is done, as `expectedPayout` says. */
export type Settled = ExpectedOrder["settled"];

/**
 * Claims, runs and commits an event, and says how to acknowledge it (docs/assumptions.md, W13): SUCCESS only once it is
 * committed, DUPLICATE only when it was committed before. Rejects when a handler, `onConflict` or the store fails.
 */
export function runEvent(event: WebhookEvent, settled: Settled, terms: RunTerms): Promise<Processed> {
  const { handlers } = terms;
  switch (event.status) {
    case "SUCCESS":
      return runOnce(event, handlers.SUCCESS, settled, terms);
    case "FAILED":
      return runOnce(event, handlers.FAILED, settled, terms);
    case "REJECTED":
      return runOnce(event, handlers.REJECTED, settled, terms);
    case "DUPLICATE":
      return handlers.DUPLICATE
        ? runUnclaimed(event, handlers.DUPLICATE, terms)
        : acknowledgeDuplicate(event, settled, terms);
    default:
      return handlers.onUnknown ? runUnclaimed(event, handlers.onUnknown, terms) : Promise.reject(unknownStatus(event));
  }
}

/** §6.5.1: the first processed status is stored, later ones are ignored. */
async function runOnce<Event extends PayoutSucceeded | PayoutFailed | PayoutRejected>(
  event: Event,
  handler: EventHandler<Event>,
  settled: Settled,
  terms: RunTerms,
): Promise<Processed> {
  const key = await payoutKey(event.client_referenceId);
  if (settled) return acknowledgeSettled(event, key, settled, terms);
  return withKnownWork(terms.store, key, async (work) => {
    const result = await claimPayout(event, key, work, terms);
    if (result.kind === "done") {
      return acknowledgeDone(event, key, result.newConflict ? result.status : undefined, terms);
    }
    await runOrRelease(event, handler, result.claim, terms);
    await completeClaim(result.claim, event, work, terms);
    return "SUCCESS";
  });
}

/** The order is done: whatever the store still knows, nothing runs. It may know of a status that was told already. */
async function acknowledgeSettled(
  event: WebhookEvent,
  key: string,
  settled: Settled,
  terms: RunTerms,
): Promise<Processed> {
  const entry = await terms.store.find(key);
  const first = entry?.state === "done" ? entry.status : settled;
  const isConflict = typeof first === "string" && first !== event.status && !entry?.conflicts.includes(event.status);
  return acknowledgeDone(event, key, isConflict ? first : undefined, terms);
}

/**
 * The status that was done first stays. A conflict is recorded only after `onConflict` has returned: when it throws, or
 * the process dies, the next delivery calls it again.
 */
async function acknowledgeDone(
  event: WebhookEvent,
  key: string,
  conflictsWith: string | undefined,
  { handlers, store, progress }: RunTerms,
): Promise<Processed> {
  if (conflictsWith !== undefined) {
    progress.isRunning = true;
    await handlers.onConflict?.(event, { status: conflictsWith });
    await store.recordConflict(key, event.status);
  }
  return "DUPLICATE";
}

async function runOrRelease<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event>,
  claim: Claim,
  terms: RunTerms,
): Promise<void> {
  try {
    terms.progress.isRunning = true;
    await handler(event, new Context(event, claim, terms));
  } catch (error) {
    // A claim that cannot be given back now runs out by itself; the handler's error is the one to report.
    await terms.store.release(claim).catch(() => {});
    throw error;
  }
}

/**
 * The service says that the payout was processed earlier. If it has not taken effect here, its own notification may be
 * lost, and somebody must be told (docs/assumptions.md, W21).
 */
async function acknowledgeDuplicate(event: PayoutDuplicate, settled: Settled, { store }: RunTerms): Promise<Processed> {
  if (settled) return "DUPLICATE";
  const entry = await store.find(await payoutKey(event.client_referenceId));
  if (entry?.state === "done") return "DUPLICATE";
  throw processingError("notProcessed", event.client_referenceId);
}

/** Nothing is recorded for a DUPLICATE or a status that §6.2 does not name. */
async function runUnclaimed<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event>,
  terms: RunTerms,
): Promise<Processed> {
  terms.progress.isRunning = true;
  await handler(event, new Context(event, undefined, terms));
  return "SUCCESS";
}

function unknownStatus({ client_referenceId }: WebhookEvent): WebhookPayloadError {
  return new WebhookPayloadError({
    reason: "unknownStatus",
    message: "The event has a status that this version does not know. Handle it in `onUnknown`.",
    clientReferenceId: client_referenceId,
  });
}

/** A class, because most handlers ask for neither `signal` nor `warnings`, and getters of a class cost nothing to make. */
class Context implements EventContext {
  readonly claim: Claim | undefined;
  readonly #event: WebhookEvent;
  readonly #terms: RunTerms;

  constructor(event: WebhookEvent, claim: Claim | undefined, terms: RunTerms) {
    this.claim = claim;
    this.#event = event;
    this.#terms = terms;
  }

  get signal(): AbortSignal {
    return this.#terms.signal();
  }

  get warnings(): readonly Issue[] {
    return findWarnings({ ...this.#event });
  }
}
