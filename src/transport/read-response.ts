import type { Issue, ServiceApiError } from "../errors/base.ts";
import type { OperationResponse } from "../operation.ts";
import { defaults } from "../options.ts";
import { moreIssues } from "../shared/issue-list.ts";
import { field, isObject, repeatsName, trimmedScalar } from "../shared/json.ts";
import { makeResponse } from "../shared/make-response.ts";
import { noSchema } from "../shared/no-schema.ts";
import { boolean } from "../shared/options.ts";
import { essentialIssues, validate } from "../shared/validate.ts";
import type { CallResult } from "./call.ts";
import { type Echoes, readEchoes } from "./echo.ts";
import { askHook, callHook, redactedRequestId } from "./errors/details.ts";
import { apiError, redirectError } from "./errors/refusal.ts";
import { responseValidationError, unexpectedResponseError } from "./errors/unusable-response.ts";
import { type AnyResponse, type ResponseHead, toResponse } from "./fetch.ts";
import { isWhole, type ReadBody, readJson } from "./read-body.ts";
import { type CalledOperation, operationResponse, type PreparedCall } from "./request.ts";

/** A response whose headers have arrived. */
export interface Arrival {
  readonly response: AnyResponse;
  /** Milliseconds from the request to the headers. */
  readonly headersTime: number;
}

/** Reads the body and decides whether it is a success; throws the typed error if it is not. */
export async function readResponse(call: PreparedCall, { response, headersTime }: Arrival): Promise<CallResult> {
  const { operation, reporter } = call;
  const read = await readBody(call, response, headersTime);
  if (!read.ok) throw unreadable(call, response, read);
  const body = read.value;
  reporter.body(body);
  if (!isObject(body)) throw unreadable(call, response, { ...read, ok: false, reason: "notObject", body });

  const echoes = echoesOf(call, response, body);
  const seen = operationResponse(response, body);
  const isSuccess = isSuccessOf(call, seen);
  if (isSuccess === true) return await successOf(call, response, body, { seen, echoes });

  const { verdict } = seen;
  if (verdict === "success" && response.status >= 400) {
    throw unexpectedResponseError(call, response, { reason: "successUnderErrorStatus", text: read.text, body });
  }
  if (response.status >= 400 || verdict === "failed" || verdict === "pending") {
    throw apiError(call, response, body);
  }
  const notSuccess = uncheckedStatus(operation, seen);
  if (notSuccess.length > 0) throw responseValidationError(call, response, body, notSuccess);
  refuseMissing(call, response, body, echoes);
  const found = schemaIssues(call, body);
  const issues = reported(call, { seen, echoes }, found === undefined ? [] : await found);
  const isRefused = call.options.validation?.response === "strict" && issues.length > 0;
  const isUnusable = essentialIssues(operation.essential, issues).length > 0;
  if (isSuccess === false || isRefused || isUnusable) throw responseValidationError(call, response, body, issues);
  return resultOf(call, response, body, issues);
}

/**
 * A redirect is not followed. Its body is read only if it may decide the outcome: a 303 after a booking says that it was
 * made, and its body may name it.
 */
export async function readRedirect(call: PreparedCall, arrival: Arrival): Promise<CallResult> {
  const { response, headersTime } = arrival;
  const { retry, isSuccess } = call.operation;
  if ((retry !== "never" && isSuccess === undefined) || response.body === null) {
    reportResponse(call, arrival);
    throw redirectError(call, response);
  }
  const read = await readBody(call, response, headersTime);
  const body = read.ok ? read.value : read.text;
  // If a `fetch` followed a redirect, the response is not the service's.
  if (response.redirected || !isObject(body)) {
    throw redirectError(call, response, { body, isWhole: read.ok || isWhole(read.reason) });
  }
  const echoes = echoesOf(call, response, body);
  const seen = operationResponse(response, body);
  if (isSuccessOf(call, seen) === true) {
    return await successOf(call, makeResponse(read.text, toResponse(response)), body, { seen, echoes });
  }
  const isRefusal = seen.verdict === "failed" || seen.verdict === "pending";
  throw isRefusal ? apiError(call, response, body) : redirectError(call, response, { body, isWhole: true });
}

/** The result of a call. */
export function resultOf(
  call: PreparedCall,
  response: AnyResponse,
  data: unknown,
  warnings: readonly Issue[],
): CallResult {
  const { clientReferenceId, progress, secrets } = call;
  return {
    data,
    response,
    attempts: progress.attempts,
    clientReferenceId,
    // Read when somebody asks: most calls are only awaited.
    get requestId() {
      return redactedRequestId(response, secrets);
    },
    warnings,
  };
}

/** Reports a response whose body the receiver reads. */
export function reportResponse(
  { reporter, progress, secrets }: PreparedCall,
  { response, headersTime }: Arrival,
  body?: { readonly bytes: number },
): void {
  reporter.report({
    type: "response",
    attempt: progress.attempts,
    httpStatus: response.status,
    // Read when somebody listens.
    get requestId() {
      return redactedRequestId(response, secrets);
    },
    duration: headersTime,
    ...body,
  });
}

async function readBody(call: PreparedCall, response: AnyResponse, headersTime: number): Promise<ReadBody> {
  const { operation, options, scope } = call;
  const startedAt = performance.now();
  const read = await readJson(response, options.maxResponseBytes ?? defaults.maxResponseBytes, scope);
  const { bytes } = read;
  reportResponse(call, { response, headersTime: headersTime + performance.now() - startedAt }, { bytes });
  // What a name says twice, a call that is sent once takes in neither sense.
  const isAmbiguous = read.ok && operation.retry === "never" && repeatsName(read.text, read.value);
  return isAmbiguous ? { ...read, ok: false, reason: "repeatedName" } : read;
}

/**
 * The body is not a response of the service. For a call that is sent once, a 4xx is a refusal whose words count, even
 * when a gateway wrote the page, unless a part of it is missing.
 */
function unreadable(
  call: PreparedCall,
  response: ResponseHead,
  read: ReadBody & { readonly ok: false; readonly body?: unknown },
): ServiceApiError {
  const { retry, isRejection, toUnknownOutcomeError } = call.operation;
  const isJudged = retry === "never" || isRejection !== undefined || toUnknownOutcomeError !== undefined;
  const isRefusal = isJudged && response.status >= 400 && response.status < 500;
  return isRefusal && (isWhole(read.reason) || read.reason === "notObject")
    ? apiError(call, response, read.body, read.text)
    : unexpectedResponseError(call, response, read);
}

/** Returns what the operation calls a success. From here on neither a deadline nor an abort ends the call. */
async function successOf(
  call: PreparedCall,
  response: AnyResponse,
  body: Record<string, unknown>,
  read: ReadResponse,
): Promise<CallResult> {
  refuseMissing(call, response, body, read.echoes);
  call.scope.close();
  return resultOf(call, response, body, await warningsOf(call, read, body));
}

/** The status of a response, and its echoes of the request. */
interface ReadResponse {
  readonly seen: OperationResponse;
  readonly echoes: Echoes;
}

/** Compares the response with its request, before anything else that it says counts: it may be somebody else's. */
function echoesOf(call: PreparedCall, response: ResponseHead, body: Record<string, unknown>): Echoes {
  const echoes = readEchoes(call, body);
  if (echoes.refused.length > 0) throw responseValidationError(call, response, body, echoes.refused, "otherRequest");
  return echoes;
}

/** Refuses to return a response without a field that shows whose it is. */
function refuseMissing(call: PreparedCall, response: ResponseHead, body: unknown, { missing }: Echoes): void {
  if (missing.length > 0) throw responseValidationError(call, response, body, missing, "otherRequest");
}

/** Returns what the operation itself says of the response, if it judges responses. */
function isSuccessOf(call: PreparedCall, seen: OperationResponse): boolean | undefined {
  const { isSuccess: hook } = call.operation;
  return hook && askHook(call, "isSuccess", () => hook(seen, call.options), boolean);
}

/** Returns the warnings about a response that the operation calls a success. */
async function warningsOf(
  call: PreparedCall,
  read: ReadResponse,
  body: Record<string, unknown>,
): Promise<readonly Issue[]> {
  const { httpStatus, verdict } = read.seen;
  const issues = [...reported(call, read, await caught(() => schemaIssues(call, body)))];
  if (verdict !== "success" && !issues.some(({ path }) => path[0] === "status")) {
    issues.push({ path: ["status"], message: "does not say success", code: "unexpected_status" });
  }
  if (httpStatus < 200 || httpStatus >= 300) {
    issues.push({ path: [], message: `came with HTTP ${httpStatus}`, code: "unexpected_http_status" });
  }
  return issues;
}

/** A check that throws becomes an issue: what the operation calls a success reaches the caller. */
async function caught(check: () => Promise<readonly Issue[]> | undefined): Promise<readonly Issue[]> {
  try {
    return (await check()) ?? [];
  } catch {
    return [{ path: [], message: "could not be checked: the check of this operation threw", code: "not_checked" }];
  }
}

/** Returns the differences of the response from the operation's schema, or undefined at once if there are none. */
function schemaIssues(call: PreparedCall, body: unknown): Promise<readonly Issue[]> | undefined {
  const { operation, options } = call;
  if (options.validation?.response === "off") return undefined;
  return callHook(call, () => validate(operation.body, body, operation.name));
}

/** Returns and reports all differences of a response: from its request, within itself, and from the schema. */
function reported(call: PreparedCall, { seen, echoes }: ReadResponse, found: readonly Issue[]): readonly Issue[] {
  if (call.options.validation?.response === "off") return found;
  const issues = [...echoes.warned, ...contradictions(seen), ...found];
  if (issues.length === 0) return issues;
  const paths = issues.filter(({ code }) => code !== moreIssues).map(({ path }) => path.join("."));
  call.reporter.report({ type: "drift", paths });
  return issues;
}

function contradictions({ verdict, statusCode, body }: OperationResponse): readonly Issue[] {
  if (verdict !== "success" || !(Number(statusCode) >= 400)) return [];
  return [refusalCode(body, "is the code of a refusal, beside a success")];
}

/**
 * Returns an issue if a body that no schema describes has a status that is not a success: what a word like "ERROR"
 * means is for the caller to say. The status was not one of those that the service documents. A success of a call that is
 * sent once has no code of a refusal beside it, and says that it is one.
 */
export function uncheckedStatus(
  operation: Pick<CalledOperation, "body" | "isSuccess" | "retry">,
  { body, statusCode, httpStatus }: Pick<OperationResponse, "body" | "statusCode" | "httpStatus">,
): readonly Issue[] {
  if (operation.isSuccess !== undefined) return none;
  const isOnce = operation.retry === "never";
  if (isOnce && statusCode !== undefined && !isDone(statusCode))
    return [refusalCode(body, "is not that of a success: pass `isSuccess` if it is")];
  if (isOnce && !isDone(String(httpStatus)))
    return unexpected("status", "comes under an HTTP status that is not 200 or 201");
  if (operation.body["~standard"].vendor !== noSchema) return none;
  const said = Object.entries(body ?? {}).filter(
    ([name, value]) => /^(status|success)$/i.test(name) && value !== undefined && (isOnce || value !== null),
  );
  if (isOnce && statusCode === undefined && said.length === 0) return unexpected("status");
  const other = said.find(([name, value]) => {
    const text = value === true ? "true" : trimmedScalar(value);
    // Of a look-up, `success` may also hold what it found.
    if (!isOnce && /^success$/i.test(name)) return value === false || /^(false|0)$/i.test(text);
    return !/^(success|true|yes|y|1|20[01])$/i.test(text);
  });
  return other === undefined ? none : unexpected(other[0]);
}

/** 101 is the code of a verification that succeeded (§2). */
function isDone(code: string): boolean {
  return /^(?:101|20[01])$/.test(code);
}

/** Returns an issue of the code of a response, under the name that it has there. */
export function refusalCode(body: unknown, message: string): Issue {
  const name = field(body, "statusCode") === undefined ? "status_code" : "statusCode";
  return { path: [name], message, code: "unexpected_value" };
}

function unexpected(name: string, message = unsaid): readonly Issue[] {
  return [{ path: [name], message, code: "unexpected_status" }];
}

const none: readonly Issue[] = [];
const unsaid = "does not say success: pass `isSuccess`, or a schema for `body` that accepts it";
