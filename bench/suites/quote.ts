/**
 * A fare quote of 300 KB: 32 results of four segments. The ratio to `fetch` and `JSON.parse` is what reading and
 * checking add to it. `ky + zod` checks with our own schema, so that the two differ only in how they run it. The part
 * `quote-interpreted` is the same where code cannot be generated from strings, as in edge workers.
 */
import { type FareQuote, type FareQuoteParams, fareQuote } from "serviceapi";
import * as z from "zod/mini";
import { fareQuoteSchema } from "../../src/flights/schemas.ts";
import { zodOf } from "../../src/shared/explain.ts";
import { compare, type Figure } from "../measure.ts";
import { quoteOf, sampleOf, trace } from "../payloads.ts";
import { ours, type Post, peers } from "../post.ts";

const schema = zodOf(fareQuoteSchema);
const kilobytes = 300;
const params = { ...sampleOf<FareQuoteParams>("flight/fare_quote/request.json"), trace_id: trace };

const quote: Post = {
  path: "flight/fare_quote",
  params,
  call: (api, options) => api.flights.fareQuote(params, options),
  send: (client) => client.send(fareQuote, params),
  parse: (response) => z.parse(schema, response),
  read: (response) => (response as FareQuote).data.result.length,
};

export async function run(base: string): Promise<Figure[]> {
  const url = `${base}/quote/${kilobytes}`;
  const contestants = [...peers(url, quote), ...ours(url, quote)];
  const expect = quoteOf(kilobytes).data.result.length;
  return compare({ measure: "300 KB", unit: "µs", floor: "fetch", contestants, operations: 10, expect });
}
