import type * as z from "zod/v4/core";
import { aiResponse, responseCompleted, responseInitiated, responseOutput } from "../../../../ai/schemas.ts";
import type { Issue } from "../../../../errors/base.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../../../flights/schemas/index.ts";
import { elementsOf, field, isObject } from "../../../../shared/json.ts";
import { readRequestId } from "../../../../transport/errors/details.ts";
import { vpaResultSchema } from "../../../../verification/schemas.ts";
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
import { type CallRecord, type Fields, isOf, isPathUnknown, refusalOf } from "../record.ts";

/** Rows A: responses and errors. A1 is status and code, in the two styles of §1. */
export const responseRows: Rows = {
  "A1.statusWord": {
    assume: "`status` is success, failed, pending or processing, and takes precedence over the HTTP status",
    options: ["classifyError"],
    remedy: "none if only the code decides; `classifyError` names the kind of a refusal",
    observe: eachBody(({ status }) => {
      if (status === undefined) return undefined;
      const isKnown = typeof status === "string" && /^(?:success|failed|pending|processing)$/i.test(status);
      return isKnown ? kept("one of them") : broken(wordOf(status));
    }),
  },
  "A1.statusCase": {
    assume: "`status` is in lower case for verification, and in upper case for AI and flights",
    adapts: true,
    remedy: "none is needed: both cases are read",
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
    adapts: true,
    remedy: "none is needed: both are read",
    observe: eachBody((body, call) => {
      const keys = ["statusCode", "status_code"].filter((key) => body[key] !== undefined);
      if (keys.length === 0) return undefined;
      const expected = isOf("verification", call) ? "statusCode" : "status_code";
      return keys.join() === expected ? kept(expected) : broken(keys.join(" and "));
    }),
  },
  "A1.codeType": {
    assume: "the code is a string",
    adapts: true,
    remedy: "none is needed: a number is read, too",
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
    adapts: true,
    remedy: 'none is needed: differences are warnings; `validation.response: "strict"` refuses them',
    observe: withExchange((_, { error, warnings }) => {
      if (error !== undefined) return undefined;
      return unlessProblems(warnings.filter(isOfField).map(describe), "all as documented");
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
    adapts: true,
    remedy: "none is needed: they pass through unchanged",
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

export const verificationRows: Rows = {
  "V2.clientId": {
    assume: "`clientData.client_id` is the client ID of the credentials",
    remedy: "pass the `clientData` of the call",
    observe(call) {
      const echoed = isOf("verification", call) ? field(call.body?.clientData, "client_id") : undefined;
      if (typeof echoed !== "string") return undefined;
      return echoed === call.exchange?.clientId ? kept("echoed as sent") : broken("another one is echoed");
    },
  },
  "V3.mobile": {
    assume: "a mobile number is sent as ten digits, without +91",
    options: ["validation.mobile"],
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
    options: ["classifyError"],
    remedy: "read the VPA from `body` of the RequestInProgressError; `classifyError` gives it another kind",
    observe(call) {
      if (!isOf("verification", call) || call.envelope.verdict !== "pending") return undefined;
      return call.body?.vpa || call.body?.vpaList ? broken("pending with a VPA") : kept("pending without a VPA");
    },
  },
};

function bodiesOf({ events, body }: CallRecord): readonly Fields[] {
  return events.length > 0 ? events : body === undefined ? [] : [body];
}

function eachBody(judge: (body: Fields, call: CallRecord) => Seen | undefined): Observe {
  return (call) => firstBroken(bodiesOf(call).map((body) => judge(body, call)));
}

const schemas: Readonly<Record<string, z.$ZodType>> = {
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
function schemaOf({ name, operation, error }: CallRecord, { event }: Fields): z.$ZodType | "undocumented" | undefined {
  if (name !== "stream") {
    return error === undefined || error.kind === "response_validation" ? schemas[operation] : undefined;
  }
  if (typeof event !== "string") return undefined;
  return (Object.hasOwn(schemas, event) && schemas[event]) || "undocumented";
}

/** Returns the paths of fields that the schema of a response does not have. */
function extraFields(schema: z.$ZodType, value: unknown, path: readonly (string | number)[] = []): string[] {
  const { def } = (schema as z.$ZodTypes)._zod;
  if (def.type === "nullable" || def.type === "optional") return extraFields(def.innerType, value, path);
  if (def.type === "array") {
    return elementsOf(value).flatMap((element, index) => extraFields(def.element, element, [...path, index]));
  }
  if (def.type !== "object" || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    return known === undefined ? [pathOf([...path, name])] : extraFields(known, inner, [...path, name]);
  });
}

/** Names that may be data are not shown. */
function isLikeRequestId(header: string): boolean {
  return /^[a-z-]{1,40}$/.test(header) && /(?:request|correlation|trace|transaction|txn)-?(?:id|no|ref)/.test(header);
}

/** The codes of the warnings about the order of a stream, which has other rows. */
const streamCodes = /^(?:initiated_|context_token_changed$|sequence_)/;

function isOfField(issue: Issue): boolean {
  return isNotOfEnvelope(issue) && !streamCodes.test(issue.code);
}

/** Status and code have other rows. */
function isNotOfEnvelope({ path }: Issue): boolean {
  const field = String(path.at(-1));
  return field !== "status" && !isCode(field);
}

function isCode(field: string): boolean {
  return field === "statusCode" || field === "status_code";
}

function describe({ path, message }: Issue): string {
  return `${pathOf(path)}: ${message}`;
}
