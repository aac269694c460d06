import { sse, sseText, streamEvents } from "../../runtimes/service/answers.ts";
import { head, respond } from "../../support/raw-http.ts";
import type { Exchange, Scenario } from "../scenario.ts";
import { times } from "./rows.ts";

const events = streamEvents();
const last = events.length - 1;

/** A scenario of `stream` alone. */
function stream(
  name: string,
  outcome: string,
  answer: (exchange: Exchange) => void,
  more: Partial<Scenario> = {},
): Scenario {
  const expected = outcome === "answer" ? "answer, 1 received" : times(outcome, 1);
  return {
    name: `a stream: ${name}`,
    answer,
    only: ["stream"],
    ...more,
    expected: { safe: "", ifNotProcessed: expected, never: "" },
  };
}

/** Sends a string as the body of a stream, and ends. */
const sending =
  (text: string, headers: Readonly<Record<string, string>> = sse) =>
  ({ socket }: Exchange): void =>
    respond(socket, 200, text, headers);

/** Sends a string, and then another one again and again. */
const pulsing =
  (text: string, pulse: string) =>
  ({ socket }: Exchange): void => {
    socket.write(head(200, sse) + text);
    const timer = setInterval(() => socket.write(pulse), 20);
    socket.on("close", () => clearInterval(timer));
  };

const truncated = "StreamTruncatedError unknown";
const failed = "StreamFailedError unknown";
const stalled = "StreamStalledError unknown";

const begun = sseText(events.slice(0, 4));
const pausing = {
  isWaiting: true,
  options: { timeout: 2_000, stream: { idleTimeout: 400, eventTimeout: 600 } },
} as const;

/** Streams that end wrongly, contain what they should not, or never end. */
export const streams: readonly Scenario[] = [
  ...[1, 2, 4, last].map((count) =>
    stream(`an end after ${count} events`, truncated, sending(sseText(events.slice(0, count)))),
  ),
  stream("[DONE] before it is complete", truncated, sending(`${begun}data: [DONE]\n\n`)),
  stream("an event that is not JSON", `${failed} damagedEvent`, sending(`${begun}data: {"event":\n\n`)),
  stream("an event that is no object", `${failed} damagedEvent`, sending(`${begun}data: 17\n\n`)),
  stream("an event without a type", `${failed} damagedEvent`, sending(`${begun}data: {}\n\n`)),
  stream(
    "an event that is larger than the limit",
    `${failed} tooLarge`,
    sending(`${begun}data: {"x":"${"x".repeat(20_000)}"}\n\n`),
    {
      options: { stream: { maxEventBytes: 10_000 } },
    },
  ),
  stream(
    "a line of an event without end",
    `${failed} tooLarge`,
    ({ socket }) => {
      socket.write(`${head(200, sse)}${begun}data: `);
      const pour = () => {
        while (!socket.destroyed && socket.write("x".repeat(16_384)));
      };
      socket.on("drain", pour);
      pour();
    },
    { options: { stream: { maxEventBytes: 100_000 } } },
  ),
  stream("a million empty lines", "answer", sending("\n".repeat(1_000_000) + sseText(events))),
  stream("bytes that are not UTF-8", `${failed} damagedEvent`, ({ socket }) =>
    respond(socket, 200, Buffer.concat([Buffer.from(begun), Buffer.from([0xff, 0xfe, 0x0a, 0x0a])]), sse),
  ),
  stream(
    "a refusal in JSON",
    "AuthenticationError rejected",
    sending('{"status":"FAILED","status_code":"401","message":"no"}', {}),
  ),
  stream(
    "a web page",
    "UnexpectedResponseError unknown html",
    sending("<html></html>", { "Content-Type": "text/html" }),
  ),
  stream("a web page that is called a stream", "UnexpectedResponseError unknown html", sending("<html></html>")),
  stream("another stream behind the end", "answer", sending(sseText([...events, ...events]))),
  stream("two beginnings", "answer", sending(sseText([...events.slice(0, 1), ...events]))),
  stream("rubbish behind the end", "answer", sending(`${sseText(events)}data: {"event":\n\n\xff`)),
  stream("all in one chunk for each byte", "answer", ({ socket }) => {
    const bytes = Buffer.from(sseText(events));
    const chunks = [...bytes].map((byte) =>
      Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]),
    );
    socket.write(head(200, { ...sse, "Transfer-Encoding": "chunked" }));
    socket.end(Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")]));
  }),
  stream("silence after some events", `${stalled} idle`, ({ socket }) => socket.write(head(200, sse) + begun), pausing),
  stream("heartbeats after some events", `${stalled} event`, pulsing(begun, ": still here\n\n"), pausing),
  stream("an event that drips", `${stalled} event`, pulsing(`${begun}data: `, "x"), pausing),
  stream("events for longer than stream.timeout", `${stalled} stream`, pulsing(begun, sseText(events.slice(1, 2))), {
    isWaiting: true,
    options: { timeout: 2_000, stream: { timeout: 600 } },
  }),
];
