import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { Claim, WebhookStore } from "../../../src/webhooks/index.ts";
import { StoreModel } from "./store-model.ts";

/** Each operation on a key, on its first claim or its latest. `expire` lets the lease of the latest run out. */
const operations = ["claim", "completeFirst", "completeLatest", "releaseFirst", "releaseLatest", "conflict", "expire"];
const lease = 60_000;

/** The settings of a comparison. */
export interface Comparison {
  /** The number of operations in a sequence. */
  readonly length: number;
  /** Milliseconds of a lease that runs out. A group that takes longer is tried again, with twice as many. */
  readonly shortLease: number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** Returns the number of all sequences of operations, and the results in which the store differs from the model. */
export async function compareWithModel(
  store: WebhookStore,
  { length, shortLease, pause }: Comparison,
): Promise<{ readonly sequences: number; readonly differences: readonly string[] }> {
  const all = sequences(length);
  const differences: string[] = [];
  // Those whose leases run out at the same steps go together: one pause is for all of them.
  for (const group of Map.groupBy(all, (sequence) => sequence.map((each) => each === "expire").join()).values()) {
    let runs: readonly Run[] | undefined;
    for (let lease = shortLease; runs === undefined; lease *= 2) runs = await runInTime(group, lease);
    for (const run of runs) differences.push(...(await run.differences()));
  }
  return { sequences: all.length, differences };

  /** Runs the sequences of a group; undefined if a lease may have run out before its time, as on a busy machine. */
  async function runInTime(group: readonly (readonly string[])[], lease: number) {
    const runs = group.map((sequence) => new Run(store, sequence, lease));
    /** A claim before all others of its time, whose lease runs out first. */
    const claimBefore = (step: number) => store.claim(`before ${group[0]} ${step} ${lease}`, { effect: "", lease });
    let since = 0;
    await claimBefore(since);
    for (let step = 0; step < length; step++) {
      if (group[0]?.[step] === "expire") {
        if ((await claimBefore(since)).kind === "claimed") {
          if (lease > 100 * shortLease) throw new Error("a claim is granted again during its lease");
          return undefined;
        }
        await pause(2 * lease);
        since = step + 1;
        await claimBefore(since);
      }
      for (let at = 0; at < runs.length; at += 64) {
        await Promise.all(runs.slice(at, at + 64).map((run) => run.take(step)));
      }
    }
    return runs;
  }
}

/** Expects a store on a server, whose clock nobody moves, to be the model after all sequences of a length. */
export async function expectModel(store: WebhookStore, length: number, shortLease = 100): Promise<void> {
  const compared = await compareWithModel(store, { length, shortLease, pause });
  expect(compared).toEqual({ sequences: operations.length ** length, differences: [] });
}

function sequences(length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((sequence) => operations.map((operation) => [...sequence, operation]));
}

/** One sequence, on the store and on the model beside it. */
class Run {
  readonly #store: WebhookStore;
  readonly #model = new StoreModel();
  readonly #sequence: readonly string[];
  readonly #key: string;
  readonly #shortLease: number;
  #now = 0;
  readonly #claims: (readonly [stored: Claim, modelled: Claim])[] = [];
  readonly #results: (readonly [stored: unknown, modelled: unknown])[] = [];

  constructor(store: WebhookStore, sequence: readonly string[], shortLease: number) {
    this.#store = store;
    this.#sequence = sequence;
    this.#shortLease = shortLease;
    this.#key = `conformance ${sequence.join(" ")} ${shortLease}`;
  }

  async take(step: number): Promise<void> {
    const operation = this.#sequence[step] ?? "";
    const key = this.#key;
    if (operation === "claim") {
      const effect = `effect-${step}`;
      const isShort = this.#sequence.slice(step + 1).includes("expire");
      const stored = await this.#store.claim(key, { effect, lease: isShort ? this.#shortLease : lease });
      const modelled = this.#model.claim(key, { effect, lease: 1 }, this.#now);
      if (stored.kind === "claimed" && modelled.kind === "claimed") this.#claims.push([stored.claim, modelled.claim]);
      this.#results.push([readable(stored), readable(modelled)]);
    } else if (operation === "conflict") {
      await this.#store.recordConflict(key, "other");
      this.#model.recordConflict(key, "other");
    } else if (operation === "expire") {
      this.#now += 1;
    } else {
      const [stored, modelled] = (operation.endsWith("First") ? this.#claims[0] : this.#claims.at(-1)) ?? [];
      if (stored === undefined || modelled === undefined) return;
      if (operation.startsWith("complete")) {
        this.#results.push([await this.#store.complete(stored), this.#model.complete(modelled)]);
      } else {
        await this.#store.release(stored);
        this.#model.release(modelled);
      }
    }
  }

  async differences(): Promise<readonly string[]> {
    this.#results.push([await this.#store.find(this.#key), this.#model.find(this.#key)]);
    const [stored, modelled] = [0, 1].map((side) => JSON.stringify(this.#results.map((both) => both[side as 0 | 1])));
    return stored === modelled ? [] : [`${this.#sequence.join(" ")}: ${stored}, and not ${modelled}`];
  }
}

/** A result without the token, which each store chooses. */
function readable(result: object): unknown {
  return "claim" in result ? { ...result, claim: undefined } : result;
}
