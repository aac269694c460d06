import type { Claim, WebhookStore } from "../stores/store.ts";

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
  const known = doneWork.get(store) ?? new Map<string, DoneWork>();
  doneWork.set(store, known);
  return known;
}

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
export const storeTimeout = 5_000;

/** The attempts to record work in a store that may be away. */
export class Commit {
  /** The error with which the store last failed. */
  error: unknown;
  readonly #work: DoneWork;
  readonly #store: WebhookStore;
  readonly #response = Promise.withResolvers<boolean>();
  #pause = 50;

  constructor(work: DoneWork, store: WebhookStore) {
    this.#work = work;
    this.#store = store;
    work.isLost = false;
    doneWorkOf(store).set(work.claim.key, work);
  }

  /**
   * Asks the store once, and pauses if it fails or does not respond. The response to an earlier attempt counts, too.
   *
   * @param onUnrecorded - Called before the pause.
   * @returns `lost` if the claim was lost to another.
   */
  async attempt(onUnrecorded: () => void): Promise<"recorded" | "unrecorded" | "lost"> {
    const response = this.#response.promise;
    let isRecorded = await within(storeTimeout, response, this.#complete(this.#work.claim));
    if (isRecorded === undefined) {
      onUnrecorded();
      isRecorded = await within(this.#pause, response);
      this.#pause = Math.min(2 * this.#pause, 30_000);
    }
    if (isRecorded === undefined) return "unrecorded";
    this.#work.isLost = !isRecorded;
    if (!isRecorded) return "lost";
    doneWorkOf(this.#store).delete(this.#work.claim.key);
    return "recorded";
  }

  async #complete(claim: Claim): Promise<boolean | undefined> {
    try {
      const isRecorded = (await this.#store.complete(claim)) === true;
      // Another delivery has taken the work over under a newer claim.
      if (!isRecorded && claim !== this.#work.claim) return undefined;
      this.#response.resolve(isRecorded);
      return isRecorded;
    } catch (error) {
      this.error = error;
      return undefined;
    }
  }
}

/** Waits for the first of some promises; undefined after a number of milliseconds. */
export async function within<T>(duration: number, ...promises: readonly Promise<T>[]): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    // Not Promise.race(): it makes another promise of each.
    return await new Promise<T | undefined>((resolve, reject) => {
      timer = setTimeout(resolve, duration, undefined);
      for (const promise of promises) promise.then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
