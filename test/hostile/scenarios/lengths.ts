import { head } from "../../support/raw-http.ts";
import type { Exchange, Scenario } from "../scenario.ts";
import { answered, broken, cut, open, times } from "./rows.ts";

/** Sends headers that no server library would, then a body, and ends, perhaps some milliseconds later. */
const raw =
  (headers: (good: Buffer) => string, body: (good: string) => string = (good) => good, delay = 0) =>
  ({ socket, good }: Exchange): void => {
    const start = `HTTP/1.1 200 OK\r\nContent-Type: ${good.type}\r\nConnection: close\r\n`;
    socket.write(`${start}${headers(Buffer.from(good.body))}\r\n${body(good.body)}`);
    if (delay === 0) socket.end();
    else setTimeout(() => socket.end(), delay);
  };

const chunked = () => "Transfer-Encoding: chunked\r\n";
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Bun drops bytes that come with the end of the connection. */
const afterTheBody = 50;

/** A stream that was completed has its text, whatever follows. */
const cutButCompleted = { ...cut, stream: "answer, 1 received" };

const empty = {
  ...open("UnexpectedResponseError", "empty", { safe: 1 }),
  stream: times("StreamTruncatedError unknown", 1),
};

/** These runtimes read what is not ambiguous. */
const lenient = { Bun: answered(), Deno: answered(), workerd: answered() };

/** Lengths, chunks and headers that contradict the body, themselves, or HTTP. */
export const lengths: readonly Scenario[] = [
  { name: "no length, and an end", answer: raw(() => ""), expected: answered() },
  { name: "a length that is too small", answer: raw(() => "Content-Length: 60\r\n"), expected: cut },
  {
    name: "a length that ends within a character",
    // The emoji of these bodies take four bytes.
    answer: ({ socket, good }) => {
      const body = good.body.replace("{", '{"a":"\u{1f680}","b":');
      socket.end(head(200, { "Content-Type": good.type, "Content-Length": `${body.indexOf("\u{1f680}") + 2}` }) + body);
    },
    expected: cut,
  },
  {
    name: "a length that is too large",
    answer: raw((good) => `Content-Length: ${good.length + 20}\r\n`, undefined, afterTheBody),
    expected: cutButCompleted,
  },
  {
    name: "the same length twice",
    answer: raw((good) => `Content-Length: ${good.length}\r\n`.repeat(2)),
    expected: broken,
    except: lenient,
  },
  {
    name: "two lengths",
    answer: raw((good) => `Content-Length: ${good.length}\r\nContent-Length: ${good.length - 20}\r\n`),
    expected: broken,
  },
  { name: "a negative length", answer: raw(() => "Content-Length: -1\r\n"), expected: broken },
  { name: "a length that is no number", answer: raw(() => "Content-Length: much\r\n"), expected: broken },
  { name: "a length beyond 64 bits", answer: raw(() => `Content-Length: ${"9".repeat(30)}\r\n`), expected: broken },
  {
    name: "a length and chunks",
    answer: raw(
      (good) => `Content-Length: ${good.length}\r\n${chunked()}`,
      (good) => `${chunk(good)}0\r\n\r\n`,
    ),
    expected: broken,
    except: lenient,
  },
  {
    name: "a chunk for each character, extensions and trailers",
    answer: raw(chunked, (good) => `${[...good].map(chunk).join("")}0;last=1\r\nX-Trailer: 1\r\n\r\n`),
    expected: answered(),
  },
  {
    name: "chunks without the last",
    answer: raw(chunked, chunk, afterTheBody),
    expected: cutButCompleted,
  },
  { name: "a chunk that is cut", answer: raw(chunked, (good) => chunk(good).slice(0, 60)), expected: cut },
  {
    name: "a chunk whose size is no number",
    answer: raw(chunked, (good) => `zz\r\n${good}\r\n0\r\n\r\n`),
    expected: cut,
  },
  {
    name: "a chunk that is longer than its size",
    answer: raw(chunked, (good) => `10\r\n${good}\r\n0\r\n\r\n`),
    expected: cut,
  },
  {
    name: "a chunk size beyond 64 bits",
    answer: raw(chunked, (good) => `${"f".repeat(20)}\r\n${good}`),
    expected: cut,
  },
  {
    name: "a thousand informational responses",
    answer: ({ socket, good }) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n".repeat(1_000));
      socket.end(head(200, { "Content-Type": good.type }) + good.body);
    },
    expected: answered(),
  },
  {
    name: "100 Continue without Expect",
    answer: ({ socket, good }) =>
      socket.end(`HTTP/1.1 100 Continue\r\n\r\n${head(200, { "Content-Type": good.type })}${good.body}`),
    expected: answered(),
    except: { Node: broken },
  },
  {
    name: "101 Switching Protocols",
    answer: ({ socket }) => socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    expected: broken,
    except: { Deno: empty, workerd: empty },
  },
  { name: "another protocol", answer: ({ socket }) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"), expected: broken },
  {
    name: "a status that is no number",
    answer: ({ socket }) => socket.end("HTTP/1.1 abc Said\r\n\r\n"),
    expected: broken,
  },
  { name: "a header without a colon", answer: raw(() => "Rubbish\r\n"), expected: broken },
  { name: "a header with a NUL", answer: raw(() => "X-Rubbish: a\0b\r\n"), expected: broken },
  {
    name: "a megabyte of headers",
    answer: raw(() => `X-Long: ${"x".repeat(1_000_000)}\r\n`),
    expected: broken,
    except: { Bun: answered() },
    // Its limit is that of a buffer, and how much is in there depends on how the bytes arrive.
    rare: { Deno: [answered(), { safe: "answer, 2 received" }, { safe: "answer, 3 received" }] },
  },
  {
    name: "a second response behind the first",
    answer: ({ socket, good }) => {
      const one =
        head(200, { "Content-Type": good.type, "Content-Length": `${Buffer.byteLength(good.body)}` }) + good.body;
      socket.end(one + one);
    },
    expected: answered(),
  },
  {
    name: "204 without a body",
    answer: ({ socket }) => socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    expected: empty,
  },
  {
    name: "nothing in 200",
    answer: ({ socket }) => socket.end(head(200, { "Content-Length": "0" })),
    expected: empty,
  },
];
