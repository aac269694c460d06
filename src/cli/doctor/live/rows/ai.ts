import { defaults } from "../../../../options.ts";
import { field, stringOf } from "../../../../shared/json.ts";
import { broken, kept, type Rows, shapeOf, typeOf, unlessProblems, wordOf } from "../assumption.ts";
import { type CallRecord, type Fields, isOf } from "../record.ts";

/** Rows I: AI responses and their streams. */
export const aiRows: Rows = {
  "I1.framing": {
    assume: "a stream is SSE, NDJSON, a JSON array, concatenated JSON or one JSON body",
    remedy: "report it: no option changes it, and a release must",
    observe(call) {
      const { exchange, error, events } = call;
      if (call.name !== "stream" || exchange?.status !== 200) return undefined;
      const framing = describeFraming(exchange.contentType, exchange.text);
      if (events.length > 0) return kept(framing);
      const isUnread = error?.kind === "unexpected_response" || error?.kind === "stream_failed";
      return isUnread ? broken(framing) : undefined;
    },
  },
  "I2.sequence": {
    assume: "`sequence_no` begins at 0 or 1 and goes up by one",
    options: ["stream.reorderTimeout"],
    remedy: "`stream.reorderTimeout` says how long early chunks wait; 0 does not wait",
    observe(call) {
      const numbers = chunksOf(call).flatMap(({ sequence_no }) =>
        typeof sequence_no === "number" ? [sequence_no] : [],
      );
      const [first] = numbers;
      if (first === undefined) return undefined;
      const isInOrder = numbers.every((number, i) => i === 0 || number === (numbers[i - 1] ?? 0) + 1);
      const problems = [...(first > 1 ? [`begins at ${first}`] : []), ...(isInOrder ? [] : ["does not go up by one"])];
      return unlessProblems(problems, `begins at ${first}`);
    },
  },
  "I3.fullText": {
    assume: "the chunks together are the text of response_completed",
    adapts: true,
    remedy: "none is needed: the text of response_completed counts; `textMismatch` reports it",
    observe(call) {
      if (call.error !== undefined || chunksOf(call).length === 0) return undefined;
      return call.textMismatch ? broken("they differ") : kept("they are equal");
    },
  },
  "I4.completed": {
    assume: "a stream ends with response_completed",
    remedy: "none: the error has the text so far; report when it happens",
    observe(call) {
      if (call.name !== "stream") return undefined;
      if (call.error?.kind === "stream_truncated") return broken(`ended after ${call.events.length} events`);
      return call.error === undefined ? kept("completed") : undefined;
    },
  },
  "I5.failed": {
    assume: "a generation that fails says FAILED",
    remedy: "none: such a stream ends with a StreamTruncatedError; report the form of the event",
    observe(call) {
      // A refusal of the request says FAILED too, but nothing was generated.
      if (!isOf("ai", call) || call.exchange?.status !== 200) return undefined;
      const events: readonly Fields[] = call.events.length > 0 ? call.events : call.body ? [call.body] : [];
      const failing = events.find(({ status }) => /^failed$/i.test(stringOf(status)));
      if (failing !== undefined) return kept(`in ${failing.event === undefined ? "the body" : wordOf(failing.event)}`);
      const silent = events.find((event) => event.error !== undefined || /error|fail/i.test(stringOf(event.event)));
      return silent === undefined ? undefined : broken(`an event ${wordOf(silent.event)} without it`);
    },
  },
  "I6.contextToken": {
    assume: "a `context_token` is `svc_` followed by letters and digits",
    options: ["validation.contextToken"],
    remedy: "set `validation.contextToken` to the form that the service uses",
    observe(call) {
      if (!isOf("ai", call)) return undefined;
      const [token] = [...call.events, call.body].flatMap((body) => field(body, "context_token") ?? []);
      if (token === undefined) return undefined;
      if (typeof token !== "string") return broken(typeOf(token));
      const [, prefix = "", rest = ""] = /^([a-z]{1,8}[_-])?(.*)$/is.exec(token) ?? [];
      const isPlain = /^[A-Za-z0-9]+$/.test(rest);
      const evidence = isPlain ? `"${prefix}" and letters or digits` : `"${prefix}${shapeOf(rest)}"`;
      return defaults.validation.contextToken.test(token) ? kept(evidence) : broken(evidence);
    },
  },
  "I10.order": {
    assume: "response_initiated comes first and once, and all events have one `context_token`",
    adapts: true,
    remedy: "none is needed: `stream.warnings` reports it, and the last token counts",
    observe(call) {
      if (call.name !== "stream" || call.events.length < 2) return undefined;
      const codes = call.warnings
        .map(({ code }) => code)
        .filter((code) => /^initiated_|^context_token_changed$/.test(code));
      return call.error === undefined || codes.length > 0 ? unlessProblems(codes, "as in the document") : undefined;
    },
  },
};

function chunksOf({ events }: CallRecord): readonly Fields[] {
  return events.filter(({ event }) => event === "response_output");
}

/** Describes how a stream is cut into events: the content type, and what stands between two events. */
function describeFraming(contentType: string, text: string): string {
  const [type = "no content type"] = /^[\w.+/-]{1,60}/.exec(contentType) ?? [];
  const found = forms.find(([form]) => form.test(text))?.[1] ?? `begins with "${shapeOf(text.slice(0, 12))}"`;
  return `${type}, ${found}`;
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^\uFEFF?(?:data|event|id|retry)?:.*\r\n/, "SSE with CRLF"],
  [/^\uFEFF?(?:data|event|id|retry)?:.*\r(?!\n)/, "SSE with CR"],
  [/^\uFEFF?(?:data|event|id|retry)?:/, "SSE with LF"],
  [/^\s*\[/, "a JSON array"],
  [/^\s*\{.*\}\r?\n\s*\{/, "one JSON object on each line"],
  [/^\s*\{.*\}\s*\{/s, "JSON objects end to end"],
  [/^\s*\{/, "one JSON body"],
];
