/** The contract of a store in a few lines: the built-in stores are held to it, and the world of the explorer has it. */
import type { Claim, ClaimRequest, ClaimResult, StoreEntry } from "../../../src/webhooks/index.ts";

interface Row {
  readonly state: "claimed" | "done";
  readonly effect: string;
  readonly token: string;
  readonly leaseEnds: number;
  readonly conflicts: readonly string[];
}

export class StoreModel {
  readonly #rows: Map<string, Row>;
  #tokens: number;

  constructor(rows: Iterable<[string, Row]> = [], tokens = 0) {
    this.#rows = new Map(rows);
    this.#tokens = tokens;
  }

  copy(): StoreModel {
    return new StoreModel(this.#rows, this.#tokens);
  }

  claim(key: string, { effect, lease }: ClaimRequest, now: number): ClaimResult {
    const row = this.#rows.get(key);
    if (row?.state === "done") return { kind: "done", effect: row.effect, conflicts: [...row.conflicts] };
    if (row !== undefined && now < row.leaseEnds) return { kind: "inFlight" };
    const token = String(++this.#tokens);
    this.#rows.set(key, { state: "claimed", effect, token, leaseEnds: now + lease, conflicts: [] });
    return { kind: "claimed", claim: { key, effect, token }, takenOver: row !== undefined };
  }

  /** A claim of the token whose lease has expired is completed, too, until somebody takes it over. */
  complete({ key, effect, token }: Claim): boolean {
    const row = this.#rows.get(key);
    if (row?.token !== token) return false;
    this.#rows.set(key, { ...row, state: "done", effect: row.state === "done" ? row.effect : effect });
    return true;
  }

  release({ key, token }: Claim): void {
    const row = this.#rows.get(key);
    if (row?.state === "claimed" && row.token === token) this.#rows.delete(key);
  }

  recordConflict(key: string, effect: string): void {
    const row = this.#rows.get(key);
    if (row?.state !== "done" || row.conflicts.includes(effect)) return;
    this.#rows.set(key, { ...row, conflicts: [...row.conflicts, effect] });
  }

  find(key: string): StoreEntry | undefined {
    const row = this.#rows.get(key);
    return row && { state: row.state, effect: row.effect, conflicts: [...row.conflicts] };
  }

  forget(key: string): void {
    this.#rows.delete(key);
  }

  /** All that decides how it goes on. */
  state(): unknown {
    return [this.#tokens, ...this.#rows];
  }
}
