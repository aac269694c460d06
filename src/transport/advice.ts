import type { ApiErrorKind, Outcome } from "../errors/base.ts";
import type { RetryClass } from "../operation.ts";

/** What to do after a refusal, one sentence for each kind. */
const afterRefusal: Record<ApiErrorKind, string> = {
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
  rate_limited: "Call less often; retryAfter says when to come back, if the service named a time.",
  unavailable: "The service could not respond; try again later.",
  unknown: "See serviceMessage and body on this error.",
};

/** A look-up is itself what one looks up with, and repeating it does no harm. */
const afterRefusedLookUp: Partial<Record<ApiErrorKind, string>> = {
  duplicate: "Repeat the call with another client_referenceId.",
  in_progress: "Repeat the call later; that does no harm.",
};

const lookFirst = "It may have been carried out: look it up by its client_referenceId before repeating it.";

/** What to do when the response decides nothing: by what is known of the call's effect, and by what repeating it does. */
const byOutcome: Record<Outcome, Record<RetryClass, string>> = {
  notSent: { safe: "Nothing was sent.", ifNotProcessed: "Nothing was sent.", never: "Nothing was sent." },
  rejected: { safe: "It may be repeated.", ifNotProcessed: "Nothing was done.", never: "Nothing was done." },
  unknown: { safe: "It may be repeated.", ifNotProcessed: lookFirst, never: lookFirst },
};

/** What to do after a refusal of this kind. */
export function adviseOn(kind: ApiErrorKind, retry: RetryClass): string {
  return (retry === "safe" ? afterRefusedLookUp[kind] : undefined) ?? afterRefusal[kind];
}

/** What to do when all that is known is whether the call may have been carried out. */
export function adviseBy(outcome: Outcome, retry: RetryClass): string {
  return byOutcome[outcome][retry];
}

/** Whether a value is one of the kinds under which the service refuses. */
export function isApiErrorKind(value: unknown): value is ApiErrorKind {
  return typeof value === "string" && Object.hasOwn(afterRefusal, value);
}
