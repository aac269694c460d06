import type { ApiErrorKind, ErrorDetails, Outcome } from "../../errors/base.ts";
import type { CalledOperation } from "../request.ts";

/** Advice after a refusal, one sentence for each kind. */
const afterRefusal: Record<ApiErrorKind, string> = {
  authentication: "Check `clientId` and `clientSecret` (partner panel, Developers, Developer Setting, Credentials).",
  permission:
    "The credentials may not do this, or this machine's public IP address has to be registered with the service.",
  not_found: "The service has nothing for this request. If that is unexpected, check the base URL.",
  invalid: "Correct the request before sending it again.",
  session_expired: "Begin again: the session, or a token of the request, is invalid or too old.",
  offer_unavailable: "Quote or search again: the offer or its price is gone.",
  trace_mismatch: "Use the `trace_id` and the `token` of the same search.",
  duplicate: "Look up what exists already; do not retry.",
  in_progress: "Look the result up later; do not retry.",
  insufficient_balance: "Add funds to the account first.",
  rate_limited: "Call less often; `retryAfter` says when to retry, if the service named a time.",
  unavailable: "The service could not respond; retry later.",
  unknown: "See `serviceMessage` and `body` on this error.",
};

/** Advice that differs for a look-up, which is safe to retry. */
const afterRefusedLookUp: Partial<Record<ApiErrorKind, string>> = {
  duplicate: "Call again with another `client_referenceId`.",
  in_progress: "Look it up again later.",
};

/** Advice about the tokens of an area, by its name. */
const afterRefusalIn: Readonly<Record<string, Partial<Record<ApiErrorKind, string>>>> = {
  ai: {
    session_expired: "Begin a new conversation: the `context_token` is invalid or too old.",
    invalid: "Change the text, the images or the conversation before sending it again.",
  },
  flights: { session_expired: "Search again: the trace or token is invalid or too old." },
};

/** Advice after a 404 that is not the service's: of a gateway, or of a server without this path. */
export const wrongPath = "Nothing responds at this path: check `baseUrl` and `pathPrefixes`.";

const lookFirst = "It may have been carried out: look it up by its `client_referenceId` before you retry.";

/** The operation, as far as advice depends on it. */
type AdvisedOperation = Pick<CalledOperation, "area" | "retry">;

/** The facts about a failure other than its kind. */
type Known = Pick<ErrorDetails, "outcome" | "isRetryable">;

/** Returns the advice for a kind of refusal. */
export function adviseOn(kind: ApiErrorKind, { area, retry }: AdvisedOperation): string {
  const forLookUp = retry === "safe" ? afterRefusedLookUp[kind] : undefined;
  const inArea = Object.hasOwn(afterRefusalIn, area) ? afterRefusalIn[area]?.[kind] : undefined;
  return inArea ?? forLookUp ?? afterRefusal[kind];
}

/** Returns the advice when all that is known is whether the call may have been carried out. */
export function adviseBy(outcome: Outcome, { retry }: Pick<CalledOperation, "retry">): string {
  if (outcome === "notSent") return "Nothing was sent.";
  if (retry === "safe") return "It is safe to retry.";
  return outcome === "rejected" ? "Nothing was done." : lookFirst;
}

/** Returns the advice for a refusal: by its kind, unless the call may have been carried out. */
export function adviseOnRefusal(
  kind: ApiErrorKind,
  { outcome, isRetryable }: Known,
  operation: AdvisedOperation,
): string {
  const isOpen = outcome === "unknown" && !isRetryable && (operation.retry === "never" || kind === "unavailable");
  return isOpen && kind !== "duplicate" && kind !== "in_progress"
    ? adviseBy("unknown", operation)
    : adviseOn(kind, operation);
}

/** Returns the advice for a body that is not a response of the service; `kind` is that of its HTTP status. */
export function adviseOnUnexpected(
  kind: ApiErrorKind,
  { outcome, isRetryable }: Known,
  operation: AdvisedOperation,
): string {
  if (isRetryable) return adviseBy("unknown", { retry: "safe" });
  if (kind === "not_found") return wrongPath;
  return outcome === "unknown" ? adviseBy("unknown", operation) : adviseOn(kind, operation);
}

/** Returns whether a value is one of the kinds of refusal. */
export function isApiErrorKind(value: unknown): value is ApiErrorKind {
  return typeof value === "string" && Object.hasOwn(afterRefusal, value);
}
