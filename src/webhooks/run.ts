import type { Issue } from "../errors/base.ts";
import { type ClaimTerms, claimPayout, completeClaim } from "./claims.ts";
import type { AcknowledgementStatus, WebhookEvent } from "./events.ts";
import { findWarnings } from "./fields.ts";
import type { Claim } from "./stores/store.ts";
import type { EventContext, EventHandler, WebhookHandlers } from "./types.ts";

/** What running an event needs. */
export interface RunTerms extends ClaimTerms {
  readonly handlers: WebhookHandlers;
  /** Aborted at `workDeadline`. */
  signal(): AbortSignal;
  /** Calls `onConflict`. */
  onConflict(event: WebhookEvent, done: { readonly status: string }): void;
}

/**
 * Claims, runs and commits an event (policy 40), and says how to acknowledge it (policy 41): SUCCESS only once it is
 * committed, DUPLICATE only when it was committed before. Rejects when the handler or the store fails.
 */
export function runEvent(event: WebhookEvent, terms: RunTerms): Promise<AcknowledgementStatus> {
  const { handlers } = terms;
  switch (event.status) {
    case "SUCCESS":
      return runClaimed(event, handlers.SUCCESS, terms);
    case "FAILED":
      return runClaimed(event, handlers.FAILED, terms);
    case "REJECTED":
      return runClaimed(event, handlers.REJECTED ?? handlers.onUnknown, terms);
    case "DUPLICATE":
      return runUnclaimed(event, handlers.DUPLICATE, terms, "DUPLICATE");
    default:
      return runUnclaimed(event, handlers.onUnknown, terms, "FAILED");
  }
}

/** §6.5.1: the first processed status is stored, later ones are ignored. */
async function runClaimed<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event> | undefined,
  terms: RunTerms,
): Promise<AcknowledgementStatus> {
  if (handler === undefined) return "FAILED";
  const result = await claimPayout(event.client_referenceId, event.status, terms);
  if (result.kind === "inFlight") return "FAILED";
  if (result.kind === "done") {
    if (result.firstConflict) terms.onConflict(event, { status: result.status });
    return "DUPLICATE";
  }
  await runOrRelease(event, handler, result.claim, terms);
  await completeClaim(result.claim, terms);
  return "SUCCESS";
}

async function runOrRelease<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event>,
  claim: Claim,
  terms: RunTerms,
): Promise<void> {
  try {
    await handler(event, new Context(event, claim, terms));
  } catch (error) {
    // A claim that cannot be given back now runs out by itself; the handler's error is the one to tell of.
    await terms.store.release(claim).catch(() => {});
    throw error;
  }
}

/** Nothing is recorded for a DUPLICATE or a status that §6.2 does not name. */
async function runUnclaimed<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event> | undefined,
  terms: RunTerms,
  otherwise: AcknowledgementStatus,
): Promise<AcknowledgementStatus> {
  if (handler === undefined) return otherwise;
  await handler(event, new Context(event, undefined, terms));
  return "SUCCESS";
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
