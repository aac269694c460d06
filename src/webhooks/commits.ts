import type { WebhookStore } from "./stores/store.ts";

const pending = new WeakMap<WebhookStore, Map<string, PendingCommit>>();

/** Returns the commit that this process is still trying to record under a key, if there is one. */
export function findPendingCommit(store: WebhookStore, key: string): PendingCommit | undefined {
  return pending.get(store)?.get(key);
}

/** Work that is done, while the store that should record it is away. Known to the process until it is ended. */
export class PendingCommit {
  /** Resolves when the store has responded. */
  readonly ended: Promise<void>;
  hasEnded = false;
  readonly #store: WebhookStore;
  readonly #key: string;
  #resolve: () => void = () => {};
  #wake: () => void = () => {};

  constructor(store: WebhookStore, key: string) {
    this.#store = store;
    this.#key = key;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const commits = pending.get(store) ?? new Map<string, PendingCommit>();
    pending.set(store, commits.set(key, this));
  }

  /** Waits, unless `retryNow` is called. Does not keep the process alive. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      unref(timer);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  retryNow(): void {
    this.#wake();
  }

  end(): void {
    const commits = pending.get(this.#store);
    if (commits?.get(this.#key) === this) commits.delete(this.#key);
    this.hasEnded = true;
    this.#resolve();
  }
}

/** Node's and Bun's timers have the method; Deno's and the browsers' are numbers. */
function unref(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref();
    return;
  }
  const { Deno } = globalThis as { readonly Deno?: { unrefTimer?(id: unknown): void } };
  if (typeof timer === "number") Deno?.unrefTimer?.(timer);
}
