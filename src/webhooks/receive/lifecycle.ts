import { ConfigurationError } from "../../errors/request.ts";
import { WebhookPayloadError } from "../../errors/webhook.ts";
import { isString } from "../../shared/json.ts";
import { sleep } from "../../shared/promises.ts";
import { isPayoutStatus, type ProcessResult, type WebhookEvent } from "../events.ts";
import { type Ending, effectOf, isKnownTo, payoutKey, readEffect, transactionsOf } from "../stores/record.ts";
import type { Claim, ClaimResult } from "../stores/store.ts";
import type { EventContext, EventHandler } from "../types.ts";
import { checkOrder } from "./check-order.ts";
import { commitOf, type Delivery, doneWorkOf, storeTimeout, within } from "./delivery.ts";
import { findWarnings } from "./parse-event.ts";

/**
 * The life of an authentic event (docs/assumptions.md, W13). In each state it takes the step of that name in
 * {@link Steps}; what the step comes to leads to the next state, or to the end. `threw` is a step that rejected: unless
 * the row says more, the event has failed, and rejects with the first error. Tests explore all that claims
 * (docs/stores.md).
 */
export const lifecycle = {
  starting: { payout: "claiming", known: "finding", other: "running" },
  /** A SUCCESS, FAILED or REJECTED event: the first of a reference takes effect, later ones are ignored (§6.5.1). */
  claiming: {
    claimed: "running",
    inFlight: "claiming",
    doneHere: "recovering",
    done: "DUPLICATE",
    contradicted: "reporting",
    threw: "releasing",
  },
  running: { returned: "committing", committed: "SUCCESS", threw: "releasing" },
  committing: { recorded: "SUCCESS", unrecorded: "committing" },
  releasing: { returned: "failed" },
  /** Work that another delivery of this process has done under a claim that is this one's now. */
  recovering: { recorded: "claiming", unrecorded: "recovering" },
  /** An event of a settled order, or a DUPLICATE notification without a handler. */
  finding: { done: "DUPLICATE", contradicted: "reporting" },
  /** An event that contradicts what took effect, which stays: a hook is called, and then the store notes it. */
  reporting: { returned: "DUPLICATE" },
} as const satisfies Record<string, Record<string, string>>;

type State = keyof typeof lifecycle;
type Next = State | ProcessResult | "failed";

type Result<S extends State> = Exclude<keyof (typeof lifecycle)[S], "threw">;

/** The step of each state, which returns what it came to. */
type Steps = {
  readonly [S in State]: (delivery: Delivery, event: WebhookEvent) => Result<S> | Promise<Result<S>>;
};

/**
 * Takes an event through the check of its order and its life, and returns how to acknowledge it: SUCCESS once its work
 * is done, and committed if it was claimed, DUPLICATE if it was done before. Rejects if a handler, `onConflict` or the
 * store fails.
 */
export async function runEvent(event: WebhookEvent, delivery: Delivery): Promise<ProcessResult> {
  const { findOrder } = delivery.settings;
  if (findOrder !== "none") {
    delivery.isInApplication = true;
    const found = findOrder(event.client_referenceId, event);
    const order = typeof found === "object" ? await found : found;
    delivery.isInApplication = false;
    delivery.settled = checkOrder(event, order);
  }
  const key = payoutKey(event.client_referenceId);
  delivery.key = isString(key) ? key : await key;
  let thrown: { readonly error: unknown } | undefined;
  for (let state: State = "starting"; ; ) {
    let result: string;
    try {
      const taken = steps[state](delivery, event);
      result = isString(taken) ? taken : await taken;
    } catch (error) {
      thrown ??= { error };
      result = "threw";
    }
    const next: Next | undefined = (lifecycle[state] as Readonly<Record<string, Next>>)[result];
    if (next === "SUCCESS" || next === "DUPLICATE") return next;
    if (next === "failed" || next === undefined) throw thrown?.error;
    state = next;
  }
}

const steps: Steps = {
  starting(delivery, event) {
    const { handlers, settled } = delivery;
    const isNotification = event.status === "DUPLICATE";
    const handler = isPayoutStatus(event.status) ? handlers[event.status] : handlers.onUnknown;
    // Each takes the events of its status: the border that the cast crosses.
    delivery.handler = handler as EventHandler<WebhookEvent, Claim | undefined> | undefined;
    if (handler === undefined && !isNotification) {
      const message = "The event has a status that this version does not know. Handle it in `onUnknown`.";
      const clientReferenceId = event.client_referenceId;
      throw new WebhookPayloadError({ reason: "unknownStatus", message, clientReferenceId });
    }
    const isKnown = isPayoutStatus(event.status);
    if (handler === undefined || (isKnown && settled)) return "known";
    return isKnown && !isNotification ? "payout" : "other";
  },

  /**
   * Asks for the claim. If another delivery has it, its end is waited for, or the deadline: a delivery in progress does
   * not make this one a duplicate, because it may still fail. Only the store and its lease say whether one is in
   * progress: the promise of another delivery may never end.
   */
  async claiming(delivery, event) {
    const { store, claimLease, workTimeout } = delivery.settings;
    const { key } = delivery;
    const works = doneWorkOf(store);
    /** Whether work is done here that is still to be recorded, under a claim that is not known to be lost. */
    const isUnrecorded = () => works.get(key)?.isLost === false;
    let result: ClaimResult;
    try {
      result = await store.claim(key, { effect: effectOf(event), lease: claimLease });
    } catch (error) {
      throw isUnrecorded() ? delivery.error("commitPending", error) : error;
    }
    if (result.kind === "done") {
      works.delete(key);
      return compare(event, result, delivery);
    }
    const work = works.get(key);
    const [claim, isTakenOver] = result.kind === "claimed" ? [result.claim, result.takenOver] : [];
    // A store may be the application's own: the claim that it grants is checked before anything runs.
    if (result.kind !== "inFlight" && !(typeof claim?.key === "string" && /^\d+$/.test(claim.token))) {
      throw new ConfigurationError(
        "Webhooks: `claim` of the store resolved with no ClaimResult. Test the store with storeSuite().",
      );
    }
    // A response that came late, with a token older than that of work done here: this claim is lost.
    if (claim === undefined || (work && BigInt(claim.token) < BigInt(work.claim.token))) {
      await waitForOther(delivery, isUnrecorded() ? "commitPending" : "inFlight");
      return "inFlight";
    }
    delivery.commit = commitOf(delivery, work ?? { claim, isLost: false });
    // Done by this process, and recorded by nobody: it does not run again, even if its claim was lost meanwhile.
    if (work !== undefined) {
      work.claim = { ...claim, effect: work.claim.effect };
      return "doneHere";
    }
    delivery.claim = claim;
    if (delivery.remaining(workTimeout) === 0) throw delivery.error("workTimeout");
    // A claim that came after a wait means that the other delivery failed, unless its process died.
    if (delivery.pause > 0 && !isTakenOver) throw delivery.error("inFlight");
    delivery.obstacle = "ackTimeout";
    return "claimed";
  },

  /** Waits for the transactions that the handler began, too: one that failed fails it, also if it caught the error. */
  async running(delivery, event) {
    const { claim, handler } = delivery;
    // Getters: most handlers ask for neither `signal` nor `warnings`.
    const context: EventContext<Claim | undefined> = {
      claim,
      get signal() {
        return delivery.controller.signal;
      },
      get warnings() {
        return findWarnings({ ...event });
      },
    };
    delivery.isInApplication = true;
    const [running, name] = transactionsOf(claim);
    const endings: Ending[] = [];
    running.set(name, endings);
    try {
      await handler?.(event, context);
      for (const ending of endings) await ending();
    } finally {
      running.delete(name);
    }
    return endings.length > 0 ? "committed" : "returned";
  },

  /** If the store fails or hangs, the claim expires. */
  async releasing({ claim, settings }): Promise<"returned"> {
    if (claim !== undefined) await within(storeTimeout, settings.store.release(claim));
    return "returned";
  },

  /** To give up would do the work twice. Keeps the process alive meanwhile. */
  committing: (delivery) => delivery.commit(),
  recovering: (delivery) => delivery.commit(),

  async finding(delivery, event) {
    const { settled, settings } = delivery;
    const isNotification = event.status === "DUPLICATE";
    if (isNotification && settled) return "done";
    // The store may know conflicts that were reported already.
    const entry = await settings.store.find(delivery.key);
    if (entry?.state === "done") return isNotification ? "done" : compare(event, entry, delivery);
    // The payout's own notification may be lost, and somebody must know (docs/assumptions.md, W21).
    if (isNotification) throw delivery.error("notProcessed");
    return typeof settled === "string" && settled !== event.status ? "contradicted" : "done";
  },

  /** The conflict is recorded only afterwards: if a hook throws, or the process dies, the next delivery calls it again. */
  async reporting(delivery, event): Promise<"returned"> {
    const { onConflict, onFailure } = delivery.handlers;
    // Without a hook nothing is recorded: a later receiver that has one still reports the conflict.
    if (onConflict === undefined && onFailure === undefined) return "returned";
    delivery.isInApplication = true;
    const phase = delivery.hasResponded ? "late" : "failed";
    await (onConflict
      ? onConflict(event, readEffect(delivery.done?.effect ?? `status=${delivery.settled}`))
      : onFailure?.(delivery.error("conflict"), { event, phase }));
    await delivery.settings.store.recordConflict(delivery.key, effectOf(event));
    return "returned";
  },
};

export async function waitForOther(delivery: Delivery, obstacle: "commitPending" | "inFlight"): Promise<void> {
  delivery.obstacle = obstacle;
  const remaining = delivery.remaining(delivery.settings.ackTimeout);
  if (remaining === 0) throw delivery.error(obstacle, delivery.commitError);
  delivery.pause = Math.min((delivery.pause || 10) * 2, 250);
  await sleep(Math.min(delivery.pause, remaining));
}

function compare(event: WebhookEvent, done: NonNullable<Delivery["done"]>, delivery: Delivery) {
  delivery.done = done;
  return isKnownTo(done, effectOf(event)) ? "done" : "contradicted";
}
