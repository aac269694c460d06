import type { Issue } from "../errors/base.ts";
import type { SentCall } from "../operation.ts";

/** `data.trace_id` is the request's own (§4.4, §4.5): a response with another belongs to somebody else's search. */
export function traceMismatch(body: Readonly<Record<string, unknown>>, { body: sent }: SentCall): readonly Issue[] {
  const { trace_id: answered } = Object(body.data);
  const isGiven = (typeof answered === "string" && answered !== "") || typeof answered === "number";
  if (!isGiven || String(answered) === String(sent.trace_id)) return [];
  return [{ path: ["data", "trace_id"], message: "is not the trace_id that was sent", code: "trace_mismatch" }];
}
