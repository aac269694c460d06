import { streamResponse } from "../../../../ai/operations.ts";
import { defaults } from "../../../../options.ts";
import { parseRetryAfter } from "../../../../transport/retry-policy.ts";
import { attemptTimeout } from "../../../shared/notes.ts";
import { broken, kept, type Rows, type Seen, withExchange } from "../assumption.ts";
import { type CallRecord, isOf, isPathUnknown } from "../record.ts";

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
      return isAsked ? broken("refused: something is missing") : keptIfAccepted(call);
    },
  },
  "T8.reference": {
    assume: "a generated `client_referenceId` of 26 letters and digits is accepted",
    options: ["createReference"],
    remedy: "generate references of the form that the service accepts with `createReference`",
    observe(call) {
      if (isOf("verification", call)) return undefined;
      return saying(call, /reference/i) ? broken("refused: the reference") : keptIfAccepted(call);
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

function keptIfAccepted({ error }: CallRecord): Seen | undefined {
  return error === undefined ? kept("accepted") : undefined;
}
