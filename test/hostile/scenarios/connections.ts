import { head, respond } from "../../support/raw-http.ts";
import type { Exchange, Scenario } from "../scenario.ts";
import { answered, broken, cut, notSent, notTold, open, times } from "./rows.ts";

/** Responds and keeps the connection, as a server does. */
function keep({ socket, good }: Exchange): void {
  const headers = { "Content-Type": good.type, "Content-Length": `${Buffer.byteLength(good.body)}` };
  socket.write(head(200, { ...headers, Connection: "keep-alive" }) + good.body);
}

const megabytes = 4_000_000;
const largeHead = 200_000;

/** Resets the connection once more than this number of bytes has arrived. */
const resetAfter =
  (bytes: number) =>
  (socket: Exchange["socket"]): void => {
    let seen = 0;
    socket.on("data", (chunk) => {
      seen += chunk.length;
      if (seen > bytes) socket.resetAndDestroy();
    });
  };

/** The first of two requests arrived, and then all attempts of the second. */
const secondBroken = open("ConnectionError", "", { before: 1 });

/** A connection that broke: not sent, or perhaps sent, by whichever comes first. */
const notAccepted = [notSent(), ...[2, 3].map((n) => open("ConnectionError", "", { each: 0, ifNotProcessed: n }))];

/** Deno sends a look-up again if a kept connection dies. */
const sentAgain = times("ConnectionError unknown", 3, { before: 2 });

/** Connections that are not made, or die: before, within and after the request, and while they are idle. */
export const connections: readonly Scenario[] = [
  {
    name: "a response",
    answer: ({ socket, good }) => respond(socket, 200, good.body, { "Content-Type": good.type }),
    expected: answered(),
  },
  { name: "connection refused", isClosed: true, expected: notSent(), except: notTold },
  {
    name: "reset when accepted",
    accept: (socket) => socket.resetAndDestroy(),
    // Deno calls it refused or broken, whichever comes first.
    runtimes: ["Node", "nodeFetch", "Bun", "workerd"],
    expected: open("ConnectionError", "", { each: 0 }),
    // So does Node, whose calls are retried if nothing was sent.
    rare: { Node: notAccepted, nodeFetch: notAccepted },
  },
  ...[0, 0.3, 0.6, 0.9].map(
    (part): Scenario => ({
      name: `reset after ${part} of a large head of the request`,
      // More than arrives at once.
      options: { headers: { "x-padding": "x".repeat(largeHead) } },
      accept: resetAfter(part * largeHead),
      expected: broken,
    }),
  ),
  ...[0.25, 0.5, 0.75].map(
    (part): Scenario => ({
      name: `reset after ${part} of a large request`,
      padding: megabytes,
      accept: resetAfter(part * megabytes),
      expected: broken,
    }),
  ),
  {
    name: "a kept connection that is closed while it is idle",
    calls: 2,
    // A look-up may take the connection before its end has arrived, and is then retried.
    only: ["createResponse", "stream", "book"],
    answer: (exchange) => {
      keep(exchange);
      exchange.socket.end();
    },
    expected: answered(2),
    // So may any other call on a machine that is busy: nothing tells the client when the end arrives.
    rare: { Node: [secondBroken] },
  },
  ...ends("reset", (socket) => socket.resetAndDestroy()),
  ...ends("closed", (socket) => socket.end()),
];

/** The connection ends within the request and after it, and at every tenth of the response: of its head, and its body. */
function ends(how: string, end: (socket: Exchange["socket"]) => void): Scenario[] {
  const aroundRequest: Scenario[] = [
    {
      name: `${how} with the first byte of the request`,
      accept: (socket) => socket.once("data", () => end(socket)),
      expected: broken,
    },
    { name: `${how} after the request`, answer: ({ socket }) => end(socket), expected: broken },
    {
      name: `a kept connection that is ${how} after the second request`,
      calls: 2,
      answer: (exchange) => (exchange.nth === 1 ? keep(exchange) : end(exchange.socket)),
      expected: secondBroken,
      except: { Deno: { safe: sentAgain } },
    },
  ];
  const tenths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const inHead = tenths.slice(1).map(
    (tenth): Scenario => ({
      name: `${how} after ${tenth}0 % of the head of the response`,
      answer: ({ socket, good }) => {
        const all = headOf(good);
        socket.write(all.slice(0, Math.ceil((all.length * tenth) / 10)), () => end(socket));
      },
      expected: broken,
    }),
  );
  const inBody = tenths.map(
    (tenth): Scenario => ({
      name: `${how} after ${tenth}0 % of the body of the response`,
      answer: ({ socket, good }) => {
        const body = Buffer.from(good.body);
        socket.write(headOf(good));
        socket.write(body.subarray(0, Math.ceil((body.length * tenth) / 10)), () => end(socket));
      },
      expected: cut,
    }),
  );
  return [...aroundRequest, ...inHead, ...inBody];
}

function headOf({ type, body }: Exchange["good"]): string {
  return head(200, { "Content-Type": type, "Content-Length": `${Buffer.byteLength(body)}` });
}
