/**
 * The service that all clients call, in its own process, so that the bench measures only the client. The first segments
 * of the path choose the response, and the rest is the client's: `/small`, `/number` (the same, of the number that was
 * sent), `/quote/<KB>`, and the event streams of events.ts, `/<stream>/<size>/<dialect>`. A leading `/v2` is stripe's.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isStream, sendStream } from "./events.ts";
import { quoteOf, smallResponse } from "./payloads.ts";

const small = smallResponse();
const quotes = new Map<number, Buffer>();

const server = createServer((request, response) => {
  const [, what = "", size = "", dialect = ""] = (request.url ?? "/").replace(/^\/v2/, "").split("/");
  let sent = "";
  if (what === "number") request.on("data", (chunk) => (sent += chunk));
  request.resume().on("end", () => {
    if (isStream(what)) sendStream(response, what, Number(size), dialect);
    else if (what === "quote") sendJson(response, quoteOfSize(Number(size)));
    else if (what === "number") sendJson(response, ofNumber(JSON.parse(sent).vpa_mobile));
    else sendJson(response, small);
  });
});

const ofNumber = (mobile: string) => Buffer.from(small.toString().replaceAll("6000000001", mobile));

function quoteOfSize(kilobytes: number): Buffer {
  const quote = quotes.get(kilobytes) ?? Buffer.from(JSON.stringify(quoteOf(kilobytes)));
  quotes.set(kilobytes, quote);
  return quote;
}

function sendJson(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}

// Longer than a suite pauses, so that no connection closes between two slices.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
