import type { ValidationIssue } from "../../../../errors/base.ts";
import { readRequestId } from "../../../../transport/errors/details.ts";
import { type Assumption, broken, kept, unlessProblems, withExchange } from "../assumption.ts";
import { extraFields } from "../extra-fields.ts";
import { isPathUnknown, refusalOf } from "../failures.ts";
import { schemaOf } from "../schemas.ts";
import { pathOf, wordOf } from "../shape.ts";

/** Rows A but the first: responses and errors. */
export const responseRows: readonly Assumption[] = [
  {
    id: "A2",
    aspect: "httpStatus",
    assume: "a success does not come with HTTP 400 or above",
    options: [],
    remedy: "define the operation with `defineOperation` and an `isSuccess` of your own",
    observe: withExchange(({ status }, { envelope }) => {
      if (envelope.verdict !== "success") return undefined;
      return { isKept: status < 400, evidence: `success with HTTP ${status}` };
    }),
  },
  {
    id: "A3",
    aspect: "kind",
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
  {
    id: "A4",
    aspect: "essential",
    assume: "a response has its essential fields, and the `trace_id` or mobile number of the request",
    options: ["validation.response"],
    remedy: '`validation.response: "off"` accepts it; report it, so that the type follows',
    observe: withExchange((_, { error }) => {
      if (error === undefined) return kept("all there");
      if (error.kind !== "response_validation") return undefined;
      return unlessProblems(error.issues.filter(isNotOfEnvelope).map(describe), "");
    }),
  },
  {
    id: "A4",
    aspect: "fields",
    assume: "all other documented fields are there, with the documented types and formats",
    options: ["validation.response"],
    adapts: true,
    remedy: 'none is needed: differences are warnings; `validation.response: "strict"` refuses them',
    observe: withExchange((_, { error, warnings }) => {
      if (error !== undefined) return undefined;
      return unlessProblems(warnings.filter(isOfField).map(describe), "all as documented");
    }),
  },
  {
    id: "A5",
    aspect: "rules",
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
  {
    id: "A6",
    aspect: "unlisted",
    assume: "responses have no fields and events but the documented ones",
    options: [],
    adapts: true,
    remedy: "none is needed: they pass through unchanged",
    observe(call) {
      if (call.body === undefined && call.events.length === 0) return undefined;
      const bodies = call.events.length > 0 ? call.events : [call.body];
      const extra = bodies.flatMap((body) => {
        const schema = schemaOf(call, body);
        if (schema === "undocumented") return [`event ${wordOf(body?.event)}`];
        // The other spelling of the code has another row.
        return schema === undefined ? [] : extraFields(schema, body).filter((path) => !isCode(path));
      });
      return call.error === undefined || extra.length > 0 ? unlessProblems(extra, "none") : undefined;
    },
  },
  {
    id: "A8",
    aspect: "requestId",
    assume: "the request ID is in one of the usual headers (`x-request-id` …)",
    options: [],
    remedy: "none: read it from `headers` of the error",
    observe: withExchange(({ headers }) => {
      if (readRequestId(headers) !== undefined) return kept("in a usual header");
      const other = [...headers.keys()].find(isLikeRequestId);
      return other === undefined ? undefined : broken(`header ${other}`);
    }),
  },
];

/** Names that may be data are not shown. */
function isLikeRequestId(header: string): boolean {
  return /^[a-z-]{1,40}$/.test(header) && /(?:request|correlation|trace|transaction|txn)-?(?:id|no|ref)/.test(header);
}

/** The codes of the warnings about the order of a stream, which has other rows. */
const streamCodes = /^(?:initiated_|context_token_changed$|sequence_)/;

function isOfField(issue: ValidationIssue): boolean {
  return isNotOfEnvelope(issue) && !streamCodes.test(issue.code);
}

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
