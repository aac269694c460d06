/**
 * The work whose cost grows, at one size. Calls get their response from a `fetch` in the same process, unless noted.
 */
import { type FareQuote, type FareQuoteParams, ServiceApi } from "serviceapi";
import { type JournalRow, memoryJournal, type Passenger, validatePassengers } from "serviceapi/flights";
import { memoryStore } from "serviceapi/webhooks";
import type { Contestant } from "./measure.ts";
import { eventsOf, quoteOf, sampleOf, trace } from "./payloads.ts";
import { drain } from "./streams.ts";

export type Work = Pick<Contestant, "run" | "setup" | "expect">;

const credentials = { baseUrl: "https://bench.example", clientId: "bench", clientSecret: "bench-secret" };
const quoteParams = { ...sampleOf<FareQuoteParams>("flight/fare_quote/request.json"), trace_id: trace };
const json = { headers: { "content-type": "application/json" } };

function apiThatReceives(response: () => Response): ServiceApi {
  return new ServiceApi({ ...credentials, fetch: async () => response() });
}

/** Reads and checks a quote. */
export function quoteReader(quote: FareQuote): Work {
  const body = JSON.stringify(quote);
  const api = apiThatReceives(() => new Response(body, json));
  const run = async () => (await api.flights.fareQuote(quoteParams)).data.result.length;
  return { run, expect: quote.data.result.length };
}

/** Reads a stream whose bytes come in chunks of a size. */
export function streamReader(events: number, chunkSize: number): Work {
  const text = Array.from(eventsOf(events), (event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const bytes = Buffer.from(text);
  const chunks = Array.from(
    { length: Math.ceil(bytes.length / chunkSize) },
    (_, i) => new Uint8Array(bytes.subarray(i * chunkSize, (i + 1) * chunkSize)),
  );
  const api = apiThatReceives(
    () => new Response(streamOf(chunks), { headers: { "content-type": "text/event-stream" } }),
  );
  return { run: () => drain(api.ai.stream({ user: { text: "Hello" } })), expect: events + 2 };
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next];
      next += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

/** Checks that many passengers. */
export function passengerCheck(size: number): Work {
  const [offer] = quoteOf(1).data.result;
  const { passengers } = sampleOf<{ passengers: Passenger[] }>("flight/book/request-international-family-ssr-gst.json");
  const [adult] = passengers;
  if (offer === undefined || adult === undefined) throw new Error("the samples are incomplete");
  const list = Array.from({ length: size }, (_, i) => ({
    ...adult,
    fname: `ARUN ${String.fromCharCode(65 + (i % 26))}`,
  }));
  const issues = () => validatePassengers(offer, list, { maxPassengers: size });
  const expect = issues().length;
  return { run: () => issues().length, expect };
}

/** Makes that many calls at once, over the network. */
export function concurrentCalls(base: string, size: number): Work {
  const api = new ServiceApi({ ...credentials, baseUrl: `${base}/small` });
  const params = { vpa_mobile: "6000000001", consent: "Y" } as const;
  const run = async () =>
    (await Promise.all(Array.from({ length: size }, () => api.verification.findVpas(params)))).length;
  return { run, expect: size };
}

/** A delivery's two steps, and the removal that keeps the size. */
export function storeOf(size: number): Work {
  const store = memoryStore();
  const claimAndComplete = async (key: string) => {
    const result = await store.claim(key, { effect: "SUCCESS", lease: 60_000 });
    return result.kind === "claimed" && (await store.complete(result.claim));
  };
  const fill = async () => {
    for (let i = 0; i < size; i += 1) await claimAndComplete(`kept-${i}`);
  };
  let filled: Promise<void> | undefined;
  let number = 0;
  const run = async () => {
    filled ??= fill();
    await filled;
    number += 1;
    const isDone = await claimAndComplete(`new-${number}`);
    await store.forget(`new-${number}`);
    return isDone;
  };
  return { run, expect: true };
}

/** A booking's three steps in a journal that is filled again for each slice. */
export function journalOf(size: number): Work {
  const rows = Array.from({ length: size }, (_, i) => rowOf(`kept-${i}`, "booked"));
  let journal = memoryJournal(rows);
  let number = 0;
  const run = async () => {
    number += 1;
    const row = rowOf(`new-${number}`, "sent");
    if (await journal.conflict(row, {})) return false;
    if (await journal.claim(row, {})) return false;
    return journal.settle({ ...row, state: "booked" }, "sent");
  };
  const setup = () => {
    journal = memoryJournal(rows);
  };
  return { run, setup, expect: true };
}

function rowOf(name: string, state: JournalRow["state"]): JournalRow {
  const time = 1_795_000_000_000;
  return {
    attemptId: name,
    clientReferenceId: `reference-${name}`,
    traceId: `trace-${name}`,
    searchToken: `search-${name}`,
    token: `token-${name}`,
    result: 0,
    fingerprint: `${name}.bef3076a`,
    state,
    at: time,
    sentAt: time,
    responseDueBy: time + 200_000,
  };
}
