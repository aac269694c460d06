/**
 * How cost grows with the size of the work: CPU of one operation at several sizes, side by side, and the exponent between
 * the two largest. 1 is linear; 0 does not depend on the size. Calls get their response from a `fetch` in the same
 * process, so that the figure is the library's.
 */
import { type FareQuote, type FareQuoteParams, ServiceApi } from "serviceapi";
import { type JournalRow, memoryJournal, type Passenger, validatePassengers } from "serviceapi/flights";
import { memoryStore } from "serviceapi/webhooks";
import { type Contestant, compare, exponent, type Figure, plainFigure } from "../measure.ts";
import { eventsOf, quoteOf, quoteWithSegments, sampleOf, trace } from "../payloads.ts";
import { drain } from "../streams.ts";

/** One measure: how it grows, and the contestant of a size. */
interface Growth {
  readonly measure: string;
  readonly sizes: readonly number[];
  /** Operations of a slice. A size that is n times as large gets an nth of them, unless each should cost the same. */
  readonly operations: number;
  readonly isConstant?: true;
  readonly contestant: (size: number) => Pick<Contestant, "run" | "setup" | "expect">;
}

export async function run(base: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const growth of growths(base)) figures.push(...(await grow(growth)));
  return figures;
}

function growths(base: string): readonly Growth[] {
  const sizes = [100, 400, 1_600];
  return [
    {
      measure: "body size",
      sizes: [30, 300, 3_000],
      operations: 100,
      contestant: (kilobytes) => quoteReader(quoteOf(kilobytes)),
    },
    { measure: "segments", sizes, operations: 64, contestant: (size) => quoteReader(quoteWithSegments(size)) },
    { measure: "passengers", sizes: [9, 36, 144], operations: 32, contestant: passengerCheck },
    {
      measure: "events",
      sizes: [500, 2_000, 8_000],
      operations: 32,
      contestant: (size) => streamReader(size, 16_384),
    },
    {
      measure: "events, in chunks of one byte",
      sizes: [50, 200, 800],
      operations: 16,
      contestant: (size) => streamReader(size, 1),
    },
    {
      measure: "concurrent calls",
      sizes: [8, 64, 512],
      operations: 64,
      contestant: (size) => concurrentCalls(base, size),
    },
    {
      measure: "references in a store",
      sizes: [1_000, 10_000, 100_000],
      operations: 2_000,
      isConstant: true,
      contestant: storeOf,
    },
    {
      measure: "rows in a journal",
      sizes: [300, 3_000, 30_000],
      operations: 1_000,
      isConstant: true,
      contestant: journalOf,
    },
  ];
}

async function grow({ measure, sizes, operations, isConstant, contestant }: Growth): Promise<Figure[]> {
  const [smallest = 1] = sizes;
  const contestants = sizes.map((size) => {
    const share = isConstant ? 1 : smallest / size;
    return { name: size.toLocaleString("en"), ...contestant(size), operations: Math.ceil(operations * share) };
  });
  const shared = { measure, unit: "µs", contestants, operations, expect: undefined };
  const figures = await compare(shared, { warmUp: 2, rounds: 9, seconds: 8 });
  const points = figures.map(({ value }, i) => ({ size: sizes[i] ?? Number.NaN, cost: value }));
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) throw new Error(`${measure} needs two sizes`);
  return [...figures, plainFigure(measure, "exponent", exponent(before, last), "")];
}

const credentials = { baseUrl: "https://bench.example", clientId: "bench", clientSecret: "bench-secret" };
const quoteParams = { ...sampleOf<FareQuoteParams>("flight/fare_quote/request.json"), trace_id: trace };
const json = { headers: { "content-type": "application/json" } };

function apiThatReceives(response: () => Response): ServiceApi {
  return new ServiceApi({ ...credentials, fetch: async () => response() });
}

function quoteReader(quote: FareQuote): Pick<Contestant, "run" | "expect"> {
  const body = JSON.stringify(quote);
  const api = apiThatReceives(() => new Response(body, json));
  const run = async () => (await api.flights.fareQuote(quoteParams)).data.result.length;
  return { run, expect: quote.data.result.length };
}

function streamReader(events: number, chunkSize: number): Pick<Contestant, "run" | "expect"> {
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

function passengerCheck(size: number): Pick<Contestant, "run" | "expect"> {
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

function concurrentCalls(base: string, size: number): Pick<Contestant, "run" | "expect"> {
  const api = new ServiceApi({ ...credentials, baseUrl: `${base}/small` });
  const params = { vpa_mobile: "6000000001", consent: "Y" } as const;
  const run = async () =>
    (await Promise.all(Array.from({ length: size }, () => api.verification.findVpas(params)))).length;
  return { run, expect: size };
}

/** A delivery's two steps, and the removal that keeps the size. */
function storeOf(size: number): Pick<Contestant, "run" | "expect" | "setup"> {
  const store = memoryStore();
  const claimAndComplete = async (key: string) => {
    const result = await store.claim(key, { status: "SUCCESS", lease: 60_000 });
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
function journalOf(size: number): Pick<Contestant, "run" | "expect" | "setup"> {
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
