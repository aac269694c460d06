import { eventsIn } from "../../../ai/framing.ts";
import { type AnyServiceApiError, isServiceApiError } from "../../../errors/any.ts";
import { type AnyApiError, ApiError } from "../../../errors/api.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import { nodeFetch } from "../../../node/node-fetch.ts";
import type { ClientOptions } from "../../../options.ts";
import { ServiceApi } from "../../../service-api.ts";
import { isObject, parseJson } from "../../../shared/json.ts";
import { readEnvelope } from "../../../transport/envelope.ts";
import { mobilePattern, normalizeMobile } from "../../../verification/rules.ts";
import { type FlagsOf, jsonOption, option, readers, type Unused } from "../../shared/command.ts";
import { maskNumber } from "../../shared/mask.ts";

export const liveOptions = [
  option("--live", "make the calls that the flags below allow, and no others"),
  option("--refusal", "ask for a malformed mobile number, which nobody has, to see a refusal"),
  option("--verify <mobile>", "verify a mobile number; needs --consent Y"),
  option("--consent <Y>", "the consent of the holder of the account that --verify asks about"),
  option("--ask [text]", "generate two AI responses, whole and as a stream"),
  option("--quote <trace_id token...>", "quote a flight: the trace_id and the token of a search result"),
  option("--rules", "also look up the fare rules of the flight of --quote"),
  option("--stream-timeout <ms>", "timeout of a whole stream (default: 180000)", readers.timeout),
  jsonOption(),
] as const;

export type LiveFlags = FlagsOf<typeof liveOptions>;

export function unusedLiveFlags({ live, verify, ask, quote }: LiveFlags): readonly Unused[] {
  const others = liveOptions.map((each) => each.attributeName()).filter((name) => name !== "live" && name !== "json");
  return [
    !live && ["without --live", ...others],
    verify === undefined && ["without --verify <mobile>", "consent"],
    ask === undefined && ["without --ask", "streamTimeout"],
    quote === undefined && ["without --quote <trace_id> <token>", "rules"],
  ];
}

export type CallName = "refusal" | "verify" | "ask" | "stream" | "quote" | "rules";

export interface PlannedCall {
  readonly name: CallName;
  readonly operation: string;
  /** Description of what it sends and may cost, for the list that is printed first. */
  readonly what: string;
  readonly send: (api: ServiceApi) => Promise<{ readonly warnings: readonly ValidationIssue[] }>;
}

/** Nobody has this number, and so nobody is asked about. */
const malformedMobile = "12345";

/** Returns the calls that the flags allow, in the order in which they are made. None of them books or changes anything. */
export function planCalls({ live, refusal, verify, consent, ask, quote, rules }: LiveFlags): readonly PlannedCall[] {
  if (!live) return [];
  const [trace_id = "", token = "", ...more] = quote ?? [];
  const user = { text: typeof ask === "string" ? ask : "Count from one to twenty in words." };
  const isMobile = verify === undefined || mobilePattern.test(normalizeMobile(verify));
  const isFlight = quote === undefined || (trace_id !== "" && token !== "" && more.length === 0);
  const calls: readonly (PlannedCall | false)[] = [
    refusal === true && {
      name: "refusal",
      operation: "verification.findVpas",
      what: `asks for the number ${malformedMobile}, which nobody has, to see a refusal; costs nothing if refusals are free`,
      send(api) {
        const asGiven = api.withOptions({ validation: { request: "off", mobile: "asGiven" } });
        return asGiven.verification.findVpas({ vpa_mobile: malformedMobile, consent: "Y" }).withResponse();
      },
    },
    verify !== undefined && {
      name: "verify",
      operation: "verification.findVpas",
      what: `verifies ${maskNumber(verify)}; costs one verification`,
      send: (api) => api.verification.findVpas({ vpa_mobile: verify, consent: "Y" }).withResponse(),
    },
    ask !== undefined && {
      name: "ask",
      operation: "ai.createResponse",
      what: "generates one whole response; costs the quota of one",
      send: (api) => api.ai.createResponse({ user }).withResponse(),
    },
    ask !== undefined && {
      name: "stream",
      operation: "ai.stream",
      what: "generates one response as a stream; costs the quota of one",
      async send(api) {
        const stream = api.ai.stream({ user });
        await stream.finalResponse();
        return stream;
      },
    },
    quote !== undefined && {
      name: "quote",
      operation: "flights.fareQuote",
      what: "asks for the price of the flight; books nothing",
      send: (api) => api.flights.fareQuote({ trace_id, token }).withResponse(),
    },
    rules === true && {
      name: "rules",
      operation: "flights.fareRule",
      what: "asks for the fare rules of the flight; books nothing",
      send: (api) => api.flights.fareRule({ trace_id, token }).withResponse(),
    },
  ];
  const allowed = calls.filter((call) => call !== false);
  const problem = [
    !isMobile && "--verify must be an Indian mobile number: ten digits, the first from 6 to 9.",
    verify !== undefined && consent !== "Y" && "--verify needs --consent Y, given by the holder of the account.",
    user.text.trim() === "" && "--ask: the text must not be empty.",
    !isFlight && "--quote needs two values of one flight search: <trace_id> <token>.",
    allowed.length === 0 &&
      "--live makes the calls that you allow. Allow at least one: --refusal, --verify <mobile> --consent Y, --ask, --quote <trace_id> <token>.",
  ].find((each) => each !== false);
  if (problem !== undefined) throw new ConfigurationError(problem);
  return allowed;
}

/** A response as it was on the wire. */
export interface Exchange {
  /** The client ID that was sent, to compare it with the one that comes back. */
  readonly clientId: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** The body as far as it was kept, and its size after decompression. */
  text: string;
  bytes: number;
  /** Longest time without a byte, in milliseconds. */
  longestPause: number;
}

/** The most that is kept of a body. What follows is counted, not kept. */
const maxKept = 1024 * 1024;

/** By default a stream has no timeout, and one that never ends would keep the other calls waiting. */
const defaultStreamTimeout = 180_000;

/** Makes the calls, one after the other and each once: a retry would cost what nobody allowed. */
export async function makeCalls(
  calls: readonly PlannedCall[],
  options: ClientOptions,
  { streamTimeout = defaultStreamTimeout }: LiveFlags,
): Promise<readonly CallRecord[]> {
  const send = nodeFetch();
  let exchange: Exchange | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await send(input, init);
    const clientId = new Headers(init?.headers).get("client-id");
    const { status, headers, body, url } = response;
    const noted: Exchange = { clientId, status, headers, text: "", bytes: 0, longestPause: 0 };
    exchange = noted;
    // `Response` refuses a status that servers may send.
    if (body === null || status < 200 || status > 599) return response;
    const decoder = new TextDecoder();
    let lastByteAt = performance.now();
    // Each byte passes without delay.
    const noting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const now = performance.now();
        noted.longestPause = Math.max(noted.longestPause, now - lastByteAt);
        lastByteAt = now;
        const kept = chunk.subarray(0, Math.max(0, maxKept - noted.bytes));
        noted.text += decoder.decode(kept, { stream: true });
        noted.bytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    return Object.defineProperty(new Response(body.pipeThrough(noting), response), "url", { value: url });
  };
  const stream = { idleTimeout: options.timeout || undefined, timeout: streamTimeout };
  const api = new ServiceApi({ ...options, maxRetries: 0, stream, fetch });
  const records: CallRecord[] = [];
  try {
    for (const call of calls) {
      exchange = undefined;
      const startedAt = performance.now();
      const result = await call.send(api).catch((error: unknown) => {
        const isOurs = isServiceApiError(error) && !/^(?:configuration|request_validation)$/.test(error.kind);
        if (!isOurs) throw error;
        return { error, warnings: [] };
      });
      records.push(callRecord(call, performance.now() - startedAt, exchange, result));
    }
    return records;
  } finally {
    send.close();
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** One call that was made: what the wire showed, and what the library made of it. */
export type CallRecord = ReturnType<typeof callRecord>;

export function callRecord(
  { name, operation }: Pick<PlannedCall, "name" | "operation">,
  duration: number,
  exchange: Exchange | undefined,
  { warnings, error }: { readonly warnings: readonly ValidationIssue[]; readonly error?: AnyServiceApiError },
) {
  // Cut as the library does.
  const parts = exchange && name === "stream" ? eventsIn(exchange.text, exchange.headers.get("content-type")) : [];
  const events: readonly Fields[] = parts.map(parseJson).filter(isObject);
  const parsed = parseJson(exchange?.text ?? "");
  /** Undefined if it is not a JSON object, or is a stream. */
  const body = isObject(parsed) && events.length <= 1 ? parsed : undefined;
  const envelope = readEnvelope(body ?? events[0]);
  const httpStatus = exchange?.status ?? null;
  /**
   * Whether something in front of the service, or another server, does not know the path. The service itself would have
   * sent a `status`; the code of a body proves nothing, because web frameworks send one as well.
   */
  const isPathUnknown = (httpStatus === 404 || httpStatus === 405) && !documentedStatus.test(`${body?.status}`);
  const isRefused = error !== undefined && (notThrough.has(error.kind) || isPathUnknown);
  // A malformed number that is only "not found" may not have been looked at.
  const isUnread = name === "refusal" && error?.kind === "not_found";
  /** Whether the service itself responded, and to these credentials. */
  const gotThrough = error === undefined || (envelope.verdict !== "unknown" && !isRefused && !isUnread);
  const isStated = error?.kind === "stream_failed" ? error.reason === "failed" : refusalOf(error) !== undefined;
  const isRefusal = isStated && envelope.verdict !== "unknown";
  const state = error === undefined ? "accepted" : isRefusal ? "refused" : "failed";
  // Refusals of a look-up that are its result: the service has nothing, or is still looking.
  const isResult = name === "refusal" ? gotThrough : error?.kind === "not_found" || error?.kind === "in_progress";
  const isUsable = state === "accepted" || (state === "refused" && isResult);
  return {
    ...{ name, operation, area: operation.split(".")[0], duration, exchange, body, envelope, events, warnings, error },
    ...{ isPathUnknown, gotThrough, state, isUsable, kind: error?.kind ?? null, httpStatus },
  };
}

/** Kinds of refusal that say nothing of the credentials, or refuse them. */
const notThrough: ReadonlySet<string> = new Set(["authentication", "permission", "rate_limited", "unavailable"]);

export const documentedStatus = /^(?:success|failed|pending|processing)$/i;

/** Returns a refusal by the service itself: not a redirect, and not a page of a gateway. */
export function refusalOf(error: AnyServiceApiError | undefined): AnyApiError | undefined {
  if (!ApiError.isInstance(error) || (error.httpStatus >= 300 && error.httpStatus < 400)) return undefined;
  return error as AnyApiError;
}
