import { head } from "../../support/raw-http.ts";
import type { Exchange, Scenario } from "../scenario.ts";
import { rejected, times, tooLate } from "./rows.ts";

/** Short enough to wait for, long enough for a busy machine to come this far. */
const impatient = {
  isWaiting: true,
  options: { timeout: 1_000, maxRetries: 1, stream: { idleTimeout: 1_000 } },
} satisfies Partial<Scenario>;

/** Sends a string again and again until the connection closes. */
function drip({ socket }: Exchange, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
}

const stalled = times("StreamStalledError unknown idle", 1);
const inHeaders = tooLate("headers");
const inBody = { ...tooLate("body"), stream: stalled };

/** Servers that take their time: each deadline ends the call, and closes its connection. */
export const waiting: readonly Scenario[] = [
  { name: "accepted, then silence", accept: (socket) => socket.resume(), ...impatient, expected: inHeaders },
  { name: "silence after the request", answer: () => {}, ...impatient, expected: inHeaders },
  {
    name: "silence in the headers",
    answer: ({ socket }) => socket.write("HTTP/1.1 200 OK\r\nContent-Type: appl"),
    ...impatient,
    expected: inHeaders,
  },
  {
    name: "headers that drip",
    answer: (exchange) => {
      exchange.socket.write("HTTP/1.1 200 OK\r\n");
      drip(exchange, "X-More: 1\r\n");
    },
    ...impatient,
    expected: inHeaders,
  },
  {
    name: "informational responses without end",
    answer: (exchange) => drip(exchange, "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"),
    ...impatient,
    expected: inHeaders,
  },
  {
    name: "silence after the headers",
    answer: ({ socket, good }) => socket.write(head(200, { "Content-Type": good.type, "Content-Length": "5000" })),
    ...impatient,
    expected: inBody,
  },
  {
    name: "silence in the body",
    answer: ({ socket, good }) =>
      socket.write(head(200, { "Content-Type": good.type, "Content-Length": "99999" }) + good.body.slice(0, 60)),
    ...impatient,
    expected: inBody,
  },
  {
    name: "a body that drips",
    answer: (exchange) => {
      const { good, socket } = exchange;
      socket.write(head(200, { "Content-Type": good.type, "Content-Length": "99999" }));
      drip(exchange, " ");
    },
    isWaiting: true,
    // The bytes do not extend the deadline of a body. A stream has one for events, as heartbeats keep it busy.
    options: { ...impatient.options, stream: { ...impatient.options.stream, eventTimeout: 1_400 } },
    expected: { ...inBody, stream: times("StreamStalledError unknown event", 1) },
  },
  {
    name: "a refusal whose body does not come",
    answer: ({ socket }) => socket.write(head(503, { "Content-Length": "5000" })),
    ...impatient,
    expected: tooLate("body"),
  },
  {
    name: "a redirect whose body does not come",
    answer: ({ socket }) => socket.write(head(303, { Location: "/", "Content-Length": "5000" })),
    ...impatient,
    // Only a booking needs the body: it may name what was booked.
    expected: { ...rejected("ApiError"), ifNotProcessed: times("ApiError unknown", 1), never: inBody.never },
  },
  {
    name: "a whole body, and no end",
    answer: ({ socket, good }) => socket.write(head(200, { "Content-Type": good.type }) + good.body),
    ...impatient,
    // `response_completed` ends a stream.
    expected: { ...inBody, stream: "answer, 1 received" },
  },
  {
    name: "a length that is too large, and no end",
    answer: ({ socket, good }) =>
      socket.write(head(200, { "Content-Type": good.type, "Content-Length": "99999" }) + good.body),
    ...impatient,
    expected: { ...inBody, stream: "answer, 1 received" },
  },
];
