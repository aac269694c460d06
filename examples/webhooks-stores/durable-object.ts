// A store in Cloudflare Durable Objects: one object for each reference. An object runs one call at a time, and its
// synchronous storage has no `await` at which another call could come between, so each method is atomic.
import type { Claim, ClaimRequest, ClaimResult, WebhookStore } from "serviceapi/webhooks";

const retention = 7 * 86_400_000;

interface Row {
  readonly state: "claimed" | "done";
  readonly status: string;
  readonly token: number;
  /** When the lease runs out, or when the finished row may be forgotten. */
  readonly until: number;
  readonly conflicts: readonly string[];
}

/** What is used of `ctx.storage.kv`, the synchronous key-value interface of SQLite-backed objects. */
export interface SyncStorage {
  get(key: string): unknown;
  put(key: string, value: unknown): void;
  delete(key: string): unknown;
}

/** In the worker: `export class PayoutClaim extends DurableObject { … }`, whose methods call these on `ctx.storage.kv`. */
export class PayoutClaim {
  readonly #storage: SyncStorage;

  constructor(storage: SyncStorage) {
    this.#storage = storage;
  }

  claim(key: string, { status, leaseMs }: ClaimRequest): ClaimResult {
    const now = Date.now();
    const row = this.#row();
    if (row !== undefined && row.until > now) {
      if (row.state === "claimed") return { kind: "inFlight" };
      const firstConflict = status !== row.status && !row.conflicts.includes(status);
      if (firstConflict) this.#storage.put("row", { ...row, conflicts: [...row.conflicts, status] });
      return { kind: "done", status: row.status, firstConflict };
    }
    // Kept apart from the row, so that it grows over release and forget.
    const token = Number(this.#storage.get("token") ?? 0) + 1;
    this.#storage.put("token", token);
    this.#storage.put("row", { state: "claimed", status, token, until: now + leaseMs, conflicts: [] } satisfies Row);
    return { kind: "claimed", claim: { key, status, token: String(token) }, takenOver: row?.state === "claimed" };
  }

  complete(claim: Claim): boolean {
    const row = this.#row();
    if (row === undefined || String(row.token) !== claim.token) return false;
    if (row.state === "claimed") this.#storage.put("row", { ...row, state: "done", until: Date.now() + retention });
    return true;
  }

  release(claim: Claim): void {
    const row = this.#row();
    if (row?.state === "claimed" && String(row.token) === claim.token) this.#storage.delete("row");
  }

  forget(): void {
    this.#storage.delete("row");
  }

  #row(): Row | undefined {
    return this.#storage.get("row") as Row | undefined;
  }
}

/** What a stub of the object answers: its methods' results, later. */
export type PayoutClaimStub = {
  [Method in "claim" | "complete" | "release" | "forget"]: (
    ...parameters: Parameters<PayoutClaim[Method]>
  ) => Promise<ReturnType<PayoutClaim[Method]>>;
};

/** The store: `durableObjectStore((key) => env.PAYOUT_CLAIMS.get(env.PAYOUT_CLAIMS.idFromName(key)))`. */
export function durableObjectStore(objectOf: (key: string) => PayoutClaimStub): WebhookStore {
  return {
    claim: (key, request) => objectOf(key).claim(key, request),
    complete: (claim) => objectOf(claim.key).complete(claim),
    release: (claim) => objectOf(claim.key).release(claim),
    forget: (key) => objectOf(key).forget(),
  };
}
