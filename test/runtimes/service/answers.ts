import { readFileSync } from "node:fs";

const samples = new URL("../../../src/emulator/samples/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, samples), "utf8");

const files: readonly (readonly [pathEnd: string, file: string])[] = [
  ["verification/upimobile_multiple", "verification/success-multiple.json"],
  ["ai/create-response", "ai/response-whole-follow-up-hindi.json"],
  ["flight/fare_quote", "flight/fare_quote/success-domestic-oneway-full-service.json"],
  ["flight/fare_rule", "flight/fare_rule/success-hostile-html.json"],
  ["flight/book", "flight/book/success-lcc.json"],
];

/** The body of a successful response of the operation at this path; of the first operation if the path is unknown. */
export function answers(path: string): string {
  const [, file] = files.find(([end]) => path.endsWith(end)) ?? ["", "verification/success-multiple.json"];
  return read(file);
}

/** The events of a whole AI stream, with characters of several bytes. */
export function streamEvents(): readonly unknown[] {
  return JSON.parse(read("ai/stream-hindi-emoji.events.json"));
}

export const sse = { "Content-Type": "text/event-stream" };

/** Returns events as they are on the wire. */
export function sseText(events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

/** The requests that the program sends, one for each operation. */
export function sampleRequests() {
  return {
    findVpas: JSON.parse(read("verification/request.json")),
    createResponse: JSON.parse(read("ai/request-simple.json")),
    fareQuote: JSON.parse(read("flight/fare_quote/request.json")),
    fareRule: JSON.parse(read("flight/fare_rule/request.json")),
    book: JSON.parse(read("flight/book/request-lcc-gst-seat.json")),
  };
}
