import { createApiError } from "../../errors/api.ts";
import type { ApiErrorKind, ServiceApiError } from "../../errors/base.ts";
import { oneLine } from "../../errors/one-line.ts";
import { field } from "../../shared/json.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { classifiable, classify, effectiveCode, type OperationResponse, operationResponse } from "../classify.ts";
import type { ResponseHead } from "../fetch.ts";
import { redact, redactHeaders, redactJson } from "../redact.ts";
import type { RefusalProof } from "../refusals/proof.ts";
import type { CallContext, CalledOperation, PreparedCall } from "../request.ts";
import { parseRetryAfter } from "../retry-policy.ts";
import { adviseOnRefusal, isApiErrorKind, refusalKinds, wrongPath } from "./advice.ts";
import { askHook, detailsOf, namingRequest } from "./details.ts";

/**
 * Returns the error for a refusal by the service. The decisions use the unredacted response; redaction comes last.
 *
 * @param text - The body, if it is not JSON.
 */
export function apiError(call: RefusedCall, response: ResponseHead, body: unknown, text?: string): ServiceApiError {
  const { operation, secrets } = call;
  const seen = operationResponse(response, body, text);
  const proof = proofOf(call, seen);
  const kind = askCaller(call, seen) ?? kindOf(operation, seen, proof);
  const code = effectiveCode(seen);
  const retryAfter = parseRetryAfter(response.headers.get("retry-after"));
  const outcome = isRejection(call, seen, kind, proof) ? "rejected" : "unknown";
  const details = detailsOf(call, outcome, { type: "refusal", kind, code, retryAfter }, response);
  const unrecognized = outcome === "unknown" && kind !== "duplicate" ? redact(proof?.unrecognized, secrets) : undefined;
  const statusCode = redact(seen.statusCode, secrets);
  const serviceMessage = text === undefined ? redact(seen.serviceMessage, secrets) : undefined;
  return createApiError(kind, {
    ...details,
    message:
      `${operation.name}: the service refused the call (${kind}, HTTP ${response.status}, code ${statusCode?.slice(0, 40) ?? "none"})${quoted(serviceMessage)}. ` +
      `${kind === "unknown" && response.status === 404 ? wrongPath : adviseOnRefusal(kind, details, operation)}${namingUnrecognized(unrecognized)}${namingRequest(details.requestId)}`,
    httpStatus: response.status,
    statusCode,
    serviceMessage,
    unrecognized,
    body: redactJson(seen.body, secrets),
    headers: redactHeaders(response.headers, secrets),
    retryAfter,
  });
}

/**
 * The kind by the built-in table. A 404 without a status or a code of the service says nothing of what was looked up:
 * it is that of a gateway, or of a server without this path. Web frameworks send a code as well, as a number.
 */
function kindOf({ retry }: CalledOperation, seen: OperationResponse, proof: RefusalProof | undefined): ApiErrorKind {
  const { verdict, serviceMessage = "", body } = seen;
  if (verdict === "pending") return "in_progress";
  const kind = classify(seen);
  if (kind === "unknown" && proof?.kind !== undefined) return proof.kind;
  const isNamed = ["status", "statusCode", "status_code"].some((name) => typeof field(body, name) === "string");
  const isUnsaid = verdict === "unknown" || (seen.httpStatus === 404 && !isNamed);
  const isOfGateway = retry === "safe" && isUnsaid && !/\bupi\b/i.test(classifiable(serviceMessage));
  return kind === "not_found" && isOfGateway ? "unknown" : kind;
}

/** The kind that `classifyError` returns. If it throws or returns none, the built-in table decides. */
function askCaller(
  { operation, options }: CallContext,
  { verdict: _, ...seen }: OperationResponse,
): ApiErrorKind | undefined {
  try {
    const kind: unknown = options.classifyError?.({ operation: operation.name, ...seen });
    ignoreRejection(kind);
    return isApiErrorKind(kind) ? kind : undefined;
  } catch {
    return undefined;
  }
}

/** A call whose refusal is made an error. */
type RefusedCall = CallContext & Pick<PreparedCall, "body">;

/** The proof that a call that is sent once was refused. Whether others were matters less. */
function proofOf({ operation, options, prove, body }: RefusedCall, seen: OperationResponse) {
  if (operation.retry !== "never") return undefined;
  const known = options.knownMessages?.refused ?? [];
  return prove?.(seen, { path: operation.path, sent: body, known }) ?? unproved;
}

const unproved: RefusalProof = { isProved: false };

/** Whether nothing was done. `classifyError` chooses the kind, and can only open an outcome. */
function isRejection(
  call: CallContext,
  seen: OperationResponse,
  kind: ApiErrorKind,
  proof: RefusalProof | undefined,
): boolean {
  const { isRejection: hook } = call.operation;
  if (hook !== undefined) return askHook(call, () => hook({ ...seen, kind })) === true;
  if (seen.verdict === "pending" || seen.verdict === "success" || refusalKinds[kind].outcome === "unknown")
    return false;
  // The result of what was carried out is elsewhere.
  const isElsewhere = seen.httpStatus === 303 && call.operation.retry !== "safe";
  return proof?.isProved ?? !(isElsewhere || isOpenStatus(seen.httpStatus) || isOpenStatus(effectiveCode(seen)));
}

/** Whether a status leaves open whether the call was carried out. */
export function isOpenStatus(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Says what keeps a refusal from being proved, and what to do if it is one. */
export function namingUnrecognized(part: string | undefined): string {
  if (part === undefined) return "";
  return ` "${oneLine(part)}" is not known as part of a refusal. If the operator confirms that nothing is done then, add the sentence to \`knownMessages.refused\`.`;
}

/** Returns the service's message, for an error message of one line. */
function quoted(serviceMessage: string | undefined): string {
  const said = serviceMessage?.slice(0, 200).replace(/[.\s]{1,200}$/, "");
  return said ? `: ${said}` : "";
}

/** The body of a redirect. */
export interface RedirectBody {
  readonly body: unknown;
  /** Whether it was received completely and is readable. */
  readonly isWhole: boolean;
}

/**
 * Returns the error for a redirect, which is not followed because the credentials would travel with it
 * (docs/assumptions.md, T3).
 *
 * @param came - The body, if it was read.
 */
export function redirectError(
  call: RefusedCall & { readonly url: string },
  response: ResponseHead,
  came?: RedirectBody,
): ServiceApiError {
  const { operation, secrets } = call;
  // A `fetch` that followed it has sent the call on, and this is not the service's response.
  const target = targetHost(response.redirected ? response.url : response.headers.get("location"), call.url);
  const seen = operationResponse(response, came?.body);
  const isClosed =
    !response.redirected && came?.isWhole !== false && isRejection(call, seen, "unknown", proofOf(call, seen));
  const details = detailsOf(call, isClosed ? "rejected" : "unknown", undefined, response);
  return createApiError("unknown", {
    ...details,
    message: `${operation.name}: the service redirects to ${redact(target, secrets)} (HTTP ${response.status}). Redirects are not followed, because the credentials would travel with them; correct \`baseUrl\`.${namingRequest(details.requestId)}`,
    httpStatus: response.status,
    statusCode: redact(seen.statusCode, secrets),
    serviceMessage: redact(seen.serviceMessage, secrets),
    body: redactJson(came?.body, secrets),
    headers: redactHeaders(response.headers, secrets),
  });
}

function targetHost(location: string | null, base: string): string {
  return location !== null && URL.canParse(location, base)
    ? new URL(location, base).host
    : "a URL that it does not name";
}
