import type { ErrorKind } from "../../../errors/base.ts";
import type { CallRecord } from "../live/call-record.ts";
import { isUsable, stateOf } from "./report.ts";

const searchAgain = "Search again, and pass the new trace_id and token to --quote.";
const runAgain = "Wait, and run it again.";
const readAccess = "See what to do under Access.";

const byKind: Readonly<Partial<Record<ErrorKind, string>>> = {
  session_expired: searchAgain,
  offer_unavailable: searchAgain,
  trace_mismatch: searchAgain,
  rate_limited: runAgain,
  unavailable: runAgain,
  duplicate: runAgain,
  authentication: readAccess,
  permission: readAccess,
  stream_failed: "Run it again; if it fails again, ask the service operator.",
};

/** Returns the next step after a call that the service refused; undefined if nothing has to be done. */
export function adviceOnCall(call: CallRecord): string | undefined {
  if (stateOf(call) !== "refused" || isUsable(call)) return undefined;
  return byKind[call.error?.kind ?? "invalid"] ?? "Check the value that was passed for this call.";
}
