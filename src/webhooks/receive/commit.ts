import type { WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import type { Claim, WebhookStore } from "../stores/store.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/**
 * Records that the claim's work is committed, and waits for the store to respond.
 *
 * @throws WebhookProcessingError if the lease ran out meanwhile and another delivery took the claim over.
 */
export async function completeClaim(
  claim: Claim,
  { client_referenceId }: WebhookEvent,
  work: KnownWork,
  context: DeliveryContext,
): Promise<void> {
  context.state.obstacle = "commitPending";
  const commit = beginCommit(claim, work, context);
  await commit.ended;
  if (commit.result !== "recorded") throw processingError("claimLost", client_referenceId);
}

/** Begins to record the claim's work, and lets the other deliveries of its key know. */
export function beginCommit(claim: Claim, work: KnownWork, { settings, state }: DeliveryContext): Commit {
  work.commit = new Commit(settings.store, claim, (error) => {
    state.commitError = error;
  });
  return work.commit;
}

/** State that the deliveries of one key share within a process, independently of the store. */
export interface KnownWork {
  /** The run of a handler that has not ended. Never rejects. */
  run: Promise<unknown> | undefined;
  /** The last commit that any of them began. */
  commit: Commit | undefined;
  deliveries: number;
}

const known = new WeakMap<WebhookStore, Map<string, KnownWork>>();

/** Runs a delivery's work with what is known of its key, which is forgotten when the last delivery has ended. */
export async function withKnownWork<T>(
  store: WebhookStore,
  key: string,
  run: (work: KnownWork) => Promise<T>,
): Promise<T> {
  const keys = known.get(store) ?? new Map<string, KnownWork>();
  if (!known.has(store)) known.set(store, keys);
  const work = keys.get(key) ?? { run: undefined, commit: undefined, deliveries: 0 };
  keys.set(key, work);
  work.deliveries += 1;
  try {
    return await run(work);
  } finally {
    work.deliveries -= 1;
    if (work.deliveries === 0) keys.delete(key);
  }
}

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
export const attemptTimeout = 5_000;
const firstPause = 50;
const maxPause = 30_000;

/**
 * Work that is done and must be recorded, in a store that may be away. `complete` is retried until the store has
 * responded, however long that takes: to give up would do the work twice. Keeps the process alive meanwhile.
 */
export class Commit {
  /** Resolves when the store has responded. */
  readonly ended: Promise<void>;
  /** Whether the work is recorded, or the claim was lost to another; undefined until the store has responded. */
  result: "recorded" | "lost" | undefined;
  readonly #store: WebhookStore;
  readonly #onFailure: (error: unknown) => void;
  #claim: Claim;
  #attempts = 0;
  #isPausing = false;
  #resolve: () => void = () => {};
  #wake: () => void = () => {};

  /** @param onFailure - Called with the error of each attempt that failed. */
  constructor(store: WebhookStore, claim: Claim, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#claim = claim;
    this.#onFailure = onFailure;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    void this.#run();
  }

  /** The status whose work is done. */
  get status(): string {
    return this.#claim.status;
  }

  /** Ends the pause before the next attempt. */
  retryNow(): void {
    if (this.#isPausing) this.#wake();
  }

  /** Records the work under a newer claim at the next attempt: its own was taken over within the process. */
  replaceClaim(claim: Claim): void {
    this.#claim = claim;
  }

  async #run(): Promise<void> {
    for (let pause = firstPause; this.result === undefined; pause = Math.min(2 * pause, maxPause)) {
      const responded = this.#wait(attemptTimeout);
      void this.#attempt(this.#claim);
      await responded;
      if (this.result !== undefined) return;
      this.#isPausing = true;
      await this.#wait(pause);
      this.#isPausing = false;
    }
  }

  /** An attempt that was given up may still get its response, which then counts. */
  async #attempt(claim: Claim): Promise<void> {
    this.#attempts += 1;
    const number = this.#attempts;
    try {
      const isRecorded = (await this.#store.complete(claim)) === true;
      if (isRecorded || claim === this.#claim) return this.#end(isRecorded ? "recorded" : "lost");
    } catch (error) {
      this.#onFailure(error);
    }
    if (number === this.#attempts) this.#wake();
  }

  #end(result: "recorded" | "lost"): void {
    this.result ??= result;
    this.#resolve();
    this.#wake();
  }

  /** Waits until the time is up or `#wake` is called. */
  #wait(duration: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, duration);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
