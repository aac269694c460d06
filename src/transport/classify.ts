import type { ApiErrorKind } from "../errors/base.ts";

/** What the kind of an error is read from. */
export interface Refusal {
  readonly httpStatus: number;
  readonly statusCode: string | undefined;
  readonly serviceMessage: string | undefined;
}

interface Row {
  readonly kind: ApiErrorKind;
  /** The body's code, or the HTTP status where the body names none of 400 and above. */
  readonly codes?: readonly number[];
  readonly message?: RegExp;
}

/**
 * From what the service says to the kind of error: the first row with a matching code or message decides (policy 11).
 * What the rows stand on: the conditions named in §7, and the invented samples where §7 shows no body.
 */
const table: readonly Row[] = [
  { kind: "authentication", codes: [401] },
  { kind: "rate_limited", codes: [429] },
  { kind: "permission", codes: [403], message: /\bip\b.*(not|un) ?registered|access (is )?restricted/i },
  { kind: "trace_mismatch", message: /trace.?id\b.*(does not|doesn't|not) match|trace.*mismatch/i },
  {
    kind: "session_expired",
    message: /session.*expired|\b(invalid|malformed|expired)\b.*token|token.*\b(invalid|malformed|expired)\b/i,
  },
  { kind: "in_progress", codes: [102, 202, 206], message: /in progress|being processed|partial(ly)? book/i },
  { kind: "duplicate", codes: [208], message: /already (been )?(confirmed|booked|processed)|duplicate/i },
  {
    kind: "offer_unavailable",
    message: /(flight|fare|offer|seat).*(no longer|not) available|sold out|price (has |have )?changed/i,
  },
  { kind: "insufficient_balance", codes: [402], message: /insufficient.*(balance|funds)/i },
  { kind: "not_found", codes: [404] },
  { kind: "duplicate", codes: [409] },
  { kind: "unavailable", codes: [408, 500, 501, 502, 503, 504] },
  { kind: "invalid", codes: [400, 405, 406, 410, 411, 413, 414, 415, 422] },
];

/** The kind of a refusal. */
export function classify(refusal: Refusal): ApiErrorKind {
  const code = effectiveCode(refusal);
  const row = table.find(
    ({ codes, message }) => codes?.includes(code) || (message?.test(refusal.serviceMessage ?? "") ?? false),
  );
  return row?.kind ?? (code >= 500 ? "unavailable" : "unknown");
}

/** The code that decides: the body's own where it is one of a refusal, else the HTTP status. */
export function effectiveCode({ httpStatus, statusCode }: Refusal): number {
  const code = Number(statusCode);
  if (code >= 400) return code;
  return httpStatus >= 400 || Number.isNaN(code) ? httpStatus : code;
}

/** What to do next, one sentence a kind. */
export const advice: Record<ApiErrorKind, string> = {
  authentication: "Check clientId and clientSecret (partner panel, Developers, Developer Setting, Credentials).",
  permission:
    "The credentials may not do this, or this machine's public IP address has to be registered with the service.",
  not_found: "There is nothing for what was asked.",
  invalid: "Correct the request before sending it again.",
  session_expired: "Search again (or begin a new conversation): the trace or token is invalid or too old.",
  offer_unavailable: "Quote or search again: the offer or its price is gone.",
  trace_mismatch: "Use the trace_id and the token of one and the same search.",
  duplicate: "Look up what exists already; do not repeat the call.",
  in_progress: "Look the result up later; do not repeat the call.",
  insufficient_balance: "Add funds to the account first.",
  rate_limited: "Call less often; retryAfter says when to come back, where the service does.",
  unavailable: "The service could not answer; try again later.",
  unknown: "See serviceMessage and body on this error.",
};
