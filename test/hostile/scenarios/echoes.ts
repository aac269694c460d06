import { sse, sseText, streamEvents } from "../../runtimes/service/answers.ts";
import { respond } from "../../support/raw-http.ts";
import type { Exchange, Scenario } from "../scenario.ts";
import { broken, open, rejected, times } from "./rows.ts";

/** The secret of a request, in the spellings of programs that log or encode what they received. */
function spellings({ request }: Exchange): readonly string[] {
  const secret = request.headers["client-secret"] ?? "";
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString("base64"), bytes.toString("hex"), encodeURIComponent(secret)];
}

/** Everything of a request, as gateways send it back to whoever debugs them. */
function echo(exchange: Exchange): object {
  const { headers, body } = exchange.request;
  return { headers, body, spelled: spellings(exchange), basic: btoa(`client-1:${headers["client-secret"]}`) };
}

const echoHeaders = (exchange: Exchange): Record<string, string> => ({
  "X-Echo": spellings(exchange).join(" "),
  "X-Request-Id": spellings(exchange)[1] ?? "",
});

/** Responses that echo the request: no error may show its secret, in whatever it says or holds. */
export const echoes: readonly Scenario[] = [
  {
    name: "a refusal that echoes the request",
    answer: (exchange) => {
      const [secret = ""] = spellings(exchange);
      const body = { status: "FAILED", status_code: "400", message: `refused: ${secret}`, [secret]: echo(exchange) };
      respond(exchange.socket, 400, JSON.stringify(body), echoHeaders(exchange));
    },
    // The message does not say what is invalid.
    expected: {
      ...rejected("InvalidRequestError"),
      never: times("BookingOutcomeUnknownError unknown (InvalidRequestError)", 1),
    },
  },
  {
    name: "a web page that echoes the request",
    answer: (exchange) => {
      const page = `<!doctype html><pre>${spellings(exchange).join("\n")}</pre>`;
      const headers = { "Content-Type": `text/html; key="${spellings(exchange)[0]}"`, ...echoHeaders(exchange) };
      respond(exchange.socket, 501, page, headers);
    },
    expected: open("UnexpectedResponseError", "html", { safe: 1 }),
  },
  {
    name: "a response of another form that echoes the request",
    answer: (exchange) =>
      respond(exchange.socket, 200, JSON.stringify({ echo: echo(exchange) }), echoHeaders(exchange)),
    expected: {
      ...open("ResponseValidationError", "form", { safe: 1 }),
      stream: times("StreamFailedError unknown damagedEvent", 1),
    },
  },
  {
    name: "a redirect that echoes the request",
    answer: (exchange) => {
      const [secret = "", base64 = ""] = spellings(exchange);
      const body = { status_code: secret, message: base64, echo: echo(exchange) };
      const location = `${exchange.elsewhere}/?key=${encodeURIComponent(secret)}`;
      respond(exchange.socket, 302, JSON.stringify(body), { ...echoHeaders(exchange), Location: location });
    },
    expected: { ...rejected("ApiError"), never: times("BookingOutcomeUnknownError unknown (ApiError)", 1) },
  },
  {
    name: "a header that is not HTTP and echoes the request",
    answer: (exchange) => exchange.socket.end(`HTTP/1.1 200 OK\r\n${spellings(exchange)[0]}\0\r\n\r\n`),
    expected: broken,
  },
  {
    name: "a stream with an event that echoes the request",
    only: ["stream"],
    answer: (exchange) => {
      const event = `data: {"event":"response_output","more":${JSON.stringify(echo(exchange))}}\n\n`;
      const body = sseText(streamEvents().slice(0, 2)) + event;
      respond(exchange.socket, 200, body, { ...sse, ...echoHeaders(exchange) });
    },
    expected: { safe: "", ifNotProcessed: times("StreamFailedError unknown damagedEvent", 1), never: "" },
  },
];
