import { warnIfServerless } from "./serverless.ts";
import type { Claim, ClaimRequest, ClaimResult, WebhookStore } from "./store.ts";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Milliseconds for which a finished reference is remembered. @default 604_800_000 (7 days) */
  readonly retention?: number;
  /** How many references are remembered; beyond it claims are refused rather than forgotten. @default 1_000_000 */
  readonly maxRecords?: number;
  /** The clock, milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

interface Row {
  state: "claimed" | "done";
  readonly status: string;
  readonly token: number;
  /** When the lease runs out, or when the finished row may be forgotten. */
  until: number;
  /** Statuses that came later than the one that is done, once there are any. */
  conflicts: Set<string> | undefined;
}

/**
 * Keeps claims in this process's memory: for one process that keeps running, and for tests. It forgets everything at a
 * restart; several processes, or a serverless platform, need `redisStore` or `postgresStore`.
 *
 * @param options - See {@link MemoryStoreOptions}.
 *
 * @example
 * ```ts
 * import { memoryStore, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ store: memoryStore({ retention: 24 * 3_600_000 }) });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): WebhookStore {
  return new MemoryStore(options);
}

class MemoryStore implements WebhookStore {
  readonly #rows = new Map<string, Row>();
  readonly #retention: number;
  readonly #maxRecords: number;
  readonly #now: () => number;
  #lastToken = 0;
  #warned = false;

  constructor(options: MemoryStoreOptions) {
    this.#retention = options.retention ?? 7 * 86_400_000;
    this.#maxRecords = options.maxRecords ?? 1_000_000;
    this.#now = options.now ?? Date.now;
  }

  async claim(key: string, request: ClaimRequest): Promise<ClaimResult> {
    this.#warned ||= warnIfServerless();
    const now = this.#now();
    const row = this.#rows.get(key);
    if (row !== undefined && row.until > now) {
      return row.state === "claimed" ? { kind: "inFlight" } : describeDone(row, request.status);
    }
    if (row === undefined) this.#makeRoom(now);
    // Deleted first, so that the map stays in the order of insertion and the oldest rows are swept first.
    this.#rows.delete(key);
    this.#lastToken += 1;
    const { status, leaseMs } = request;
    this.#rows.set(key, {
      state: "claimed",
      status,
      token: this.#lastToken,
      until: now + leaseMs,
      conflicts: undefined,
    });
    const takenOver = row?.state === "claimed";
    return { kind: "claimed", claim: { key, status, token: String(this.#lastToken) }, takenOver };
  }

  async complete(claim: Claim): Promise<boolean> {
    const row = this.#own(claim);
    if (row === undefined) return false;
    if (row.state === "claimed") {
      row.state = "done";
      row.until = this.#now() + this.#retention;
    }
    return true;
  }

  async release(claim: Claim): Promise<void> {
    if (this.#own(claim)?.state === "claimed") this.#rows.delete(claim.key);
  }

  async forget(key: string): Promise<void> {
    this.#rows.delete(key);
  }

  #own(claim: Claim): Row | undefined {
    const row = this.#rows.get(claim.key);
    return row !== undefined && String(row.token) === claim.token ? row : undefined;
  }

  /** Sweeps up to two expired rows for each new one, so that no call pays for all of them. */
  #makeRoom(now: number): void {
    let swept = 0;
    for (const [key, row] of this.#rows) {
      if (row.until > now || swept === 2) break;
      this.#rows.delete(key);
      swept += 1;
    }
    if (this.#rows.size >= this.#maxRecords) {
      throw new Error(`memoryStore is full: ${this.#maxRecords} references. Raise maxRecords, or use a shared store.`);
    }
  }
}

function describeDone(row: Row, status: string): ClaimResult {
  const firstConflict = status !== row.status && !row.conflicts?.has(status);
  if (firstConflict) {
    row.conflicts ??= new Set();
    row.conflicts.add(status);
  }
  return { kind: "done", status: row.status, firstConflict };
}
