import type { Issue } from "../errors/base.ts";
import type { SentCall } from "../operation.ts";

/** Returns an issue if `data.trace_id` is not that of the request (§4.4, §4.5): the response belongs to another search. */
export function traceMismatch(body: Readonly<Record<string, unknown>>, { body: sent }: SentCall): readonly Issue[] {
  const { trace_id: received } = Object(body.data);
  const isGiven = (typeof received === "string" && received !== "") || typeof received === "number";
  if (!isGiven || String(received) === String(sent.trace_id)) return [];
  return [{ path: ["data", "trace_id"], message: "is not the trace_id that was sent", code: "trace_mismatch" }];
}
