import type { Claim, WebhookStore } from "../stores/store.ts";

/** An attempt that takes longer may hang for ever, on a connection that nobody closed. */
const attemptTimeout = 5_000;
const firstPause = 50;
const longestPause = 30_000;

/**
 * Work that is done and must be recorded, in a store that may be away. `complete` is repeated until the store has
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

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (this.#isPausing) this.#wake();
  }

  /** Records the work under a newer claim: this delivery's own was taken over within the process. */
  replaceClaim(claim: Claim): void {
    this.#claim = claim;
    this.retryNow();
  }

  async #run(): Promise<void> {
    for (let pause = firstPause; this.result === undefined; pause = Math.min(2 * pause, longestPause)) {
      const responded = this.#wait(attemptTimeout);
      void this.#attempt(this.#claim);
      await responded;
      if (this.result !== undefined) return;
      this.#isPausing = true;
      await this.#wait(pause);
      this.#isPausing = false;
    }
  }

  /** An attempt that was given up may still respond, and then counts. */
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

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
