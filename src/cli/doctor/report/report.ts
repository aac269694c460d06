import { type CheckGroup, noneFailed } from "../checks/check.ts";
import type { CallRecord } from "../live/call-record.ts";
import type { Finding } from "../live/judge.ts";

/** Everything that a run found. */
export interface Report {
  readonly groups: readonly CheckGroup[];
  readonly calls: readonly CallRecord[];
  /** Empty if no call was made. */
  readonly findings: readonly Finding[];
}

/** The end of a call: accepted, refused by the service, or without a usable response. */
export type CallState = "accepted" | "refused" | "failed";

/** Returns how a call ended. */
export function stateOf({ error, envelope }: CallRecord): CallState {
  if (error === undefined) return "accepted";
  return envelope.verdict === "failed" || envelope.verdict === "pending" ? "refused" : "failed";
}

/** Returns whether no check failed, every call got a usable response, and no assumption was seen broken. */
export function isHealthy({ groups, calls, findings }: Report): boolean {
  const checks = groups.flatMap((group) => group.checks);
  return (
    noneFailed(checks) &&
    calls.every((call) => stateOf(call) !== "failed") &&
    findings.every(({ seen }) => seen !== "broken")
  );
}
