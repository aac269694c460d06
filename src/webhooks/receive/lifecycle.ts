import { ConfigurationError } from "../../errors/request.ts";
import { WebhookPayloadError } from "../../errors/webhook.ts";
import { sleep } from "../../shared/promises.ts";
import { contradicts, effectOf, readEffect } from "../effect.ts";
import { isPayoutStatus, type WebhookEvent } from "../events.ts";
import { payoutKey } from "../stores/keys.ts";
import type { Claim, ClaimResult, StoreEntry, WebhookStore } from "../stores/store.ts";
import type { EventContext, EventHandler, ExpectedOrder } from "../types.ts";
import type { Delivery } from "./delivery.ts";
import { findWarnings } from "./parse-event.ts";

/** Result of processing an event: its handler ran and the claim is committed, or that was the case before. */
export type ProcessResult = "SUCCESS" | "DUPLICATE";

/** Whether the order is done, as `findOrder` says. */
export type Settled = ExpectedOrder["settled"];

/**
 * The life of an authentic event (docs/assumptions.md, W13). In each state it takes the step of that name in
 * {@link Steps}; what the step comes to leads to the next state, or to the end. `threw` is a step that rejected: unless
 * the row says more, the event has failed, and rejects with the first error. Tests explore all that claims
 * (docs/stores.md).
 */
export const lifecycle = {
  /** A SUCCESS, FAILED or REJECTED event: the first of a reference takes effect, later ones are ignored (§6.5.1). */
  claiming: {
    claimed: "running",
    inFlight: "claiming",
    doneHere: "recovering",
    done: "DUPLICATE",
    contradicted: "reporting",
    threw: "releasing",
  },
  running: { returned: "committing", threw: "releasing" },
  committing: { recorded: "SUCCESS", unrecorded: "committing" },
  releasing: { returned: "failed" },
  /** Work that another delivery of this process has done under a claim that is this one's now. */
  recovering: { recorded: "claiming", unrecorded: "recovering" },
  /** An event of a settled order, or a DUPLICATE notification without a handler. */
  finding: { done: "DUPLICATE", contradicted: "reporting" },
  /** An event that contradicts what took effect, which stays: a hook is called, and then the store notes it. */
  reporting: { returned: "noting" },
  noting: { returned: "DUPLICATE" },
  /** A DUPLICATE notification, or a status that §6.2 does not name: nothing is recorded. */
  handling: { returned: "SUCCESS" },
} as const satisfies Record<string, Record<string, string>>;

type State = keyof typeof lifecycle;
type Next = State | ProcessResult | "failed";

/** The step of each state, which resolves with what it came to. */
export type Steps = { readonly [S in State]: () => Promise<Exclude<keyof (typeof lifecycle)[S], "threw">> };

/** Takes an event from a state to its end: acknowledged, or rejected with an error. */
async function follow(start: State, steps: Steps): Promise<ProcessResult> {
  let thrown: { readonly error: unknown } | undefined;
  for (let state = start; ; ) {
    const result = await steps[state]().catch((error: unknown) => {
      thrown ??= { error };
      return "threw" as const;
    });
    const next = (lifecycle[state] as Readonly<Record<string, Next>>)[result];
    if (next === "SUCCESS" || next === "DUPLICATE") return next;
    if (next === "failed" || next === undefined) throw thrown?.error;
    state = next;
  }
}

/**
 * Takes an event through its life, and returns how to acknowledge it: SUCCESS once its work is done, and committed if it
 * was claimed, DUPLICATE if it was done before. Rejects if a handler, `onConflict` or the store fails.
 */
export function runEvent(event: WebhookEvent, settled: Settled, delivery: Delivery): Promise<ProcessResult> {
  const { handlers } = delivery;
  const { status } = event;
  // Each handler takes the event of its own status.
  const handler = (isPayoutStatus(status) ? handlers[status] : handlers.onUnknown) as Handler | undefined;
  const isNotification = status === "DUPLICATE";
  if (handler === undefined && !isNotification) return Promise.reject(unknownStatus(event));
  const isClaimed = isPayoutStatus(status) && !isNotification;
  const isSettled = isPayoutStatus(status) && Boolean(settled);
  const start = isSettled || handler === undefined ? "finding" : isClaimed ? "claiming" : "handling";
  return follow(start, new EventSteps(event, settled, handler, delivery));
}

type Handler = EventHandler<WebhookEvent>;

function unknownStatus({ client_referenceId }: WebhookEvent): WebhookPayloadError {
  return new WebhookPayloadError({
    reason: "unknownStatus",
    message: "The event has a status that this version does not know. Handle it in `onUnknown`.",
    clientReferenceId: client_referenceId,
  });
}

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
const storeTimeout = 5_000;

class EventSteps implements Steps {
  readonly #event: WebhookEvent;
  readonly #settled: Settled;
  readonly #handler: Handler | undefined;
  readonly #delivery: Delivery;
  /** The claim that this delivery has. */
  #claim: Claim | undefined;
  /** The effect that stays, with its conflicts. */
  #done: Pick<StoreEntry, "effect" | "conflicts"> | undefined;
  /** Milliseconds until the claim is asked for again; undefined before it was found to be in flight. */
  #claimPause: number | undefined;
  #commit: Commit | undefined;

  constructor(event: WebhookEvent, settled: Settled, handler: Handler | undefined, delivery: Delivery) {
    this.#event = event;
    this.#settled = settled;
    this.#handler = handler;
    this.#delivery = delivery;
  }

  /**
   * Asks for the claim. If another delivery has it, its end is waited for, or the deadline: a delivery in progress does
   * not make this one a duplicate, because it may still fail. Only the store and its lease say whether one is in
   * progress: the promise of another delivery may never end.
   */
  async claiming(): ReturnType<Steps["claiming"]> {
    const delivery = this.#delivery;
    const { settings } = delivery;
    const key = await this.#key();
    const works = doneWorkOf(settings.store);
    const isPending = () => works.get(key)?.isLost === false;
    const request = { effect: effectOf(this.#event), lease: settings.claimLease };
    const result = await settings.store.claim(key, request).catch((error: unknown) => {
      throw isPending() ? delivery.error("commitPending", error) : error;
    });
    if (result.kind === "done") {
      works.delete(key);
      return this.#compare(result);
    }
    const work = works.get(key);
    const claim = result.kind === "inFlight" ? undefined : checkedClaim(result);
    // A response that came late, with a token older than that of work done here: this claim is lost.
    if (claim === undefined || (work && BigInt(claim.token) < BigInt(work.claim.token))) {
      await this.#waitForOther(isPending() ? "commitPending" : "inFlight");
      return "inFlight";
    }
    // Done by this process, and recorded by nobody: it does not run again, even if its claim was lost meanwhile.
    if (work !== undefined) {
      work.claim = { ...claim, effect: work.claim.effect };
      this.#commit = new Commit(work, delivery);
      return "doneHere";
    }
    this.#claim = claim;
    if (delivery.elapsed() >= settings.workTimeout) throw delivery.error("workTimeout");
    // A claim that came after a wait means that the other delivery failed, unless its process died.
    if (this.#claimPause !== undefined && result.kind === "claimed" && !result.takenOver)
      throw delivery.error("inFlight");
    delivery.obstacle = "ackTimeout";
    return "claimed";
  }

  async #waitForOther(obstacle: "commitPending" | "inFlight"): Promise<void> {
    const delivery = this.#delivery;
    delivery.obstacle = obstacle;
    if (delivery.remaining() <= 0) throw delivery.error(obstacle, delivery.commitError);
    this.#claimPause = Math.min((this.#claimPause ?? 10) * 2, 250);
    await sleep(Math.min(this.#claimPause, delivery.remaining()));
  }

  async running(): Promise<"returned"> {
    this.#delivery.isInApplication = true;
    await this.#handler?.(this.#event, handlerContext(this.#event, this.#claim, this.#delivery));
    return "returned";
  }

  readonly handling = this.running;

  /** If the store fails or hangs, the claim expires. */
  async releasing(): Promise<"returned"> {
    const { store } = this.#delivery.settings;
    if (this.#claim !== undefined) await within(storeTimeout, store.release(this.#claim));
    return "returned";
  }

  /** To give up would do the work twice. Keeps the process alive meanwhile. */
  async committing(): ReturnType<Steps["committing"]> {
    this.#commit ??= new Commit({ claim: this.#claim as Claim, isLost: false }, this.#delivery);
    return this.#commit.attempt();
  }

  async recovering(): ReturnType<Steps["recovering"]> {
    return (this.#commit as Commit).attempt();
  }

  async finding(): ReturnType<Steps["finding"]> {
    const isNotification = this.#event.status === "DUPLICATE";
    if (isNotification && this.#settled) return "done";
    const entry = await this.#delivery.settings.store.find(await this.#key());
    if (isNotification) {
      if (entry?.state === "done") return "done";
      // The payout's own notification may be lost, and somebody must know (docs/assumptions.md, W21).
      throw this.#delivery.error("notProcessed");
    }
    // The store may know conflicts that were reported already.
    if (entry?.state === "done") return this.#compare(entry);
    return typeof this.#settled === "string"
      ? this.#compare({ effect: `status=${this.#settled}`, conflicts: [] })
      : "done";
  }

  #compare(done: Pick<StoreEntry, "effect" | "conflicts">): "done" | "contradicted" {
    const effect = effectOf(this.#event);
    this.#done = done;
    return contradicts(effect, done.effect) && !done.conflicts.includes(effect) ? "contradicted" : "done";
  }

  /** The conflict is recorded only afterwards: if a hook throws, or the process dies, the next delivery calls it again. */
  async reporting(): Promise<"returned"> {
    const { handlers } = this.#delivery;
    this.#delivery.isInApplication = true;
    await (handlers.onConflict
      ? handlers.onConflict(this.#event, readEffect(this.#done?.effect ?? ""))
      : handlers.onFailure?.(this.#delivery.error("conflict"), {
          event: this.#event,
          phase: this.#delivery.hasLeft ? "late" : "failed",
        }));
    return "returned";
  }

  async noting(): Promise<"returned"> {
    await this.#delivery.settings.store.recordConflict(await this.#key(), effectOf(this.#event));
    return "returned";
  }

  #key() {
    return payoutKey(this.#event.client_referenceId);
  }
}

/**
 * Work that this process has done and that the store has not recorded: it must not run again here. It is data, and no
 * promise of its delivery: where a request ends with its promises, as on Workers, the redelivery records it.
 */
interface DoneWork {
  /** The claim under which it is recorded: a newer one if another delivery of this process took it over. */
  claim: Claim;
  /** Whether the store has said that the claim was lost to another, which may do the work again. */
  isLost: boolean;
}

/** A store may be the application's own: the claim that it grants is checked before anything runs. */
function checkedClaim({ kind, claim }: Extract<ClaimResult, { kind: "claimed" }>): Claim {
  if (kind === "claimed" && typeof claim?.key === "string" && /^\d+$/.test(claim.token)) return claim;
  throw new ConfigurationError(
    "Webhooks: `claim` of the store resolved with no ClaimResult. Test the store with storeSuite().",
  );
}

const doneWork = new WeakMap<WebhookStore, Map<string, DoneWork>>();

/** The work of this process that a store has not recorded, by key. */
export function doneWorkOf(store: WebhookStore): Map<string, DoneWork> {
  const known = doneWork.get(store) ?? new Map<string, DoneWork>();
  doneWork.set(store, known);
  return known;
}

/** The attempts to record work in a store that may be away. */
class Commit {
  readonly #work: DoneWork;
  readonly #delivery: Delivery;
  readonly #responded = Promise.withResolvers<void>();
  #isRecorded: boolean | undefined;
  #pause = 50;

  constructor(work: DoneWork, delivery: Delivery) {
    this.#work = work;
    this.#delivery = delivery;
    work.isLost = false;
    doneWorkOf(delivery.settings.store).set(work.claim.key, work);
    delivery.obstacle = "commitPending";
  }

  /**
   * Asks the store once, and pauses if it fails or does not respond. The response to an earlier attempt counts, too.
   *
   * @throws WebhookProcessingError if the claim was lost to another.
   */
  async attempt(): Promise<"recorded" | "unrecorded"> {
    await within(storeTimeout, this.#responded.promise, this.#complete(this.#work.claim));
    if (this.#isRecorded === undefined) {
      this.#delivery.onUnrecorded?.();
      await within(this.#pause, this.#responded.promise);
      this.#pause = Math.min(2 * this.#pause, 30_000);
    }
    if (this.#isRecorded === undefined) return "unrecorded";
    if (!this.#isRecorded) {
      this.#work.isLost = true;
      throw this.#delivery.error("claimLost");
    }
    doneWorkOf(this.#delivery.settings.store).delete(this.#work.claim.key);
    return "recorded";
  }

  async #complete(claim: Claim): Promise<void> {
    const { settings } = this.#delivery;
    try {
      const isRecorded = (await settings.store.complete(claim)) === true;
      // Another delivery has taken the work over under a newer claim.
      if (!isRecorded && claim !== this.#work.claim) return;
      this.#isRecorded = isRecorded;
      this.#responded.resolve();
    } catch (error) {
      this.#delivery.commitError = error;
    }
  }
}

/** Waits for the first of some promises, for a number of milliseconds at most. */
async function within(duration: number, ...promises: readonly Promise<unknown>[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, duration);
  });
  try {
    await Promise.race([isOver, ...promises]);
  } finally {
    clearTimeout(timer);
  }
}

/** Getters: most handlers ask for neither `signal` nor `warnings`. */
function handlerContext(event: WebhookEvent, claim: Claim | undefined, delivery: Delivery): EventContext {
  return {
    claim,
    get signal() {
      return delivery.signal;
    },
    get warnings() {
      return findWarnings({ ...event });
    },
  };
}

/**
 * Whether what an event says has taken effect; for a DUPLICATE notification, whatever took effect. Reads the store
 * alone, so that a replay has no effect.
 */
export async function isDone(event: WebhookEvent, { settings }: Delivery): Promise<boolean> {
  const entry = await settings.store.find(await payoutKey(event.client_referenceId));
  if (entry?.state !== "done") return false;
  return event.status === "DUPLICATE" || !contradicts(effectOf(event), entry.effect);
}
