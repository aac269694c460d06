import type { CallEnd } from "../ledger.ts";
import { type Account, any, none, some } from "./account.ts";
import { entriesOf, type Truth, tally } from "./truth.ts";

/** Accounts for each call that was begun: it has ended, or its process was killed. */
export function accountForCalls({ ledgers, exits, received }: Truth): Account[] {
  const killed = new Set(exits.filter(({ how }) => how === "killed").map(({ process }) => process));
  const ended = entriesOf(ledgers, "outcome");
  const hasEnded = new Set(ended.map(({ reference }) => reference));
  const begun = ledgers.flatMap((ledger) =>
    entriesOf([ledger], "call").map(({ reference }) => ({ reference, isCutOff: killed.has(ledger.process) })),
  );
  const hasBegun = new Set(begun.map(({ reference }) => reference));
  const open = begun.filter(({ reference }) => !hasEnded.has(reference));
  const requests = tally(received.map(({ reference }) => reference));
  const timesReceived = ({ reference }: { readonly reference: string }) => requests.get(reference) ?? 0;
  const isReceived = (call: { readonly reference: string }) => timesReceived(call) > 0;
  const isOf =
    (...outcomes: readonly CallEnd["outcome"][]) =>
    ({ outcome }: CallEnd) =>
      outcomes.includes(outcome);
  return [
    some("calls begun", begun),
    some("… done", ended, isOf("done")),
    some("… refused by the service", ended, isOf("rejected")),
    any("… not sent", ended, isOf("notSent")),
    some("… reported as unknown", ended, isOf("unknown")),
    any("… cut off by the kill of their process", open, ({ isCutOff }) => isCutOff),
    none("… without an outcome for any other reason", open, ({ isCutOff }) => !isCutOff),
    none("reported as not sent, but received by the service", ended.filter(isOf("notSent")), isReceived),
    none(
      "reported as done or refused, but not received",
      ended.filter(isOf("done", "rejected")),
      (end) => !isReceived(end),
    ),
    none("requests beyond the attempts that were reported", ended, (end) => timesReceived(end) > end.attempts),
    none("requests received that no worker began", [...requests.keys()], (reference) => !hasBegun.has(reference)),
  ];
}
