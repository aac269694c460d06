import { DetectedFraming } from "../../../ai/framing.ts";
import type { AnyServiceApiError } from "../../../errors/any.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { defaults } from "../../../options.ts";
import { isObject, parseJson } from "../../../shared/json.ts";
import { type Envelope, readEnvelope } from "../../../transport/classify.ts";
import { isPathUnknown } from "./failures.ts";
import type { CallName, PlannedCall, Sent } from "./plan.ts";
import type { Exchange } from "./recorder.ts";

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** One call that was made: what the wire showed, and what the library made of it. */
export interface CallRecord {
  readonly name: CallName;
  readonly operation: string;
  /** Milliseconds until the call had ended. */
  readonly duration: number;
  /** Absent if no response came. */
  readonly exchange: Exchange | undefined;
  /** The body; undefined if it is not a JSON object, or is a stream. */
  readonly body: Fields | undefined;
  readonly envelope: Envelope;
  /** The events of a stream, unchanged. */
  readonly events: readonly Fields[];
  readonly warnings: readonly ValidationIssue[];
  readonly textMismatch: boolean;
  /** Absent if the library accepted the response. */
  readonly error: AnyServiceApiError | undefined;
  /** Whether the service itself responded, and to these credentials. */
  readonly gotThrough: boolean;
}

/** Puts together what is known of a call that has ended. */
export function callRecord(
  { name, operation }: PlannedCall,
  duration: number,
  exchange: Exchange | undefined,
  result: Partial<Sent> & { readonly error?: AnyServiceApiError },
): CallRecord {
  const events = exchange === undefined || name !== "stream" ? [] : eventsOf(exchange);
  const parsed = parseJson(exchange?.text ?? "");
  const body = isObject(parsed) && events.length <= 1 ? parsed : undefined;
  const envelope = readEnvelope(body ?? events[0]);
  const { warnings = [], textMismatch = false, error } = result;
  const isRefused = error !== undefined && (notThrough.has(error.kind) || isPathUnknown({ exchange, body }));
  // A malformed number that is only "not found" may not have been looked at.
  const isUnread = name === "refusal" && error?.kind === "not_found";
  const gotThrough = error === undefined || (envelope.verdict !== "unknown" && !isRefused && !isUnread);
  return { name, operation, duration, exchange, body, envelope, events, warnings, textMismatch, error, gotThrough };
}

/** Kinds of refusal that say nothing of the credentials, or refuse them. */
const notThrough: ReadonlySet<string> = new Set(["authentication", "permission", "rate_limited", "unavailable"]);

/** Cuts a stream as the library does. */
function eventsOf({ contentType, text }: Exchange): readonly Fields[] {
  const framing = new DetectedFraming(contentType, defaults.stream.maxEventBytes);
  return [...framing.push(text), ...framing.end()].flatMap((piece) => {
    const event = piece.kind === "frame" ? parseJson(piece.data) : undefined;
    return isObject(event) ? [event] : [];
  });
}
