import { type Account, any, none, some } from "../accounts.ts";
import type { StoreName } from "./stores.ts";

/** The race with one store, as deliveries, handlers, the store and the fleet know it. */
export interface Findings {
  readonly store: StoreName;
  readonly references: readonly string[];
  /** The counts of deliveries, handlers and processes. */
  readonly counts: Readonly<Record<string, number>>;
  /** The number of effects of each reference. */
  readonly effects: ReadonlyMap<string, number>;
  /** The effects that were not committed, with the processes that had them. */
  readonly open: readonly { readonly reference: string; readonly pid: number }[];
  /** The IDs of the processes that were killed. */
  readonly killed: ReadonlySet<number>;
  /** The number of references whose effect happened again after 100 days: with an order that is settled, and without. */
  readonly later: { readonly settled: number; readonly unguarded: number };
}

/** Accounts for each reference: one effect, and on Redis more only if a kill came between the effect and its commit. */
export function accountForRace({ store, references, counts, effects, open, killed, later }: Findings): Account[] {
  const count = (what: string) => counts[what] ?? 0;
  const cutOff = new Set(open.filter(({ pid }) => killed.has(pid)).map(({ reference }) => reference));
  const twice = references.filter((reference) => (effects.get(reference) ?? 0) > 1);
  const perhaps = store === "redis" ? any : none;
  const happened = store === "memory" ? any : some;
  return [
    some("references, each delivered three times", references),
    some("handler runs", count("handler runs")),
    some("… that threw", count("handlers that threw")),
    some("… that stalled past the deadline", count("handlers that stalled")),
    happened("processes killed", count("processes killed")),
    none("processes that crashed", count("processes crashed")),
    some("acknowledged SUCCESS", count("acknowledged SUCCESS")),
    some("acknowledged DUPLICATE", count("acknowledged DUPLICATE")),
    some("acknowledged FAILED", count("acknowledged FAILED")),
    any("no response", count("no response")),
    none("acknowledged too late", count("acknowledged too late")),
    none("acknowledged before the commit", count("acknowledged before the commit")),
    none(
      "references lost",
      references.filter((reference) => !effects.has(reference)),
    ),
    perhaps(
      "effects twice, where the process was killed between effect and commit",
      twice.filter((reference) => cutOff.has(reference)),
    ),
    none(
      "effects twice for any other reason",
      twice.filter((reference) => !cutOff.has(reference)),
    ),
    none("effects again after 100 days, with `settled`", later.settled),
    // Redis and memory keep references for 90 days, Postgres indefinitely.
    (store === "postgres" ? none : any)("… without it", later.unguarded),
  ];
}
