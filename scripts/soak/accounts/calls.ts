import type { CallEnd } from "../ledger.ts";
import { type Account, any, none, some } from "./account.ts";
import { type Truth, tally } from "./truth.ts";

/** Accounts for each call that was begun: it has ended, or its process was killed. */
export function accountForCalls({ ledgers, exits, received }: Truth): Account[] {
  const killed = new Set(exits.filter(({ how }) => how === "killed").map(({ process }) => process));
  const begun = new Set<string>();
  const ends = new Map<string, CallEnd>();
  const cutOff: string[] = [];
  const missing: string[] = [];
  for (const { process, entries } of ledgers) {
    const calls = entries.filter((entry) => entry.type === "call").map(({ reference }) => reference);
    for (const entry of entries) if (entry.type === "outcome") ends.set(entry.reference, entry);
    for (const reference of calls) begun.add(reference);
    const open = calls.filter((reference) => !ends.has(reference));
    (killed.has(process) ? cutOff : missing).push(...open);
  }
  const requests = tally(received.map(({ reference }) => reference));
  const timesReceived = (reference: string) => requests.get(reference) ?? 0;
  const ended = [...ends];
  const of = (...outcomes: readonly CallEnd["outcome"][]) => ended.filter(([, end]) => outcomes.includes(end.outcome));
  return [
    some("calls begun", begun.size),
    some("… done", of("done")),
    some("… refused by the service", of("rejected")),
    any("… not sent", of("notSent")),
    some("… reported as unknown", of("unknown")),
    any("… cut off by the kill of their process", cutOff),
    none("… without an outcome for any other reason", missing),
    none(
      "reported as not sent, but received by the service",
      of("notSent").filter(([reference]) => timesReceived(reference) > 0),
    ),
    none(
      "reported as done or refused, but not received",
      of("done", "rejected").filter(([reference]) => timesReceived(reference) === 0),
    ),
    none(
      "requests beyond the attempts that were reported",
      ended.filter(([reference, { attempts }]) => timesReceived(reference) > attempts),
    ),
    none(
      "requests received that no worker began",
      [...requests.keys()].filter((reference) => !begun.has(reference)),
    ),
  ];
}
