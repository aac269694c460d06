import type { Row } from "../../hostile/scenario.ts";
import { answered, broken, neverReady, notSent, open, times, tooLate } from "../../hostile/scenarios/rows.ts";
import { head, respond } from "../../support/raw-http.ts";
import { established, type ProxyRequest, type ProxyScenario } from "./proxy-server.ts";

/** The proxies of both tables: of `https:` URLs, whose requests go through a tunnel, and of `http:` URLs. */

const https = { certificate: "trusted" } as const;

const good: ProxyScenario["answer"] = ({ socket, good }) =>
  respond(socket, 200, good.body, { "Content-Type": good.type });

const page = "<!doctype html><title>Proxy</title><p>Ask your administrator.";

const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  ({ socket }: ProxyRequest) =>
    respond(socket, status, page, { "Content-Type": "text/html", ...headers });

const basic = { "Proxy-Authenticate": 'Basic realm="proxy"' };

type Behaviour = Required<Pick<ProxyScenario, "onRequest">>;

const refuses = (status: number, headers?: Readonly<Record<string, string>>): Behaviour => ({
  onRequest: refuse(status, headers),
});
const closes: Behaviour = { onRequest: ({ socket }) => socket.end() };
const resets: Behaviour = { onRequest: ({ socket }) => socket.resetAndDestroy() };
const closesInItsResponse: Behaviour = { onRequest: ({ socket }) => socket.end("HTTP/1.1 200 Conn") };
const isSilent: Behaviour = { onRequest: () => {} };

/** Short enough to wait for, long enough for a busy machine to come this far. */
const impatient = { isWaiting: true, options: { timeout: 1_500, maxRetries: 1 } } as const;

/** No byte of a request reached the service, but not every runtime can tell. */
const unclear = open("ConnectionError", "", { each: 0 });
const silence = tooLate("headers", { each: 0 });

/**
 * A proxy that closes the connection. `fetch` of Node 22 and 24 then asks for its tunnel again without end, until the
 * deadline of the call and afterwards (nodejs/undici#3897).
 */
function closing(name: string, behaviour: Behaviour, others: Pick<ProxyScenario, "expected" | "except">) {
  const expected = ending(silence, ", asked again and again");
  // A machine that is too busy does not come that far.
  const rare = { Node: [silence] };
  return [
    { name, ...behaviour, ...others, runtimes: ["Node 26", "nodeFetch", "Deno", "Bun"] },
    { name: `${name}, again and again`, ...behaviour, ...impatient, expected, rare, runtimes: ["Node 22", "Node 24"] },
  ] satisfies readonly ProxyScenario[];
}

/** `fetch` of Node 22 and 24 makes a tunnel for `http:` URLs too. */
const inTunnel = (row: Row) => ({ "Node 22": row, "Node 24": row });

function ending(row: Row, end: string): Row {
  return { safe: row.safe + end, ifNotProcessed: row.ifNotProcessed + end, never: row.never + end };
}

const tunnels: readonly ProxyScenario[] = [
  { name: "forwards", answer: good, expected: answered() },
  // The next attempt would have the same credentials.
  { name: "407 with Proxy-Authenticate", ...refuses(407, basic), expected: notSent(1) },
  { name: "407 without Proxy-Authenticate", ...refuses(407), expected: notSent(1) },
  { name: "403 with a page", ...refuses(403), expected: notSent() },
  { name: "502 with a page", ...refuses(502), expected: notSent() },
  ...closing("closes before its response", closes, { expected: notSent(), except: { Bun: unclear } }),
  { name: "resets before its response", ...resets, expected: notSent(), except: { Node: unclear, Bun: unclear } },
  ...closing("closes in its response", closesInItsResponse, { expected: notSent(), except: { Bun: unclear } }),
  {
    name: "closes the tunnel at once",
    onRequest: ({ socket }) => socket.end(established),
    expected: notSent(),
    except: { Bun: unclear },
  },
  {
    name: "resets the tunnel at once",
    onRequest: ({ socket }) => socket.write(established, () => socket.resetAndDestroy()),
    expected: notSent(),
    except: { Bun: unclear },
    // If the reset overtakes the end of the handshake, the error is a mere ECONNRESET.
    rare: { Node: [unclear] },
  },
  { name: "closes after the request", answer: ({ socket }) => socket.end(), expected: broken },
  { name: "cuts after the request", answer: ({ socket }) => socket.destroy(), expected: broken },
  {
    name: "silent",
    ...isSilent,
    ...impatient,
    expected: silence,
    except: { nodeFetch: neverReady },
  },
  {
    name: "silent in the tunnel",
    onRequest: ({ socket }) => socket.write(established),
    ...impatient,
    expected: silence,
    except: { nodeFetch: neverReady },
  },
];

/** The page of the proxy is not a response of the service, and nothing says that the request was not forwarded. */
const pageOf502 = open("UnexpectedResponseError", "html", { each: 0 });

const refusedWithPage = (booking: string): Row => {
  const line = times("UnexpectedResponseError rejected html", 1, { each: 0 });
  return { safe: line, ifNotProcessed: line, never: times(booking, 1, { each: 0 }) };
};

const refused407: Pick<ProxyScenario, "expected" | "except"> = {
  expected: refusedWithPage("BookingOutcomeUnknownError unknown (ApiError)"),
  // Node turns 407 into a failure of `fetch` itself.
  except: { ...inTunnel(notSent(1)), "Node 26": unclear },
};

const requests: readonly ProxyScenario[] = [
  { name: "forwards", answer: good, expected: answered() },
  { name: "407 with Proxy-Authenticate", ...refuses(407, basic), ...refused407 },
  { name: "407 without Proxy-Authenticate", ...refuses(407), ...refused407 },
  {
    name: "403 with a page",
    ...refuses(403),
    expected: refusedWithPage("BookingOutcomeUnknownError unknown (PermissionError)"),
    except: inTunnel(notSent()),
  },
  { name: "502 with a page", ...refuses(502), expected: pageOf502, except: inTunnel(notSent()) },
  ...closing("closes before its response", closes, { expected: unclear }),
  { name: "resets before its response", ...resets, expected: unclear },
  ...closing("closes in its response", closesInItsResponse, { expected: unclear }),
  {
    name: "closes after the head of its response",
    onRequest: ({ socket }) => socket.end(head(200, { "Content-Length": "100" })),
    expected: {
      ...open("UnexpectedResponseError", "cut", { each: 0 }),
      stream: times("StreamTruncatedError unknown", 1, { each: 0 }),
    },
    except: inTunnel(unclear),
  },
  { name: "closes after the request", answer: ({ socket }) => socket.end(), expected: broken },
  { name: "resets after the request", answer: ({ socket }) => socket.resetAndDestroy(), expected: broken },
  { name: "silent", ...isSilent, ...impatient, expected: silence },
];

export const scenarios: readonly ProxyScenario[] = [
  ...tunnels.map((scenario) => ({ ...scenario, ...https, name: `https: ${scenario.name}` })),
  ...requests.map((scenario) => ({ ...scenario, name: `http: ${scenario.name}` })),
];
