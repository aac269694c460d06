import { streamResponse } from "../../../ai/operations.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { parseCharge } from "../../../flights/fees/charge.ts";
import { readRules, readWindow } from "../../../flights/fees/rules.ts";
import { defaults } from "../../../options.ts";
import { elementsOf, field, stringOf } from "../../../shared/json.ts";
import { readRequestId } from "../../../transport/errors/details.ts";
import { parseRetryAfter } from "../../../transport/retry-policy.ts";
import { attemptTimeout } from "../../shared/client.ts";
import { type CallRecord, documentedStatus, type Exchange, type Fields, refusalOf } from "./calls.ts";
import { describeFraming, listed, pathOf, shapeOf, typeOf, wordOf } from "./evidence.ts";

/** The part of one call that keeps or breaks an assumption. */
interface Seen {
  readonly isKept: boolean;
  /** Types, names of fields and shapes, never a value of a person: an issue may be public. */
  readonly evidence: string;
}

const kept = (evidence: string): Seen => ({ isKept: true, evidence });
const broken = (evidence: string): Seen => ({ isKept: false, evidence });

/** Returns `broken` with the problems, if there are any, each once and at most ten. */
function unlessProblems(problems: readonly string[], evidence: string): Seen {
  return problems.length === 0 ? kept(evidence) : broken(listed(problems));
}

/** Returns what a call showed, once or for each part of it; undefined if it showed nothing. */
type Observe = (call: CallRecord) => Seen | undefined | readonly (Seen | undefined)[];

/** Something that docs/assumptions.md assumes, and how a call shows whether the service keeps it. */
interface Assumption {
  readonly assume: string;
  readonly remedy: string;
  readonly observe: Observe;
}

export type Finding = ReturnType<typeof judge>[number];

/** The evidence has one line for each thing that was seen; if a call breaks the assumption, only what breaks it. */
export function judge(calls: readonly CallRecord[]) {
  return Object.entries(assumptions).map(([key, { assume, remedy, observe }]) => {
    const [id = "", aspect = ""] = key.split(".");
    const all = calls.flatMap((call) =>
      [observe(call)].flat().flatMap((seen) => (seen === undefined ? [] : [{ operation: call.operation, ...seen }])),
    );
    const breaking = all.filter(({ isKept }) => !isKept);
    const seen: "kept" | "broken" | "notSeen" = breaking.length > 0 ? "broken" : all.length > 0 ? "kept" : "notSeen";
    return { id, aspect, assume, remedy, seen, evidence: summarize(breaking.length > 0 ? breaking : all) };
  });
}

/** One line for each evidence, with the operation that showed it, or their number if all of several agree. */
function summarize(shown: readonly { readonly operation: string; readonly evidence: string }[]): readonly string[] {
  const byEvidence = Map.groupBy(shown, ({ evidence }) => evidence);
  return [...byEvidence].map(([evidence, each]) => {
    const operations = [...new Set(each.map(({ operation }) => operation))];
    const isUnanimous = byEvidence.size === 1 && operations.length > 1;
    return isUnanimous ? `${evidence} (${operations.length} operations)` : `${operations.join(", ")}: ${evidence}`;
  });
}

function withExchange(judge: (exchange: Exchange, call: CallRecord) => Seen | undefined): Observe {
  return (call) => call.exchange && judge(call.exchange, call);
}

/**
 * Every assumption that harmless calls can show to be kept or broken, and that asks for an action if it is broken: by the
 * number of its row in docs/assumptions.md, and what tells one apart from others of the row.
 */
export const assumptions: Readonly<Record<`${string}.${string}`, Assumption>> = {
  "T1.path": {
    assume: "a URL is the base URL and the path of the document, with the first published form for AI",
    remedy:
      "`pathPrefixes` (--path-prefix) sets the path in front of each area, such as that of the second form for AI",
    observe: withExchange(({ status }, { isPathUnknown, envelope }) => {
      if (isRedirect(status)) return undefined;
      if (isPathUnknown) return broken(`HTTP ${status}, and no response of the service`);
      return envelope.verdict === "unknown" ? undefined : kept("found");
    }),
  },
  "T3.redirect": {
    assume: "the service does not redirect; a redirect is never followed",
    remedy: "set `baseUrl` to the URL that it leads to, if that is the service's",
    observe: withExchange(({ status }) => (isRedirect(status) ? broken(`HTTP ${status}`) : kept("no redirect"))),
  },
  "T6.headers": {
    assume: "`accept` and `user-agent` are safe to send",
    remedy: "change or omit them with `userAgent` and `headers`",
    observe: withExchange(({ status }, { gotThrough }) => {
      if (status === 406 || status === 415) return broken(`HTTP ${status}`);
      return gotThrough ? kept("accepted") : undefined;
    }),
  },
  "T7.unnamedFields": {
    assume: "the unnamed fields of the fare quote's form are not needed",
    remedy: "send what the service asks for in `extraBody`",
    observe(call) {
      if (call.name !== "quote") return undefined;
      const isAsked = saying(call, /\b(?:missing|required|mandatory)\b/i) && !saying(call, /token|trace|reference/i);
      return isAsked ? broken("refused: something is missing") : call.error ? undefined : kept("accepted");
    },
  },
  "T8.reference": {
    assume: "a generated `client_referenceId` of 26 letters and digits is accepted",
    remedy: "generate references of the form that the service accepts with `createReference`",
    observe(call) {
      if (call.area === "verification") return undefined;
      return saying(call, /reference/i) ? broken("refused: the reference") : call.error ? undefined : kept("accepted");
    },
  },
  "D1.duration": {
    assume: "an attempt takes at most 30 s (verification), 60 s (quote, rule, headers of a stream), 120 s (AI whole)",
    remedy: "raise `timeout`",
    observe({ operation, duration, error, exchange }) {
      const limit = attemptTimeout(operation);
      const took = `${(duration / 1_000).toFixed(1)} s`;
      if (error?.kind === "timeout") return broken(`no response after ${took}`);
      if (exchange === undefined) return undefined;
      return { isKept: duration <= limit || operation === streamResponse.name, evidence: `took ${took}` };
    },
  },
  "D3.pauses": {
    assume: "a stream sends a byte at least every 60 s, and an event every 5 min",
    remedy: "raise `stream.idleTimeout` or `stream.eventTimeout`",
    observe({ error, exchange, events }) {
      if (error?.kind === "stream_stalled" && error.deadline !== "stream")
        return broken(`none for ${error.timeout / 1_000} s (${error.deadline})`);
      if (exchange === undefined || events.length < 2) return undefined;
      const beats = /^:/m.test(exchange.text) ? ", with heartbeats" : "";
      return kept(`longest pause ${(exchange.longestPause / 1_000).toFixed(1)} s${beats}`);
    },
  },
  "D4.size": {
    assume: "a response has at most 16 MiB, an event 1 MiB",
    remedy: "raise `maxResponseBytes` or `stream.maxEventBytes`",
    observe: withExchange(({ bytes, headers }, { error }) => {
      const [encoding] = /^[\w, -]{1,40}$/.exec(headers.get("content-encoding") ?? "") ?? [];
      const size = `${Math.ceil(bytes / 1024)} KiB${encoding === undefined ? "" : `, ${encoding}`}`;
      return Object(error).reason === "tooLarge" ? broken(`more than allowed, after ${size}`) : kept(size);
    }),
  },
  "D6.retryAfter": {
    assume: "`Retry-After` asks for at most 60 s",
    remedy: "raise `maxRetryAfter`, or slow down",
    observe: withExchange(({ headers, status }) => {
      const asked = parseRetryAfter(headers.get("retry-after"));
      if (asked === undefined) return undefined;
      const evidence = `${Math.ceil(asked / 1_000)} s after HTTP ${status}`;
      return { isKept: asked <= defaults.maxRetryAfter, evidence };
    }),
  },
  "A1.statusWord": {
    assume: "`status` is success, failed, pending or processing, and takes precedence over the HTTP status",
    remedy: "none if only the code decides; `classifyError` names the kind of a refusal",
    observe: ({ events, body }) =>
      [...events, body].map((one) => {
        if (one?.status === undefined) return undefined;
        return documentedStatus.test(stringOf(one.status)) ? kept("one of them") : broken(wordOf(one.status));
      }),
  },
  "A2.httpStatus": {
    assume: "a success does not come with HTTP 400 or above",
    remedy: "define the operation with `defineOperation` and an `isSuccess` of your own",
    observe: withExchange(({ status }, { envelope }) => {
      if (envelope.verdict !== "success") return undefined;
      return { isKept: status < 400, evidence: `success with HTTP ${status}` };
    }),
  },
  "A3.kind": {
    assume: "HTTP status, code and message of a refusal name its kind",
    remedy: "return the kind from `classifyError`, by the code",
    observe: withExchange(({ status }, call) => {
      const { verdict, statusCode } = call.envelope;
      const refusal = refusalOf(call.error);
      if (refusal === undefined || verdict === "unknown" || call.isPathUnknown) return undefined;
      const code = /^\d{1,5}$/.test(statusCode ?? "") ? statusCode : wordOf(statusCode);
      return { isKept: refusal.kind !== "unknown", evidence: `HTTP ${status}, code ${code}: ${refusal.kind}` };
    }),
  },
  "A4.essential": {
    assume: "a response has its essential fields, and the `trace_id` or mobile number of the request",
    remedy: '`validation.response: "off"` accepts it; report it, so that the type follows',
    observe: withExchange((_, { error, warnings }) => {
      // Other differences leave a response usable.
      if (error === undefined) return kept(warnings.length === 0 ? "all there" : `there; ${describe(warnings)}`);
      return error.kind === "response_validation" ? broken(describe(error.issues)) : undefined;
    }),
  },
  "A5.rules": {
    assume: "the service refuses a request that breaks a rule of the document",
    remedy: '`validation.request: "off"` and `validation.mobile: "asGiven"` send what the service accepts',
    observe(call) {
      if (call.name !== "refusal") return undefined;
      if (call.error === undefined) return broken("a malformed mobile number was accepted");
      const kind = refusalOf(call.error)?.kind;
      if (kind === "invalid") return kept("a malformed mobile number was refused");
      const isAnswered = kind === "not_found" && !call.isPathUnknown;
      return isAnswered ? broken("a malformed mobile number was looked up: not found") : undefined;
    },
  },
  "A8.requestId": {
    assume: "the request ID is in one of the usual headers (`x-request-id` …)",
    remedy: "none: read it from `headers` of the error",
    observe: withExchange(({ headers }) => {
      if (readRequestId(headers) !== undefined) return kept("in a usual header");
      const other = [...headers.keys()].find(isLikeRequestId);
      return other === undefined ? undefined : broken(`header ${other}`);
    }),
  },
  "V2.clientId": {
    assume: "`clientData.client_id` is the client ID of the credentials",
    remedy: "pass the `clientData` of the call",
    observe(call) {
      const echoed = call.area === "verification" ? field(call.body?.clientData, "client_id") : undefined;
      if (typeof echoed !== "string") return undefined;
      return echoed === call.exchange?.clientId ? kept("echoed as sent") : broken("another one is echoed");
    },
  },
  "V3.mobile": {
    assume: "a mobile number is sent as ten digits, without +91",
    remedy: '`validation.mobile: "asGiven"` sends the form that the service accepts',
    observe({ name, error, envelope }) {
      if (name !== "verify") return undefined;
      const kind = refusalOf(error)?.kind;
      if (kind === "invalid" && /mobile|number|format/i.test(envelope.serviceMessage ?? ""))
        return broken("refused: the number");
      return error === undefined || kind === "not_found" ? kept("accepted") : undefined;
    },
  },
  "V4.accountStatus": {
    assume: "an account that can be paid has the `accountStatus` VALID",
    remedy: "decide by `accountStatus` of the result yourself, in place of `isUsable`",
    observe({ name, body, error }) {
      const status = body?.accountStatus;
      if (name !== "verify" || error !== undefined || status === undefined) return undefined;
      return status === "VALID" ? kept("VALID") : broken(wordOf(status));
    },
  },
  "V5.pending": {
    assume: "a pending verification has no VPA",
    remedy: "read the VPA from `body` of the RequestInProgressError; `classifyError` gives it another kind",
    observe(call) {
      if (call.area !== "verification" || call.envelope.verdict !== "pending") return undefined;
      return call.body?.vpa || call.body?.vpaList ? broken("pending with a VPA") : kept("pending without a VPA");
    },
  },
  "I1.framing": {
    assume: "a stream is SSE, NDJSON, a JSON array, concatenated JSON or one JSON body",
    remedy: "report it: no option changes it, and a release must",
    observe(call) {
      const { exchange, error, events } = call;
      if (call.name !== "stream" || exchange?.status !== 200) return undefined;
      const framing = describeFraming(exchange.headers.get("content-type") ?? "", exchange.text);
      if (events.length > 0) return kept(framing);
      const isUnread = error?.kind === "unexpected_response" || error?.kind === "stream_failed";
      return isUnread ? broken(framing) : undefined;
    },
  },
  "I2.sequence": {
    assume: "`sequence_no` begins at 0 or 1 and goes up by one",
    remedy: "`stream.reorderTimeout` says how long early chunks wait; 0 does not wait",
    observe(call) {
      const chunks = call.events.filter(({ event }) => event === "response_output");
      const numbers = chunks.map(({ sequence_no }) => sequence_no).filter((number) => typeof number === "number");
      const [first] = numbers;
      if (first === undefined) return undefined;
      const isInOrder = numbers.every((number, i) => i === 0 || number === (numbers[i - 1] ?? 0) + 1);
      const problems = [...(first > 1 ? [`begins at ${first}`] : []), ...(isInOrder ? [] : ["does not go up by one"])];
      return unlessProblems(problems, `begins at ${first}`);
    },
  },
  "I6.contextToken": {
    assume: "a `context_token` is `svc_` followed by letters and digits",
    remedy: "set `validation.contextToken` to the form that the service uses",
    observe(call) {
      if (call.area !== "ai") return undefined;
      const [token] = [...call.events, call.body].flatMap((body) => field(body, "context_token") ?? []);
      if (token === undefined) return undefined;
      if (typeof token !== "string") return broken(typeOf(token));
      const [, prefix = "", rest = ""] = /^([a-z]{1,8}[_-])?(.*)$/is.exec(token) ?? [];
      const isPlain = /^[A-Za-z0-9]+$/.test(rest);
      const evidence = isPlain ? `"${prefix}" and letters or digits` : `"${prefix}${shapeOf(rest)}"`;
      return defaults.validation.contextToken.test(token) ? kept(evidence) : broken(evidence);
    },
  },
  "F3.noTime": {
    assume: "a time that does not apply is in the year 0 or 1, or an empty string",
    remedy: "none: the fields are unchanged; compare them with what the service sends in place of a time",
    observe: judgeTimes((text) => {
      if (text === "" || /^000[01]-/.test(text)) return kept("as assumed");
      const isStandIn = !/\d/.test(text) || /^1[0-9]{3}-/.test(text);
      return isStandIn ? broken(`"${/\d/.test(text) ? text.slice(0, 4) : shapeOf(text)}"`) : undefined;
    }),
  },
  "F4.timeZone": {
    assume: "a time is `YYYY-MM-DD HH:mm:ss` and names no time zone",
    remedy:
      "convert the times before you pass a quote on; `deadlineZone` of `checkout` is the zone of last_ticket_date",
    observe: judgeTimes((text) => {
      if (/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return kept("as assumed");
      return /\d/.test(text) ? broken(`"${shapeOf(text)}"`) : undefined;
    }),
  },
  "F11.miniRules": {
    assume: "mini fare rules have windows in DAYS or HOURS, and charges that can be read",
    remedy: "none: such a fee is `indeterminate`; show `mini_fare_rules` as they are, and report the form",
    observe(call) {
      const offers = call.name === "quote" ? resultsOf(call) : [];
      const rules = offers.flatMap(readRules);
      if (rules.length === 0) return undefined;
      const problems = rules.flatMap((rule) => [
        ...(readWindow(rule) === null ? [`a window in ${wordOf(rule.unit)} from "${shapeOf(String(rule.from))}"`] : []),
        ...(parseCharge(rule.charges).kind === "unreadable"
          ? [`a charge like "${shapeOf(String(rule.charges))}"`]
          : []),
      ]);
      return unlessProblems(problems, `${rules.length} read`);
    },
  },
};

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Whether the service refused the call with such a message. The message itself may be about a person. */
function saying({ error, envelope }: CallRecord, pattern: RegExp): boolean {
  return error?.kind === "invalid" && pattern.test(envelope.serviceMessage ?? "");
}

function describe(issues: readonly ValidationIssue[]): string {
  return listed(issues.map(({ path, message }) => `${pathOf(path)}: ${message}`));
}

/** Names that may be data are not shown. */
function isLikeRequestId(header: string): boolean {
  return /^[a-z-]{1,40}$/.test(header) && /(?:request|correlation|trace|transaction|txn)-?(?:id|no|ref)/.test(header);
}

function resultsOf({ area, body }: CallRecord): readonly Fields[] {
  return area === "flights" ? elementsOf(field(body?.data, "result")).map((each) => Object(each)) : [];
}

/** Judges each time of a quote or a rule. A number counts as its digits. */
function judgeTimes(judge: (text: string) => Seen | undefined): Observe {
  return (call) => {
    const times = resultsOf(call).flatMap((result) => [
      result.last_ticket_date,
      result.departure_time,
      result.return_time,
      ...elementsOf(result.segments).flatMap((segment) => [
        field(field(segment, "origin"), "departure_time"),
        field(field(segment, "destination"), "arrival_time"),
      ]),
    ]);
    return times.map((time) => (typeof time === "string" || typeof time === "number" ? judge(`${time}`) : undefined));
  };
}
