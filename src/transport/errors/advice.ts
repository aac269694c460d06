import type { ApiErrorKind, Outcome } from "../../errors/base.ts";
import { type AdvisedOperation, askAgain } from "./details.ts";

/** The meaning of a kind of refusal. */
interface RefusalKind {
  /** Advice for the caller. */
  readonly advice: string;
  /** Advice if the call was a look-up, which is safe to retry. */
  readonly forLookUp?: string;
  /** Advice about the tokens of an area, by its name. */
  readonly inArea?: Readonly<Record<string, string>>;
  /** Its outcome: `unknown` if the call may have been carried out, or may still be. */
  readonly outcome: Extract<Outcome, "rejected" | "unknown">;
  /** Whether the same call may succeed a little later. */
  readonly isTemporary?: true;
  /** Whether every other call would be refused as well. */
  readonly isForAll?: true;
}

/** One row for each kind of refusal: whatever depends on the kind alone. */
export const refusalKinds: Readonly<Record<ApiErrorKind, RefusalKind>> = {
  authentication: {
    outcome: "rejected",
    advice: "Check `clientId` and `clientSecret` (partner panel, Developers, Developer Setting, Credentials).",
    isForAll: true,
  },
  permission: {
    outcome: "rejected",
    advice:
      "The credentials may not do this, or this machine's public IP address has to be registered with the service.",
    isForAll: true,
  },
  not_found: {
    outcome: "rejected",
    advice: "The service has nothing for this request. If that is unexpected, check the base URL.",
  },
  invalid: {
    outcome: "rejected",
    advice: "Correct the request before sending it again.",
    inArea: { ai: "Change the text, the images or the conversation before sending it again." },
  },
  session_expired: {
    outcome: "rejected",
    advice: "Begin again: the session, or a token of the request, is invalid or too old.",
    inArea: {
      ai: "Begin a new conversation: the `context_token` is invalid or too old.",
      flights: "Search again: the trace or token is invalid or too old.",
    },
  },
  offer_unavailable: { outcome: "rejected", advice: "Quote or search again: the offer or its price is gone." },
  trace_mismatch: { outcome: "rejected", advice: "Use the `trace_id` and the `token` of the same search." },
  duplicate: {
    outcome: "unknown",
    advice: "Look up what exists already; do not retry.",
    inArea: { ai: "Call again with another `client_referenceId`." },
    forLookUp: "Call again with another `client_referenceId`.",
  },
  in_progress: {
    outcome: "unknown",
    advice: "Look the result up later; do not retry.",
    inArea: { ai: askAgain },
    forLookUp: "Look it up again later.",
  },
  insufficient_balance: { outcome: "rejected", advice: "Add funds to the account first.", isForAll: true },
  rate_limited: {
    outcome: "rejected",
    advice: "Call less often; `retryAfter` says when to retry, if the service named a time.",
    isTemporary: true,
  },
  unavailable: {
    outcome: "unknown",
    advice: "The service could not respond; retry later.",
    isTemporary: true,
  },
  unknown: { outcome: "rejected", advice: "See `serviceMessage` and `body` on this error." },
};

/** Advice after a 404 that is not the service's: of a gateway, or of a server without this path. */
export const wrongPath = "Nothing responds at this path: check `baseUrl` and `pathPrefixes`.";

/** Returns the advice for a kind of refusal. */
export function adviseOn(kind: ApiErrorKind, { area, retry }: AdvisedOperation): string {
  const { advice, forLookUp, inArea = {} } = refusalKinds[kind];
  if (Object.hasOwn(inArea, area)) return inArea[area] ?? advice;
  return (retry === "safe" ? forLookUp : undefined) ?? advice;
}

/** Returns whether a value is one of the kinds of refusal. */
export function isApiErrorKind(value: unknown): value is ApiErrorKind {
  return typeof value === "string" && Object.hasOwn(refusalKinds, value);
}
