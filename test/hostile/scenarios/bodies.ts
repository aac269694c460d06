import type { Socket } from "node:net";
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { head, respond } from "../../support/raw-http.ts";
import type { Exchange, Row, Scenario } from "../scenario.ts";
import { answered, cut, open, times } from "./rows.ts";

const codings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: zstdCompressSync,
};

const tooLarge: Row = open("UnexpectedResponseError", "tooLarge", { safe: 1 });
const small = { maxResponseBytes: 100_000, stream: { eventTimeout: 300 } } as const;

/** Bytes without an event are not kept, and do not hold the caller. */
const withoutEvents = times("StreamStalledError unknown event", 1);

/** 5 MB that take some kilobytes. */
const bomb = Buffer.alloc(5_000_000, " ");

/** Compressed bodies of which a runtime has not asked for the coding are not decoded. */
const undecoded: Row = {
  ...open("UnexpectedResponseError", "badEncoding", { safe: 1 }),
  stream: times("StreamFailedError unknown damagedEvent", 1),
};
const withoutCoding = (coding: string, row: Row): Record<string, Row> => {
  if (coding === "zstd") return { nodeFetch: row, "Node 22": row, Deno: row, workerd: row };
  return coding === "deflate" ? { Deno: row, workerd: row } : {};
};

/**
 * In Node 22, an error of the decoder that comes with the head of the response is lost once in some thousand calls: the
 * body neither fails nor ends, until the deadline does it. Or the error comes before the head, and ends the request.
 */
const lost: readonly Row[] = [
  {
    ...open("TimeoutError", "attempt body"),
    stream: times("StreamStalledError unknown idle", 1),
  },
  open("ConnectionError"),
];

const compressed = Object.entries(codings).flatMap(([coding, compress]): Scenario[] => {
  const send = ({ socket, good }: Exchange, body: Buffer) =>
    respond(socket, 200, body, { "Content-Type": good.type, "Content-Encoding": coding });
  const packed = compress(bomb);
  const whole: Scenario = {
    name: coding,
    answer: (exchange) => send(exchange, compress(Buffer.from(exchange.good.body))),
    expected: answered(),
    except: withoutCoding(coding, undecoded),
  };
  const half: Scenario = {
    name: `${coding} that is cut`,
    answer: (exchange) => {
      const body = compress(Buffer.from(exchange.good.body));
      send(exchange, body.subarray(0, Math.floor(body.length / 2)));
    },
    expected: cut,
    except: withoutCoding(coding, undecoded),
  };
  const plain: Scenario = {
    name: `${coding} that is not compressed`,
    answer: (exchange) => send(exchange, Buffer.from(exchange.good.body)),
    expected: cut,
    except: withoutCoding(coding, answered()),
    rare: coding === "zstd" ? {} : { "Node 22": lost },
  };
  const large: Scenario = {
    name: `a bomb in ${coding}`,
    answer: (exchange) => send(exchange, packed),
    options: { maxResponseBytes: 100_000 },
    // Blank lines are heartbeats.
    expected: { ...tooLarge, stream: times("StreamTruncatedError unknown", 1) },
    except: withoutCoding(coding, undecoded),
  };
  // Any bytes may be raw deflate.
  return coding === "deflate" ? [whole, half, large] : [whole, half, plain, large];
});

/** Writes as long as the client reads. */
function pour(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", write);
  write();
}

const endless: readonly Scenario[] = [
  {
    name: "a body without end",
    answer: ({ socket, good }) => {
      socket.write(head(200, { "Content-Type": good.type }));
      pour(socket, " ".repeat(16_384));
    },
    options: small,
    expected: { ...tooLarge, stream: withoutEvents },
  },
  {
    name: "chunks without end",
    answer: ({ socket, good }) => {
      socket.write(head(200, { "Content-Type": good.type, "Transfer-Encoding": "chunked" }));
      pour(socket, `4000\r\n${"x".repeat(16_384)}\r\n`);
    },
    options: small,
    expected: { ...tooLarge, stream: withoutEvents },
  },
  {
    name: "gzip without end",
    answer: ({ socket, good }) => {
      socket.write(head(200, { "Content-Type": good.type, "Content-Encoding": "gzip" }));
      const gzip = createGzip();
      gzip.pipe(socket);
      socket.on("close", () => gzip.destroy());
      const write = () => {
        while (!gzip.destroyed && gzip.write(" ".repeat(65_536)));
      };
      gzip.on("drain", write);
      write();
    },
    options: small,
    expected: { ...tooLarge, stream: withoutEvents },
  },
  {
    name: "a refusal without end",
    answer: ({ socket }) => {
      socket.write(head(503));
      pour(socket, " ".repeat(16_384));
    },
    options: small,
    expected: open("UnexpectedResponseError", "tooLarge"),
  },
];

const unusable = (reason: string, stream: string): Row => ({
  ...open("UnexpectedResponseError", reason, { safe: 1 }),
  stream: times(stream, 1),
});
const damaged = "StreamFailedError unknown damagedEvent";
const empty = "StreamTruncatedError unknown";
const unexpected = (reason: string) => `UnexpectedResponseError unknown ${reason}`;

/** JSON that is not a response. */
const incomplete: Row = { ...open("ResponseValidationError", "form", { safe: 1 }), stream: times(damaged, 1) };

const deep = 50_000;

/** Whole bodies under 200. */
const malformed: readonly (readonly [name: string, body: string | Buffer, expected: Row])[] = [
  ["null", "null", unusable("notObject", unexpected("notObject"))],
  ["a string", '"SUCCESS"', unusable("notObject", unexpected("notObject"))],
  ["a number", "1", unusable("notObject", unexpected("notObject"))],
  ["a list", "[]", unusable("notObject", empty)],
  ["plain text", "OK", unusable("notJson", unexpected("notJson"))],
  ["NUL bytes", Buffer.alloc(100), unusable("notJson", unexpected("notJson"))],
  ["white space", " \r\n\t ", unusable("empty", empty)],
  ["single quotes", "{'status':'SUCCESS'}", unusable("notJson", damaged)],
  ["two objects", "{}{}", unusable("notJson", damaged)],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), unusable("badEncoding", damaged)],
  // It begins as JSON, and ends otherwise.
  ["UTF-16", Buffer.from('{"status":"SUCCESS"}', "utf16le"), { ...cut, stream: times(damaged, 1) }],
  ["an empty object", "{}", incomplete],
  ["success without data", '{"status":"SUCCESS","status_code":"200"}', incomplete],
  ["deep success", `{"status":"SUCCESS","data":${'{"data":'.repeat(deep)}{}${"}".repeat(deep)}}`, incomplete],
  ["prototypes", '{"__proto__":{"status":"SUCCESS"},"constructor":{"prototype":{"status":"SUCCESS"}}}', incomplete],
  [
    "a deep refusal",
    `{"status":"FAILED","status_code":"500","message":"no","data":${"[".repeat(deep)}${"]".repeat(deep)}}`,
    open("ServiceUnavailableError"),
  ],
];

const cutJson = [1, 3, 5, 7, 9].map(
  (tenth): Scenario => ({
    name: `a whole response whose JSON ends after ${tenth}0 %`,
    answer: ({ socket, good }) => {
      const whole = Buffer.from(good.body);
      respond(socket, 200, whole.subarray(0, Math.ceil((whole.length * tenth) / 10)), { "Content-Type": good.type });
    },
    expected: cut,
  }),
);

/** Bodies that cannot be read, or should not be read to their end. */
export const bodies: readonly Scenario[] = [
  ...compressed,
  ...endless,
  ...malformed.map(
    ([name, body, expected]): Scenario => ({
      name: `${name} as the body`,
      answer: ({ socket }) => respond(socket, 200, body),
      expected,
    }),
  ),
  ...cutJson,
  {
    name: "a byte order mark",
    answer: ({ socket, good }) => respond(socket, 200, `\ufeff${good.body}`, { "Content-Type": good.type }),
    expected: answered(),
  },
  {
    name: "a JSON body of any content type",
    answer: ({ socket, good }) => respond(socket, 200, good.body, { "Content-Type": "text/html; charset=utf-16" }),
    expected: answered(),
  },
];
