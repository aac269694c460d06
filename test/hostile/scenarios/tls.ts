import { head, respond } from "../../support/raw-http.ts";
import type { Scenario } from "../scenario.ts";
import { bodies } from "./bodies.ts";
import { connections } from "./connections.ts";
import { lengths } from "./lengths.ts";
import { answered, broken, cut, leftOpen, neverReady, notSent, notTold, open, tooLate } from "./rows.ts";

/** The connection broke in the handshake: no byte of a request was sent, but not every runtime can tell. */
const brokenHandshake = open("ConnectionError", "", { each: 0 });

/** Scenarios that end as over plain HTTP. */
const alsoOverTls: readonly string[] = [
  "closed after the request",
  "a kept connection that is closed after the second request",
  "closed after 50 % of the head of the response",
  "closed after 50 % of the body of the response",
  "a length that is too small",
  "a length that is too large",
  "chunks without the last",
  "a chunk that is cut",
  "gzip that is cut",
  "a bomb in gzip",
  "a body without end",
];
const overTls = [...connections, ...lengths, ...bodies]
  .filter(({ name }) => alsoOverTls.includes(name))
  .map((scenario): Scenario => ({ ...scenario, name: `HTTPS, ${scenario.name}`, certificate: "trusted" }));

/** HTTPS: certificates that must be refused, and handshakes that fail or never end. */
export const tls: readonly Scenario[] = [
  {
    name: "HTTPS",
    certificate: "trusted",
    answer: ({ socket, good }) => respond(socket, 200, good.body, { "Content-Type": good.type }),
    expected: answered(),
  },
  ...(["selfSigned", "expired", "otherName"] as const).map(
    (certificate): Scenario => ({
      name: `a certificate that is to be refused: ${certificate}`,
      certificate,
      answer: ({ socket, good }) => respond(socket, 200, good.body, { "Content-Type": good.type }),
      // The next attempt would meet the same certificate.
      expected: notSent(1),
      except: notTold,
    }),
  ),
  {
    name: "HTTPS, reset after the request",
    certificate: "trusted",
    answer: ({ socket }) => socket.destroy(),
    expected: broken,
  },
  ...overTls,
  ...[true, false].map(
    (hasLength): Scenario => ({
      name: `HTTPS, a body ${hasLength ? "with" : "without"} a length that is cut without close_notify`,
      certificate: "trusted",
      answer: ({ socket, good }) => {
        const length: Record<string, string> = hasLength ? { "Content-Length": `${Buffer.byteLength(good.body)}` } : {};
        const half = Buffer.from(good.body).subarray(0, Buffer.byteLength(good.body) / 2);
        socket.write(head(200, { "Content-Type": good.type, ...length }));
        // `destroy` ends the connection below TLS.
        socket.write(half, () => socket.destroy());
      },
      expected: cut,
    }),
  ),
  {
    name: "a handshake that never ends",
    certificate: "trusted",
    accept: (socket) => socket.resume(),
    isWaiting: true,
    options: { timeout: 1_000, maxRetries: 1 },
    expected: tooLate("headers", { each: 0 }),
    // An abort does not end a connection that Node's `fetch` is making; its own timeout of ten seconds does.
    except: { Node: leftOpen(tooLate("headers", { each: 0 })), nodeFetch: neverReady },
  },
  {
    name: "a handshake that is closed",
    certificate: "trusted",
    accept: (socket) => socket.once("data", () => socket.end()),
    expected: brokenHandshake,
    except: { Deno: notSent(), Node: notSent(), nodeFetch: notSent() },
  },
  {
    name: "a handshake that is reset",
    certificate: "trusted",
    accept: (socket) => socket.once("data", () => socket.resetAndDestroy()),
    expected: brokenHandshake,
    except: { Deno: notSent(), nodeFetch: notSent() },
  },
  {
    name: "plain HTTP instead of a handshake",
    certificate: "trusted",
    accept: (socket, good) => socket.once("data", () => respond(socket, 200, good.body, { "Content-Type": good.type })),
    expected: notSent(),
    except: { Bun: brokenHandshake, ...notTold },
  },
];
