import { streamResponse } from "../../../../ai/operations.ts";
import { aiResponse, responseCompleted, responseInitiated, responseOutput } from "../../../../ai/schemas.ts";
import type { ValidationIssue } from "../../../../errors/base.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../../../flights/schemas.ts";
import { defaults } from "../../../../options.ts";
import { elementsOf, isObject } from "../../../../shared/json.ts";
import type { Schema } from "../../../../shared/schema.ts";
import { readRequestId } from "../../../../transport/errors/details.ts";
import { parseRetryAfter } from "../../../../transport/retry-policy.ts";
import { vpaResultSchema } from "../../../../verification/schemas.ts";
import { attemptTimeout } from "../../../shared/notes.ts";
import {
  broken,
  firstBroken,
  kept,
  type Observe,
  pathOf,
  type Rows,
  type Seen,
  typeOf,
  unlessProblems,
  withExchange,
  wordOf,
} from "../assumption.ts";
import { type CallRecord, documentedStatus, type Fields, isOf, isPathUnknown, refusalOf } from "../record.ts";

/** Rows T and D: URLs, transport, deadlines and limits. */
export const transportRows: Rows = {
  "T1.path": {
    assume: "a URL is the base URL and the path of the document, with the first published form for AI",
    options: ["pathPrefixes"],
    remedy:
      "`pathPrefixes` sets the path in front of each area; --leading-segment tries the second published form for AI",
    observe: withExchange(({ status }, call) => {
      if (isRedirect(status)) return undefined;
      if (isPathUnknown(call)) return broken(`HTTP ${status}, and no response of the service`);
      return call.envelope.verdict === "unknown" ? undefined : kept("found");
    }),
  },
  "T3.redirect": {
    assume: "the service does not redirect; a redirect is never followed",
    options: ["baseUrl"],
    remedy: "set `baseUrl` to the URL that it leads to, if that is the service's",
    observe: withExchange(({ status }) => (isRedirect(status) ? broken(`HTTP ${status}`) : kept("no redirect"))),
  },
  "T6.headers": {
    assume: "`accept` and `user-agent` are safe to send",
    options: ["userAgent", "headers"],
    remedy: "change or omit them with `userAgent` and `headers`",
    observe: withExchange(({ status }, { gotThrough }) => {
      if (status === 406 || status === 415) return broken(`HTTP ${status}`);
      return gotThrough ? kept("accepted") : undefined;
    }),
  },
  "T7.unnamedFields": {
    assume: "the unnamed fields of the fare quote's form are not needed",
    options: ["extraBody"],
    remedy: "send what the service asks for in `extraBody`",
    observe(call) {
      if (call.name !== "quote") return undefined;
      const isAsked = saying(call, /\b(?:missing|required|mandatory)\b/i) && !saying(call, /token|trace|reference/i);
      return isAsked ? broken("refused: something is missing") : call.error ? undefined : kept("accepted");
    },
  },
  "T8.reference": {
    assume: "a generated `client_referenceId` of 26 letters and digits is accepted",
    options: ["createReference"],
    remedy: "generate references of the form that the service accepts with `createReference`",
    observe(call) {
      if (isOf("verification", call)) return undefined;
      return saying(call, /reference/i) ? broken("refused: the reference") : call.error ? undefined : kept("accepted");
    },
  },
  "D1.duration": {
    assume: "an attempt takes at most 30 s (verification), 60 s (quote, rule, headers of a stream), 120 s (AI whole)",
    options: ["timeout"],
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
    options: ["stream.idleTimeout", "stream.eventTimeout"],
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
    options: ["maxResponseBytes", "stream.maxEventBytes"],
    remedy: "raise `maxResponseBytes` or `stream.maxEventBytes`",
    observe: withExchange(({ bytes, headers }, { error }) => {
      const [encoding] = /^[\w, -]{1,40}$/.exec(headers.get("content-encoding") ?? "") ?? [];
      const size = `${Math.ceil(bytes / 1024)} KiB${encoding === undefined ? "" : `, ${encoding}`}`;
      return Object(error).reason === "tooLarge" ? broken(`more than allowed, after ${size}`) : kept(size);
    }),
  },
  "D6.retryAfter": {
    assume: "`Retry-After` asks for at most 60 s",
    options: ["maxRetryAfter"],
    remedy: "raise `maxRetryAfter`, or slow down",
    observe: withExchange(({ headers, status }) => {
      const asked = parseRetryAfter(headers.get("retry-after"));
      if (asked === undefined) return undefined;
      const evidence = `${Math.ceil(asked / 1_000)} s after HTTP ${status}`;
      return { isKept: asked <= defaults.maxRetryAfter, evidence };
    }),
  },
};

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Whether the service refused the call with such a message. The message itself may be about a person. */
function saying({ error, envelope }: CallRecord, pattern: RegExp): boolean {
  return error?.kind === "invalid" && pattern.test(envelope.serviceMessage ?? "");
}

/** Rows A: responses and errors. A1 is status and code, in the two styles of §1. */
export const responseRows: Rows = {
  "A1.statusWord": {
    assume: "`status` is success, failed, pending or processing, and takes precedence over the HTTP status",
    options: ["classifyError"],
    remedy: "none if only the code decides; `classifyError` names the kind of a refusal",
    observe: eachBody(({ status }) => {
      if (status === undefined) return undefined;
      const isKnown = typeof status === "string" && documentedStatus.test(status);
      return isKnown ? kept("one of them") : broken(wordOf(status));
    }),
  },
  "A1.statusCase": {
    assume: "`status` is in lower case for verification, and in upper case for AI and flights",
    adapts: "both cases are read",
    observe: eachBody(({ status }, call) => {
      if (typeof status !== "string") return undefined;
      const expected = isOf("verification", call) ? status.toLowerCase() : status.toUpperCase();
      const style =
        status === status.toLowerCase() ? "lower case" : status === status.toUpperCase() ? "upper case" : "mixed case";
      return status === expected ? kept(style) : broken(style);
    }),
  },
  "A1.codeKey": {
    assume: "the code is `statusCode` for verification, and `status_code` for AI and flights",
    adapts: "both are read",
    observe: eachBody((body, call) => {
      const keys = ["statusCode", "status_code"].filter((key) => body[key] !== undefined);
      if (keys.length === 0) return undefined;
      const expected = isOf("verification", call) ? "statusCode" : "status_code";
      return keys.join() === expected ? kept(expected) : broken(keys.join(" and "));
    }),
  },
  "A1.codeType": {
    assume: "the code is a string",
    adapts: "a number is read, too",
    observe: eachBody((body) => {
      const code = body.statusCode ?? body.status_code;
      if (code === undefined) return undefined;
      return typeof code === "string" ? kept("a string") : broken(typeOf(code));
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
    options: ["classifyError"],
    remedy: "return the kind from `classifyError`, by the code",
    observe: withExchange(({ status }, call) => {
      const { verdict, statusCode } = call.envelope;
      const refusal = refusalOf(call.error);
      if (refusal === undefined || verdict === "unknown" || isPathUnknown(call)) return undefined;
      const code = /^\d{1,5}$/.test(statusCode ?? "") ? statusCode : wordOf(statusCode);
      return { isKept: refusal.kind !== "unknown", evidence: `HTTP ${status}, code ${code}: ${refusal.kind}` };
    }),
  },
  "A4.essential": {
    assume: "a response has its essential fields, and the `trace_id` or mobile number of the request",
    options: ["validation.response"],
    remedy: '`validation.response: "off"` accepts it; report it, so that the type follows',
    observe: withExchange((_, { error }) => {
      if (error === undefined) return kept("all there");
      if (error.kind !== "response_validation") return undefined;
      return unlessProblems(error.issues.filter(isNotOfEnvelope).map(describe), "");
    }),
  },
  "A4.fields": {
    assume: "all other documented fields are there, with the documented types and formats",
    options: ["validation.response"],
    adapts: 'differences are warnings; `validation.response: "strict"` refuses them',
    observe: withExchange((_, { error, warnings }) => {
      if (error !== undefined) return undefined;
      const ofFields = warnings.filter((issue) => isNotOfEnvelope(issue) && !streamCodes.test(issue.code));
      return unlessProblems(ofFields.map(describe), "all as documented");
    }),
  },
  "A5.rules": {
    assume: "the service refuses a request that breaks a rule of the document",
    options: ["validation.request", "validation.mobile"],
    remedy: '`validation.request: "off"` and `validation.mobile: "asGiven"` send what the service accepts',
    observe(call) {
      if (call.name !== "refusal") return undefined;
      if (call.error === undefined) return broken("a malformed mobile number was accepted");
      const kind = refusalOf(call.error)?.kind;
      if (kind === "invalid") return kept("a malformed mobile number was refused");
      const isAnswered = kind === "not_found" && !isPathUnknown(call);
      return isAnswered ? broken("a malformed mobile number was looked up: not found") : undefined;
    },
  },
  "A6.unlisted": {
    assume: "responses have no fields and events but the documented ones",
    adapts: "they pass through unchanged",
    observe(call) {
      const bodies = bodiesOf(call);
      if (bodies.length === 0) return undefined;
      const extra = bodies.flatMap((body) => {
        const schema = schemaOf(call, body);
        if (schema === "undocumented") return [`event ${wordOf(body.event)}`];
        // The other spelling of the code has another row.
        return schema === undefined ? [] : extraFields(schema, body).filter((path) => !isCode(path));
      });
      return call.error === undefined || extra.length > 0 ? unlessProblems(extra, "none") : undefined;
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
};

function bodiesOf({ events, body }: CallRecord): readonly Fields[] {
  return events.length > 0 ? events : body === undefined ? [] : [body];
}

function eachBody(judge: (body: Fields, call: CallRecord) => Seen | undefined): Observe {
  return (call) => firstBroken(bodiesOf(call).map((body) => judge(body, call)));
}

const schemas: Readonly<Record<string, Schema<unknown>>> = {
  "verification.findVpas": vpaResultSchema,
  "ai.createResponse": aiResponse,
  "flights.fareQuote": fareQuoteSchema,
  "flights.fareRule": fareRuleSchema,
  response_initiated: responseInitiated,
  response_output: responseOutput,
  response_completed: responseCompleted,
};

/**
 * Returns the schema of a body or of an event, "undocumented" for an event that the document does not show, and
 * undefined if the document shows no form of it, as for most refusals.
 */
function schemaOf(
  { name, operation, error }: CallRecord,
  { event }: Fields,
): Schema<unknown> | "undocumented" | undefined {
  if (name !== "stream") {
    return error === undefined || error.kind === "response_validation" ? schemas[operation] : undefined;
  }
  if (typeof event !== "string") return undefined;
  return (event.startsWith("response_") && schemas[event]) || "undocumented";
}

function extraFields(schema: Schema<unknown>, value: unknown, path: readonly (string | number)[] = []): string[] {
  const { fields, element } = schema;
  if (element) return elementsOf(value).flatMap((one, index) => extraFields(element, one, [...path, index]));
  if (fields === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return known === undefined ? [pathOf([...path, name])] : extraFields(known, inner, [...path, name]);
  });
}

/** Names that may be data are not shown. */
function isLikeRequestId(header: string): boolean {
  return /^[a-z-]{1,40}$/.test(header) && /(?:request|correlation|trace|transaction|txn)-?(?:id|no|ref)/.test(header);
}

/** The codes of the warnings about the order of a stream, which has other rows. */
const streamCodes = /^(?:initiated_|context_token_changed$|sequence_)/;

/** Status and code have other rows. */
function isNotOfEnvelope({ path }: ValidationIssue): boolean {
  const field = String(path.at(-1));
  return field !== "status" && !isCode(field);
}

function isCode(field: string): boolean {
  return field === "statusCode" || field === "status_code";
}

function describe({ path, message }: ValidationIssue): string {
  return `${pathOf(path)}: ${message}`;
}
