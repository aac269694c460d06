import { type CheckGroup, noneFailed } from "../checks/check.ts";
import type { CallRecord } from "../live/call-record.ts";
import { refusalOf } from "../live/failures.ts";
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
  const isStated = error.kind === "stream_failed" ? error.reason === "failed" : refusalOf(error) !== undefined;
  return isStated && envelope.verdict !== "unknown" ? "refused" : "failed";
}

/** Refusals of a look-up that are its result: the service has nothing, or is still looking. */
const results: ReadonlySet<string> = new Set(["not_found", "in_progress"]);

/** Returns whether a call had the response that it was made for. */
export function isUsable(call: CallRecord): boolean {
  const state = stateOf(call);
  if (state !== "refused") return state === "accepted";
  return call.name === "refusal" ? call.gotThrough : results.has(call.error?.kind ?? "");
}

/** Returns whether an assumption was seen broken and something has to be done about it. */
export function needsAction({ seen, adapts }: Finding): boolean {
  return seen === "broken" && !adapts;
}

/** Returns whether no check failed, every call had a usable response, and no broken assumption needs an action. */
export function isHealthy({ groups, calls, findings }: Report): boolean {
  const checks = groups.flatMap((group) => group.checks);
  return noneFailed(checks) && calls.every(isUsable) && !findings.some(needsAction);
}
