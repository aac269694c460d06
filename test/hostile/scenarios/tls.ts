import { respond } from "../../support/raw-http.ts";
import type { Scenario } from "../scenario.ts";
import { answered, broken, leftOpen, notSent, notTold, open, tooLate } from "./rows.ts";

/** The connection broke in the handshake: no byte of a request was sent, but not every runtime can tell. */
const brokenHandshake = open("ConnectionError", "", { each: 0 });

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
  {
    name: "a handshake that never ends",
    certificate: "trusted",
    accept: (socket) => socket.resume(),
    isWaiting: true,
    options: { timeout: 500, maxRetries: 1 },
    expected: tooLate("headers", { each: 0 }),
    // An abort does not end a connection that Node's `fetch` is making; its own timeout of ten seconds does.
    except: { Node: leftOpen(tooLate("headers", { each: 0 })) },
  },
  {
    name: "a handshake that is closed",
    certificate: "trusted",
    accept: (socket) => socket.once("data", () => socket.end()),
    expected: brokenHandshake,
    except: { Deno: notSent() },
  },
  {
    name: "a handshake that is reset",
    certificate: "trusted",
    accept: (socket) => socket.once("data", () => socket.resetAndDestroy()),
    expected: brokenHandshake,
    except: { Deno: notSent() },
  },
  {
    name: "plain HTTP instead of a handshake",
    certificate: "trusted",
    accept: (socket, good) => socket.once("data", () => respond(socket, 200, good.body, { "Content-Type": good.type })),
    expected: notSent(),
    except: { Bun: brokenHandshake, ...notTold },
  },
];
