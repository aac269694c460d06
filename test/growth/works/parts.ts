/** Input of many parts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conversationFromUiMessages, readRelay } from "../../../src/ai/entry.ts";
import { formIssues, passengerForm, readPassengerForm } from "../../../src/flights/forms/index.ts";
import {
  checkout,
  compareBooking,
  fareBreakdown,
  fees,
  itinerary,
  memoryJournal,
  resumeCheckout,
  validatePassengers,
} from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { ServiceApi } from "../../../src/index.ts";
import { Pace } from "../../../src/verification/many/pace.ts";
import { chunk, completed, initiated } from "../../ai/events.ts";
import { lineOf, row } from "../../flights/journal/rows.ts";
import { miniRule, sampleOffer, samplePassengers } from "../../flights/offers.ts";
import { refusesTyped } from "../../fuzz/inputs.ts";
import { respondWith, settings } from "../client.ts";
import type { Making, Work } from "../count.ts";

const offer = sampleOffer("domestic-oneway-lcc");
const [adult] = samplePassengers("oneway-adult");
/** A body that arrives in parts, one for each read. */
function inParts(count: number, part: (i: number) => string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let i = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (i === count) controller.close();
      else controller.enqueue(encoder.encode(part(i)));
      i += 1;
    },
  });
}

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const streamed = (count: number, part: (i: number) => string) => () => {
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(inParts(count, part), { headers });
  const api = new ServiceApi({ ...settings, stream: { maxEventBytes: 64_000_000 }, fetch });
  return refusesTyped(() => api.ai.stream({ user: { text: "Hello" } }).finalText());
};
const long = "a".repeat(64);
/** All names are equally long, so that the share of digits does not grow with the size. */
const manyFields = (n: number) => Object.fromEntries(list(n, 0).map((_, i) => [`k${String(i).padStart(7, "0")}`, "v"]));
const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** A stream whose text has `n` parts, each in an event. */
function textsOf(n: number, text: string) {
  const events = [initiated(), ...list(n, text).map((one, i) => chunk(i + 1, one)), completed(text.repeat(n))];
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(events.map(sse).join(""), { headers });
  return new ServiceApi({ ...settings, stream: { maxEventBytes: 64_000_000 }, fetch }).ai.stream({
    user: { text: "Hello" },
  });
}

/** Input with `n` parts. */
const counts: Readonly<Record<string, Making>> = {
  "chunks of a response": (n) => () =>
    refusesTyped(() =>
      respondWith(
        inParts(n, () => long),
        200,
        {},
      ).flights.fareQuote({ trace_id: "T", token: "S" }),
    ),
  "events of a stream": (n) =>
    streamed(n, (i) => sse(i === 0 ? initiated() : i === n - 1 ? completed("a".repeat(n - 2)) : chunk(i, "a"))),
  "events of a stream in the reverse order": (n) =>
    streamed(n, (i) => sse(i === 0 ? initiated() : i === n - 1 ? completed("a") : chunk(n - i, "a"))),
  "chunks of one event of a relay": (n) => async () => {
    const part = (i: number) => (i === 0 ? 'data: {"event":"response_completed","x":"' : i === n ? '"}\n\n' : long);
    for await (const _ of readRelay(new Response(inParts(n + 1, part))));
  },
  "lines of one frame of a relay": (n) => async () => {
    const part = (i: number) => (i === n ? '\ndata: {"event":"response_completed"}\n\n' : `: ${long}\n`);
    for await (const _ of readRelay(new Response(inParts(n + 1, part))));
  },
  "chunks of one event": (n) => streamed(n, (i) => (i === 0 ? sse(chunk(1, "a")).slice(0, -5) : long)),
  "chunks of a stream without a line": (n) => streamed(n, () => long),
  "comments of a stream": (n) => streamed(n, () => ": \n"),
  "nested lists in an event": (n) => streamed(1, () => `data: ${"[".repeat(n)}${"]".repeat(n)}\n\n`),
  "offers without the documented form": (n) =>
    responseOf("fareQuote", { data: { trace_id: "T", result: list(n, {}) } }),
  "segments without the documented form": (n) =>
    responseOf("fareQuote", { data: { trace_id: "T", result: [...list(9, {}), { segments: list(n, {}) }] } }),
  "fields of a response": (n) => responseOf("fareQuote", manyFields(n)),
  "nested lists in a booking": (n) => responseOf("book", {}, `${"[".repeat(n)}${"]".repeat(n)}`),
  "nested objects in a result": (n) => responseOf("findVpas", {}, `${'{"a":'.repeat(n)}1${"}".repeat(n)}`),
  "counts in a booking": (n) => responseOf("book", { data: { trace_id: "T", result: { booked: list(n, 1) } } }),
  "fields of a booking": (n) => responseOf("book", manyFields(n)),
  "objects in a booking": (n) => responseOf("book", { data: { trace_id: "T", result: { segments: list(n, {}) } } }),
  VPAs: (n) => responseOf("findVpas", { ...answered, name: "A", vpa: "a@bank", vpaList: list(n, "a@bank") }),
  "VPAs that are none": (n) => responseOf("findVpas", { ...answered, vpaList: list(n, 0) }),
  "headers of a response": (n) => {
    const headers = Object.fromEntries(Array.from({ length: n }, (_, i) => [`x-${i}`, "1"]));
    return () => refusesTyped(() => respondWith("{}", 500, headers).flights.fareQuote({ trace_id: "T", token: "S" }));
  },
  "fare rules with a window each": (n) =>
    feesOf(n, (i) => ({ from: (i / 1_000).toFixed(3), journey_points: "LHR-DEL", charges: "INR 100" })),
  "fare rules with a journey each": (n) => feesOf(n, (i) => ({ journey_points: `DEL-${i}` })),
  "fare rules with a type each": (n) => feesOf(n, (i) => ({ type: `t${i}` })),
  "segments of a trip": (n) => {
    const segments = family.segments.slice(0, 1).flatMap((segment) => list(n, segment));
    const trip = { ...family, segments };
    return () => {
      itinerary(trip);
      fees(trip, { type: "Cancellation", at: "2027-01-01 00:00:00" });
      compareBooking(trip, { segments }, []);
    };
  },
  "segments of a quote whose passengers are checked": (n) => {
    const leg = { origin: "XXX", destination: "BOM" };
    const trip = { ...family, segments: list(n, family.segments[0] as never) };
    const passengers = [adult, { ...adult, baggage: [{ code: "XB", ...leg }] }];
    return () => validatePassengers(trip, passengers);
  },
  "turns that are waited for": (n) => async () => {
    const pace = new Pace({ concurrency: n / 4, perSecond: 1e9 });
    await Promise.all(list(n, 0).map((_, index) => pace.turn(index, 0).then(() => pace.done())));
  },
  "offers of a quote that is shown": (n) => {
    const [segment] = offer.segments;
    const fields = (i: number) => [{ ...segment, flight_number: String(i % 2 === 0 ? 7 : i) }];
    const result = list(n, offer).map((one, i) => ({ ...one, token: `T-${i}`, segments: fields(i) }));
    const api = respondWith(JSON.stringify({ ...answered, data: { trace_id: "T", result } }), 200, {});
    return () => checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal(), now: () => 0 }).quote();
  },
  "offers of a quote whose passengers are checked": (n) => {
    const saved = { version: 1, traceId: "T", token: "S", startedAt: 0, attempts: [] };
    const shown = { at: 0, body: { data: { result: list(n, offer) } }, offers: [] };
    const trip = resumeCheckout(
      respondWith("{}", 200, {}),
      { ...saved, shown },
      { journal: memoryJournal(), now: () => 0 },
    );
    return () => trip.validate([adult]);
  },
  passengers: (n) => {
    const passengers = list(n, adult);
    return () => validatePassengers(offer, passengers);
  },
  "passengers with several faults each": (n) => {
    const passengers = list(n / 4, { ...adult, mobile: "x", fname: "A1", dob: "2026-01-01" });
    return () => formIssues(validatePassengers(offer, passengers));
  },
  "issues of one field": (n) => {
    const issues = list(n, validatePassengers(offer, [{ ...adult, fname: "" }]).slice(0, 1)).flat();
    return () => formIssues(issues);
  },
  "seats of a booking": (n) => {
    const seat = (code: string) => ({
      fname: "A",
      lname: "B",
      seat: list(n, { code, origin: "DEL", destination: "BOM" }),
    });
    return () => compareBooking(offer, { passengers: [seat("1A")] }, [{ ...adult, ...seat("2A") }] as never);
  },
  "passengers of a booking": (n) => {
    const passengers = list(n, { fname: "A", lname: "B" });
    return () => compareBooking(offer, { passengers }, samplePassengers("international-family-ssr-gst"));
  },
  "passengers of a request and of its booking": (n) => {
    const named = (prefix: string) => Array.from({ length: n }, (_, i) => ({ fname: `${prefix}${i}`, lname: "B" }));
    const [sent, passengers] = [named("A"), named("C")];
    return () => compareBooking(offer, { passengers }, sent as never);
  },
  "rows of a fare breakdown": (n) => {
    const row = (i: number) => ({
      currency: "INR",
      passenger_type: `t${i}`,
      passenger_count: 1,
      basefare: "9".repeat(99),
    });
    const quoted = { ...offer, fare_breakdown: Array.from({ length: n }, (_, i) => row(i)) } as never;
    return () => {
      fareBreakdown(quoted);
      passengerForm(quoted);
      validatePassengers(quoted, [adult]);
    };
  },
  "fields that are logged": (n) => {
    const text = JSON.stringify(manyFields(n));
    const { flights } = new ServiceApi({
      ...{ ...settings, log: { level: "debug", logger: silent } },
      fetch: async () => new Response(text),
    });
    return () => refusesTyped(() => flights.fareRule({ trace_id: "T", token: "S" }));
  },
  "accents of a text that is shown": (n) => async () => {
    for await (const _ of textsOf(n, "\u0301").textStream);
  },
  "flags of a text that is shown": (n) => async () => {
    for await (const _ of textsOf(n, "🇮").textStream);
  },
  "events of a stream that is relayed": (n) => () =>
    textsOf(n / 4, "ab")
      .toResponse({ format: "sse" })
      .text(),
  "events of a stream for the AI SDK": (n) => () =>
    textsOf(n / 4, "ab")
      .toResponse({ format: "ui-message" })
      .text(),
  "fields of a form": (n) => {
    const entries = new URLSearchParams(Array.from({ length: n }, (_, i) => [`passengers.${i % 20}.fname`, `${i}`]));
    return () => readPassengerForm({ passengers: [], isCountKnown: false } as never, entries);
  },
  "messages of a browser": (n) => {
    const messages = Array.from({ length: n }, (_, i) => ({
      id: `${i}`,
      role: i % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: "a" }],
    }));
    return () => refusesTyped(() => conversationFromUiMessages(messages));
  },
  "parts of a message of a browser": (n) => {
    const messages = [{ id: "1", role: "user", parts: list(n, { type: "text", text: "a" }) }];
    return () => refusesTyped(() => conversationFromUiMessages(messages));
  },
  "lines of a journal": (n) => {
    const line = (i: number) => {
      const names = { attemptId: `a${i}`, clientReferenceId: `o${i}`, token: `t${i}`, searchToken: `t${i}` };
      return lineOf({ step: `s${i}`, ...row({ ...names, traceId: `r${i}`, fingerprint: `${i}` }) });
    };
    const folder = mkdtempSync(join(tmpdir(), "serviceapi-test-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "bookings.jsonl");
    writeFileSync(path, Array.from({ length: n }, (_, i) => `${line(i)}\n`).join(""));
    return () => fileJournal(path).pending();
  },
};

const list = <T>(length: number, element: T): T[] => Array.from({ length }, () => element);
const answered = { status: "SUCCESS", status_code: "200", message: "OK" };
const family = sampleOffer("international-roundtrip-family");

function feesOf(n: number, changes: (i: number) => Parameters<typeof miniRule>[0]) {
  const mini_fare_rules = Array.from({ length: n }, (_, i) => miniRule(changes(i)));
  // The departure of the second journey is known to 26 hours, so that each window within them counts.
  const query = { type: "Cancellation", at: new Date("2027-04-20T00:00:00Z"), zone: "Asia/Kolkata" } as const;
  return () => fees({ ...family, mini_fare_rules }, query);
}

/** @param more - JSON that may nest deeper than a stack. */
function responseOf(operation: "fareQuote" | "book" | "findVpas", body: object, more = "null") {
  const text = JSON.stringify({ ...answered, ...body }).replace(/\}$/, () => `,"more":${more}}`);
  return () => {
    const { flights, verification } = respondWith(text, 200, {});
    const calls = {
      fareQuote: () => flights.fareQuote({ trace_id: "T", token: "S" }),
      book: () => flights.book({ trace_id: "T", token: "Q" as never, passengers: samplePassengers("oneway-adult") }),
      findVpas: () => verification.findVpas({ vpa_mobile: "+91 60000 00001", consent: "Y" }),
    };
    return refusesTyped(() => calls[operation]());
  };
}

export const works: Readonly<Record<string, Work>> = Object.fromEntries(
  Object.entries(counts).map(([name, make]) => [`many ${name}`, { size: 500, make }]),
);
