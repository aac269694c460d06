import { constants, type ServerHttp2Stream } from "node:http2";
import type { GoodResponse, Row, Scenario } from "../scenario.ts";
import { answered, broken, cut, notSent, open, times, tooLate } from "./rows.ts";

/** Sends the headers of a good response, and its body. */
function respond(stream: ServerHttp2Stream, { type, body }: GoodResponse): void {
  stream.respond({ ":status": 200, "content-type": type });
  stream.end(body);
}

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;

/** In Deno, what must be sent once keeps to HTTP/1.1: the handshake fails. */
function onlyHttp1(tries: number): Partial<Row> {
  const { ifNotProcessed, never } = notSent(tries);
  return { ifNotProcessed, never, stream: ifNotProcessed };
}

/** A server that speaks HTTP/2 alone. The `fetch` of the other runtimes does not. */
export const http2: readonly Scenario[] = (
  [
    { name: "HTTP/2", answer2: respond, expected: answered() },
    ...[NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM].map((code) => ({
      name: `HTTP/2, a stream that ends with code ${code}`,
      answer2: (stream: ServerHttp2Stream) => stream.close(code),
      expected: broken,
      // It sends a look-up again that was refused before it was processed.
      ...(code === NGHTTP2_REFUSED_STREAM && {
        except: { Deno: { safe: times("ConnectionError unknown", 3, { each: 2 }) } },
      }),
    })),
    {
      name: "HTTP/2, GOAWAY after the request",
      // Deno waits until the connection closes.
      runtimes: ["Node 26"],
      answer2: (stream: ServerHttp2Stream) => stream.session?.goaway(NGHTTP2_INTERNAL_ERROR, 0),
      expected: broken,
    },
    {
      name: "HTTP/2, a connection that breaks after the request",
      answer2: (stream: ServerHttp2Stream) => stream.session?.destroy(),
      expected: broken,
    },
    {
      name: "HTTP/2, a kept connection that breaks after the second request",
      calls: 2,
      // Deno sends over HTTP/2 only what may be sent twice: the first call would fail.
      runtimes: ["Node 26"],
      answer2: (stream: ServerHttp2Stream, good: GoodResponse, nth: number) =>
        nth === 1 ? respond(stream, good) : stream.session?.destroy(),
      expected: open("ConnectionError", "", { before: 1 }),
    },
    {
      name: "HTTP/2, a kept connection that is closed while it is idle",
      calls: 2,
      // Deno sends over HTTP/2 only what may be sent twice: the first call would fail.
      runtimes: ["Node 26"],
      answer2: (stream: ServerHttp2Stream, good: GoodResponse) => {
        respond(stream, good);
        stream.session?.close();
      },
      expected: answered(2),
    },
    {
      name: "HTTP/2, a stream that ends in the body",
      answer2: (stream: ServerHttp2Stream, { type, body }: GoodResponse) => {
        stream.respond({ ":status": 200, "content-type": type });
        stream.write(body.slice(0, 60), () => stream.close(NGHTTP2_INTERNAL_ERROR));
      },
      expected: cut,
    },
    {
      name: "HTTP/2, silence",
      answer2: () => {},
      isWaiting: true,
      options: { timeout: 1_000, maxRetries: 1 },
      expected: tooLate("headers"),
      except: { Deno: onlyHttp1(2) },
    },
  ] as readonly Scenario[]
).map((scenario) => ({
  ...scenario,
  certificate: "trusted",
  except: { Deno: { ...onlyHttp1(3), ...scenario.except?.Deno } },
  runtimes: scenario.runtimes ?? ["Node 26", "Deno"],
}));
