import type { ApiErrorKind } from "../../errors/base.ts";
import { type AdvisedOperation, askAgain } from "./details.ts";

interface Advice {
  /** Advice for the caller. */
  readonly advice: string;
  /** Advice if the call was a look-up, which is safe to retry. */
  readonly forLookUp?: string;
  /** Advice about the tokens of an area, by its name. */
  readonly inArea?: Readonly<Record<string, string>>;
}

const advices: Readonly<Record<ApiErrorKind, Advice>> = {
  authentication: {
    advice: "Check `clientId` and `clientSecret` (partner panel, Developers, Developer Setting, Credentials).",
  },
  permission: {
    advice:
      "The credentials may not do this, or this machine's public IP address has to be registered with the service.",
  },
  not_found: { advice: "The service has nothing for this request. If that is unexpected, check the base URL." },
  invalid: {
    advice: "Correct the request before sending it again.",
    inArea: { ai: "Change the text, the images or the conversation before sending it again." },
  },
  session_expired: {
    advice: "Begin again: the session, or a token of the request, is invalid or too old.",
    inArea: {
      ai: "Begin a new conversation: the `context_token` is invalid or too old.",
      flights: "Search again: the trace or token is invalid or too old.",
    },
  },
  offer_unavailable: { advice: "Quote or search again: the offer or its price is gone." },
  trace_mismatch: { advice: "Use the `trace_id` and the `token` of the same search." },
  duplicate: {
    advice: "Look up what exists already; do not retry.",
    inArea: { ai: "Call again with another `client_referenceId`." },
    forLookUp: "Call again with another `client_referenceId`.",
  },
  in_progress: {
    advice: "Look the result up later; do not retry.",
    inArea: { ai: askAgain },
    forLookUp: "Look it up again later.",
  },
  insufficient_balance: { advice: "Add funds to the account first." },
  rate_limited: { advice: "Call less often; `retryAfter` says when to retry, if the service named a time." },
  unavailable: { advice: "The service could not respond; retry later." },
  unknown: { advice: "See `serviceMessage` and `body` on this error." },
};

/** Advice after a 404 that is not the service's: of a gateway, or of a server without this path. */
export const wrongPath = "Nothing responds at this path: check `baseUrl` and `pathPrefixes`.";

/** Advice after a refusal of the method or the media type, which this library sets. */
const wrongRequest =
  "This is about the path or the headers: check `baseUrl`, and that your own `fetch`, if any, passes its `init` on.";

/** @param status - The status or the code of the refusal. */
export function adviseOn(kind: ApiErrorKind, { area, retry }: AdvisedOperation, status?: number): string {
  if (kind === "invalid" && (status === 405 || status === 415)) return wrongRequest;
  const { advice, forLookUp, inArea = {} } = advices[kind];
  if (Object.hasOwn(inArea, area)) return inArea[area] ?? advice;
  return (retry === "safe" ? forLookUp : undefined) ?? advice;
}
