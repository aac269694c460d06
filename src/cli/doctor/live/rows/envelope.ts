import { type Assumption, broken, isOf, kept, type Seen } from "../assumption.ts";
import type { CallRecord, Fields } from "../call-record.ts";
import { typeOf, wordOf } from "../shape.ts";

/** Row A1: status and code of a response, in the two styles of §1. */
export const envelopeRows: readonly Assumption[] = [
  {
    id: "A1",
    aspect: "statusWord",
    assume: "`status` is success, failed, pending or processing, and takes precedence over the HTTP status",
    options: ["classifyError"],
    remedy: "none if only the code decides; `classifyError` names the kind of a refusal",
    observe: each(({ status }) => {
      if (status === undefined) return undefined;
      const isKnown = typeof status === "string" && /^(?:success|failed|pending|processing)$/i.test(status);
      return isKnown ? kept("one of them") : broken(wordOf(status));
    }),
  },
  {
    id: "A1",
    aspect: "statusCase",
    assume: "`status` is in lower case for verification, and in upper case for AI and flights",
    options: [],
    adapts: true,
    remedy: "none is needed: both cases are read",
    observe: each(({ status }, call) => {
      if (typeof status !== "string") return undefined;
      const expected = isOf("verification", call) ? status.toLowerCase() : status.toUpperCase();
      const style =
        status === status.toLowerCase() ? "lower case" : status === status.toUpperCase() ? "upper case" : "mixed case";
      return status === expected ? kept(style) : broken(style);
    }),
  },
  {
    id: "A1",
    aspect: "codeKey",
    assume: "the code is `statusCode` for verification, and `status_code` for AI and flights",
    options: [],
    adapts: true,
    remedy: "none is needed: both are read",
    observe: each((body, call) => {
      const keys = ["statusCode", "status_code"].filter((key) => body[key] !== undefined);
      if (keys.length === 0) return undefined;
      const expected = isOf("verification", call) ? "statusCode" : "status_code";
      return keys.join() === expected ? kept(expected) : broken(keys.join(" and "));
    }),
  },
  {
    id: "A1",
    aspect: "codeType",
    assume: "the code is a string",
    options: [],
    adapts: true,
    remedy: "none is needed: a number is read, too",
    observe: each((body) => {
      const code = body.statusCode ?? body.status_code;
      if (code === undefined) return undefined;
      return typeof code === "string" ? kept("a string") : broken(typeOf(code));
    }),
  },
];

/** Judges the body, or each event of a stream until one breaks the assumption. */
function each(judge: (body: Fields, call: CallRecord) => Seen | undefined): Assumption["observe"] {
  return (call) => {
    const bodies = call.events.length > 0 ? call.events : call.body === undefined ? [] : [call.body];
    const seen = bodies.flatMap((body) => judge(body, call) ?? []);
    return seen.find(({ isKept }) => !isKept) ?? seen[0];
  };
}
