// A store in Cloudflare Durable Objects: one object for each reference. An object runs one call at a time, and its
// synchronous storage has no `await` at which another call could come between, so each method is atomic.
// A finished reference is kept indefinitely.
import type { Claim, ClaimRequest, ClaimResult, StoreEntry, WebhookStore } from "serviceapi/webhooks";

interface Row {
  readonly state: "claimed" | "done";
  readonly effect: string;
  readonly token: number;
  readonly leasedUntil: number;
  readonly conflicts: readonly string[];
}

/** The used part of `ctx.storage.kv`, the synchronous key-value interface of SQLite-backed objects. */
export interface SyncStorage {
  get(key: string): unknown;
  put(key: string, value: unknown): void;
  delete(key: string): unknown;
}

/**
 * The object's code. In the worker, an exported class has its six methods, and a migration declares the class as one
 * with SQLite (`new_sqlite_classes`):
 *
 *     export class PayoutClaims extends DurableObject {
 *       #claim = new PayoutClaim(this.ctx.storage.kv);
 *       claim(key: string, request: ClaimRequest) { return this.#claim.claim(key, request); }
 *       // and so on for complete, release, recordConflict, find and forget
 *     }
 */
export class PayoutClaim {
  readonly #storage: SyncStorage;

  constructor(storage: SyncStorage) {
    this.#storage = storage;
  }

  claim(key: string, { effect, lease }: ClaimRequest): ClaimResult {
    const now = Date.now();
    const row = this.#row();
    if (row?.state === "done") return { kind: "done", effect: row.effect, conflicts: row.conflicts };
    if (row !== undefined && row.leasedUntil > now) return { kind: "inFlight" };
    // Kept apart from the row, so that it grows over release and forget.
    const token = Number(this.#storage.get("token") ?? 0) + 1;
    this.#storage.put("token", token);
    const leasedUntil = now + lease;
    this.#storage.put("row", { state: "claimed", effect, token, leasedUntil, conflicts: [] } satisfies Row);
    return { kind: "claimed", claim: { key, effect, token: String(token) }, takenOver: row !== undefined };
  }

  complete(claim: Claim): boolean {
    const row = this.#row();
    if (row === undefined || String(row.token) !== claim.token) return false;
    if (row.state === "claimed") this.#storage.put("row", { ...row, state: "done", effect: claim.effect });
    return true;
  }

  release(claim: Claim): void {
    const row = this.#row();
    if (row?.state === "claimed" && String(row.token) === claim.token) this.#storage.delete("row");
  }

  recordConflict(effect: string): void {
    const row = this.#row();
    if (row?.state !== "done" || row.conflicts.includes(effect)) return;
    this.#storage.put("row", { ...row, conflicts: [...row.conflicts, effect] });
  }

  find(): StoreEntry | undefined {
    const row = this.#row();
    return row && { state: row.state, effect: row.effect, conflicts: row.conflicts };
  }

  forget(): void {
    this.#storage.delete("row");
  }

  #row(): Row | undefined {
    return this.#storage.get("row") as Row | undefined;
  }
}

/** Results of a stub of the object: those of its methods, as promises. */
export type PayoutClaimStub = {
  [Method in "claim" | "complete" | "release" | "recordConflict" | "find" | "forget"]: (
    ...parameters: Parameters<PayoutClaim[Method]>
  ) => Promise<ReturnType<PayoutClaim[Method]>>;
};

/** The store: `durableObjectStore((key) => env.PAYOUT_CLAIMS.get(env.PAYOUT_CLAIMS.idFromName(key)))`. */
export function durableObjectStore(objectOf: (key: string) => PayoutClaimStub): WebhookStore {
  return {
    claim: (key, request) => objectOf(key).claim(key, request),
    complete: (claim) => objectOf(claim.key).complete(claim),
    release: (claim) => objectOf(claim.key).release(claim),
    recordConflict: (key, effect) => objectOf(key).recordConflict(effect),
    find: (key) => objectOf(key).find(),
    forget: (key) => objectOf(key).forget(),
  };
}
