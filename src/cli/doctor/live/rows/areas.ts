import { parseCharge } from "../../../../flights/fees/charge.ts";
import { readRules, readWindow } from "../../../../flights/fees/rules.ts";
import { fareBreakdown } from "../../../../flights/quote/money.ts";
import { defaults } from "../../../../options.ts";
import { elementsOf, field, stringOf } from "../../../../shared/json.ts";
import {
  broken,
  firstBroken,
  kept,
  type Observe,
  type Rows,
  type Seen,
  shapeOf,
  typeOf,
  unlessProblems,
  wordOf,
} from "../assumption.ts";
import { type CallRecord, type Fields, isOf, refusalOf } from "../record.ts";

/** Rows V: verification. */
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
    adapts: "the text of response_completed counts; `textMismatch` reports it",
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
    adapts: "`stream.warnings` reports it, and the last token counts",
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

/** Rows F: quotes and fare rules. */
export const flightRows: Rows = {
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
      const rules = offersOf(call).flatMap((offer) => readRules(elementsOf(offer.mini_fare_rules)));
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
  "F12.breakdown": {
    assume: "`fare_breakdown` adds up to the base fare, by type or by passenger",
    remedy: "none: `fareBreakdown` reports it; show the total alone",
    observe(call) {
      const readings = offersOf(call).flatMap((offer) =>
        elementsOf(offer.fare_breakdown).length === 0
          ? []
          : [fareBreakdown(offer as Parameters<typeof fareBreakdown>[0]).reading],
      );
      if (readings.length === 0) return undefined;
      return readings.includes("unknown")
        ? broken("the rows do not add up")
        : kept([...new Set(readings)].join(" and "));
    },
  },
  "F22.passengerTypes": {
    assume: "the passenger types of a quote are adult, child and infant, in any case",
    remedy: "none: `fare_breakdown` is unchanged, and the checks of passengers only warn",
    observe(call) {
      const rows = offersOf(call).flatMap((offer) => elementsOf(offer.fare_breakdown));
      const types = rows.map((row) => field(row, "passenger_type"));
      if (types.length === 0) return undefined;
      return unlessProblems(
        types.filter((type) => !/^(?:adult|child|infant)$/i.test(stringOf(type))).map(wordOf),
        "these",
      );
    },
  },
};

function resultsOf({ operation, body }: CallRecord): readonly Fields[] {
  return operation.startsWith("flights.") ? elementsOf(field(body?.data, "result")).map((each) => Object(each)) : [];
}

function offersOf(call: CallRecord): readonly Fields[] {
  return call.name === "quote" ? resultsOf(call) : [];
}

/** Judges each time of a quote or a rule, until one breaks the assumption. A number counts as its digits. */
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
    return firstBroken(
      times.map((time) => (typeof time === "string" || typeof time === "number" ? judge(String(time)) : undefined)),
    );
  };
}
