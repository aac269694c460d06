import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock } from "../../shared/clock.ts";
import { func, integer, type Rules, readOptions } from "../../shared/options.ts";
import { day, defaultRetention, retention } from "./retention.ts";
import { warnIfServerless } from "./serverless.ts";
import type { Claim, ClaimRequest, ClaimResult, StoreEntry, WebhookStore } from "./store.ts";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Milliseconds for which a finished reference is kept: at least an hour, or `Infinity`. A delivery that comes later
   * takes effect again, unless `findOrder` returns `settled: true`. @default 7_776_000_000 (90 days)
   */
  readonly retention?: number | undefined;
  /**
   * Maximum number of references. A full store first drops references that were finished more than seven days ago,
   * oldest first, and then refuses claims. @default 1_000_000
   */
  readonly maxRecords?: number | undefined;
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const rules: Rules<MemoryStoreOptions> = { retention, maxRecords: integer(1), now: func };

/** The service has given up its retries long before (§6.4). */
const neverDroppedFor = 7 * day;

interface Held {
  readonly effect: string;
  readonly token: string;
  readonly leasedUntil: number;
}

interface Done {
  readonly effect: string;
  readonly token: string;
  readonly doneAt: number;
  readonly conflicts: string[];
}

/**
 * Returns a store in the memory of this process: by choosing it you say that **one process** receives all deliveries,
 * as in a script or a test. A restart clears it, and two processes with one each run a payout twice: several processes,
 * or a serverless platform, need `redisStore` or `postgresStore`.
 *
 * @param options - See {@link MemoryStoreOptions}.
 * @throws ConfigurationError for an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { memoryStore, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ store: memoryStore({ maxRecords: 10_000 }) }); // one process
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): WebhookStore {
  return new MemoryStore(readOptions("memoryStore", options, rules));
}

class MemoryStore implements WebhookStore {
  readonly #held = new Map<string, Held>();
  /** In the order in which the references were finished. */
  readonly #done = new Map<string, Done>();
  readonly #retention: number;
  readonly #maxRecords: number;
  readonly #now: () => number;
  /** For leases, which a wall clock that is set must neither end nor prolong. */
  readonly #elapsed: () => number;
  #lastToken = 0;

  constructor(options: MemoryStoreOptions) {
    this.#retention = options.retention ?? defaultRetention;
    this.#maxRecords = options.maxRecords ?? 1_000_000;
    this.#now = checkedClock("memoryStore", options.now);
    this.#elapsed = options.now === undefined ? () => performance.now() : this.#now;
  }

  async claim(key: string, { effect, lease }: ClaimRequest): Promise<ClaimResult> {
    if (this.#lastToken === 0) warnIfServerless();
    const now = this.#now();
    const done = this.#findDone(key, now);
    if (done !== undefined) return { kind: "done", effect: done.effect, conflicts: [...done.conflicts] };
    const held = this.#held.get(key);
    if (held !== undefined && held.leasedUntil > this.#elapsed()) return { kind: "inFlight" };
    if (held === undefined) this.#makeRoom(now);
    this.#lastToken += 1;
    const token = String(this.#lastToken);
    this.#held.set(key, { effect, token, leasedUntil: this.#elapsed() + lease });
    return { kind: "claimed", claim: { key, effect, token }, takenOver: held !== undefined };
  }

  async complete({ key, effect, token }: Claim): Promise<boolean> {
    const held = this.#held.get(key);
    if (held?.token !== token) return this.#done.get(key)?.token === token;
    const done = { effect, token, doneAt: this.#now(), conflicts: [] };
    this.#held.delete(key);
    this.#done.set(key, done);
    return true;
  }

  async release({ key, token }: Claim): Promise<void> {
    if (this.#held.get(key)?.token === token) this.#held.delete(key);
  }

  async recordConflict(key: string, effect: string): Promise<void> {
    const done = this.#findDone(key, this.#now());
    if (done?.conflicts.includes(effect) === false) done.conflicts.push(effect);
  }

  async find(key: string): Promise<StoreEntry | undefined> {
    const done = this.#findDone(key, this.#now());
    if (done !== undefined) return { state: "done", effect: done.effect, conflicts: [...done.conflicts] };
    const held = this.#held.get(key);
    return held && { state: "claimed", effect: held.effect, conflicts: [] };
  }

  async forget(key: string): Promise<void> {
    this.#held.delete(key);
    this.#done.delete(key);
  }

  #findDone(key: string, now: number): Done | undefined {
    const done = this.#done.get(key);
    if (done === undefined || now - done.doneAt < this.#retention) return done;
    this.#done.delete(key);
    return undefined;
  }

  /** Drops up to two expired references for each new one, so that no call pays for all of them. */
  #makeRoom(now: number): void {
    this.#dropOldest(2, now - this.#retention);
    const excess = this.#held.size + this.#done.size + 1 - this.#maxRecords;
    if (excess <= 0 || this.#dropOldest(excess, now - neverDroppedFor) === excess) return;
    throw new ConfigurationError(
      `memoryStore is full: ${this.#maxRecords} references, none finished more than seven days ago. Raise \`maxRecords\`, or use redisStore or postgresStore.`,
    );
  }

  /** Drops up to `most` references that were finished at `doneBy` or before. Returns how many it dropped. */
  #dropOldest(most: number, doneBy: number): number {
    let dropped = 0;
    for (const [key, { doneAt }] of this.#done) {
      if (dropped === most || doneAt > doneBy) break;
      this.#done.delete(key);
      dropped += 1;
    }
    return dropped;
  }
}
