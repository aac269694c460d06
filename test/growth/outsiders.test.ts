/**
 * Time grows in proportion to the size of what a service, a browser or a program on this machine sends, at 1, 4 and 16
 * times a unit. test/webhooks/cost.test.ts and test/webhooks/auth/linear-time.test.ts have the deliveries.
 */
import { describe, expect, it } from "vitest";
import { conversationFromUiMessages } from "../../src/ai/ui-messages/index.ts";
import { checkCallbackUrl } from "../../src/callback-url/index.ts";
import { cleanText, TextCleaner } from "../../src/cli/shared/clean-text.ts";
import { showPath, showText } from "../../src/emulator/console/masks.ts";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { readPassengerForm } from "../../src/flights/forms/index.ts";
import { compareBooking, fees, itinerary, validatePassengers } from "../../src/flights/index.ts";
import { fareRuleText } from "../../src/flights/rule-text.ts";
import { ServiceApi } from "../../src/index.ts";
import { parseRetryAfter } from "../../src/transport/retry.ts";
import { normalizeMobile } from "../../src/verification/index.ts";
import { checkAcknowledgement } from "../../src/webhooks/index.ts";
import { chunk, completed, initiated } from "../ai/events.ts";
import { sampleOffer, samplePassengers } from "../flights/offers.ts";
import { refusesTyped } from "../fuzz/inputs.ts";
import { cpuTime } from "../support/cpu-time.ts";

type Work = () => unknown;
type Making = (size: number) => Work;

/** Strings of a given length that make careless readers slow. */
const shapes: Readonly<Record<string, (size: number) => string>> = {
  spaces: (n) => `${" ".repeat(n)}x`,
  "spaces after a letter": (n) => `x${" ".repeat(n)}x`,
  digits: (n) => `${"1".repeat(n)}x`,
  zeros: (n) => `0.${"0".repeat(n)}1x`,
  dashes: (n) => `${"-".repeat(n)}x`,
  slashes: (n) => `${"/".repeat(n)}x`,
  "one word": (n) => "a".repeat(n),
  "open brackets": (n) => "[".repeat(n),
  "open tags": (n) => "<b".repeat(n / 2),
  "nested tags": (n) => "<div><p>".repeat(n / 8),
  "broken comments": (n) => "<!--".repeat(n / 4),
  entities: (n) => "&amp".repeat(n / 4),
  escapes: (n) => "\u001b]52;".repeat(n / 5),
  "lone escapes": (n) => "\u001b[".repeat(n / 2),
  "at signs": (n) => "@%40".repeat(n / 4),
  commas: (n) => ", ".repeat(n / 2),
  lines: (n) => "\n".repeat(n),
  "carriage returns": (n) => "\r".repeat(n),
  "joined emoji": (n) => "👩\u200d".repeat(n / 3),
  accents: (n) => `e${"\u0301".repeat(n)}`,
};

const settings = {
  baseUrl: "https://service.example",
  clientId: "id",
  clientSecret: "a/secret+of=these",
  maxRetries: 0,
};
const respondWith = (body: string, status: number, headers: Record<string, string>) =>
  new ServiceApi({
    ...settings,
    maxResponseBytes: 64_000_000,
    fetch: async () => new Response(body, { status, headers }),
  });
const emulator = createEmulator({ pace: 0 });
const offer = sampleOffer("domestic-oneway-lcc");
const [adult] = samplePassengers("oneway-adult");

/** The readers of strings from outside. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "a refusal of the service": (text) =>
    refusesTyped(() =>
      respondWith(JSON.stringify({ status: "FAILED", message: text }), 400, {}).flights.fareQuote({
        trace_id: "T",
        token: "S",
      }),
    ),
  "a page instead of a response": (text) =>
    refusesTyped(() =>
      respondWith(text, 502, { "content-type": "text/html" }).flights.fareQuote({ trace_id: "T", token: "S" }),
    ),
  "Retry-After": parseRetryAfter,
  "a fare rule": (text) => fareRuleText(text),
  "a quote": (text) => {
    const [segment] = offer.segments;
    const [rule] = offer.mini_fare_rules;
    const odd = {
      ...offer,
      fname_format: text,
      segments: [{ ...segment, duration: text, airline_code: text }],
      mini_fare_rules: [{ ...rule, charges: text, journey_points: text, from: text }],
    } as never;
    itinerary(odd);
    fees(odd, { type: "Cancellation", at: "2027-01-01 00:00:00" });
    compareBooking(odd, { pnr: text, fare: { total_fare: text } }, []);
  },
  "a passenger": (text) => {
    const fields = Object.fromEntries(Object.keys(adult ?? {}).map((name) => [name, text]));
    validatePassengers(offer, [
      fields,
      { ...adult, mobile: text },
      { ...adult, fname: text },
      { ...adult, address: text },
    ]);
  },
  "a form": (text) =>
    readPassengerForm(
      { passengers: [], isCountKnown: false } as never,
      new URLSearchParams([
        [text, text],
        ["passengers.0.fname", text],
      ]),
    ),
  "a mobile number": normalizeMobile,
  "a callback URL": (text) => checkCallbackUrl(`https://${text}`, { brandDomain: "example.in" }),
  "an acknowledgement": (text) => checkAcknowledgement({ status: 200, body: text }, "po-1"),
  "a message of a browser": (text) =>
    refusesTyped(() => conversationFromUiMessages([{ id: text, role: "user", parts: [{ type: "text", text }] }])),
  "text for a terminal": (text) => {
    const cleaner = new TextCleaner();
    for (let at = 0; at < text.length; at += 1_024) cleaner.push(text.slice(at, at + 1_024));
    return cleanText(text) + cleaner.end();
  },
  "a prompt to the emulator": (text) =>
    emulator
      .fetch("https://emulator.example/api/serviceapi-prod/api/ai/create-response", {
        method: "POST",
        headers: { "client-id": "a", "client-secret": "b", "content-type": "application/json" },
        body: JSON.stringify({ user: { text }, stream: true }),
      })
      .then((response) => response.text()),
  "a path of the emulator": (text) => showPath(`/${text}`, false, false),
  "a body of the emulator": (text) => showText(text, false),
};

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const streamed = (body: string | readonly string[]) => async () => {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of [body].flat()) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  const api = new ServiceApi({
    ...settings,
    maxEventBytes: 64_000_000,
    fetch: async () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  });
  await refusesTyped(() => api.ai.stream({ user: { text: "Hello" } }).finalText());
};
/** Streams whose size is in the number of their parts. */
const streams: Readonly<Record<string, Making>> = {
  "many events": (n) =>
    streamed(
      [initiated(), ...Array.from({ length: n / 64 }, (_, i) => chunk(i + 1, "a")), completed("a".repeat(n / 64))].map(
        sse,
      ),
    ),
  "events in the reverse order": (n) =>
    streamed(
      [initiated(), ...Array.from({ length: n / 64 }, (_, i) => chunk(n / 64 - i, "a")), completed("a")].map(sse),
    ),
  "one long event in small pieces": (n) => {
    const text = sse(chunk(1, "a".repeat(n)));
    return streamed(Array.from({ length: n / 16 }, (_, i) => text.slice(i * 16, i * 16 + 16)));
  },
  "a line without an end": (n) => streamed(Array.from({ length: n / 16 }, () => "data: aaaaaaaaaa")),
  comments: (n) => streamed(": \n".repeat(n / 3)),
  "nested JSON": (n) => streamed(`data: ${"[".repeat(n / 2)}${"]".repeat(n / 2)}\n\n`),
};

const cases: readonly (readonly [string, Making])[] = [
  ...Object.entries(readers).flatMap(([reader, read]) =>
    Object.entries(shapes).map(([shape, make]): readonly [string, Making] => [
      `${reader} of ${shape}`,
      (size) => {
        const text = make(size);
        return () => read(text);
      },
    ]),
  ),
  ...Object.entries(streams).map(([name, make]): readonly [string, Making] => [`a stream of ${name}`, make]),
];

/**
 * Milliseconds of processor time of the fastest of several runs: garbage collection and other work of the machine only
 * add to them. A run that is fast enough is the last.
 */
async function fastest(work: Work, runs: number, enough = 0): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && best >= enough; run++) {
    const startedAt = cpuTime();
    await work();
    best = Math.min(best, cpuTime() - startedAt);
  }
  return best;
}

describe("what outsiders send costs linear time", () => {
  const unit = 8_000;

  it.each(cases)("%s", async (_name, make) => {
    const once = Math.max(1, await fastest(make(unit), 3));
    // Quadratic work would take 16 and 256 times as long, which is seconds; below 1 ms the clock decides.
    expect(await fastest(make(4 * unit), 8, 12 * once)).toBeLessThan(12 * once);
    expect(await fastest(make(16 * unit), 8, 64 * once)).toBeLessThan(64 * once);
  });
});
