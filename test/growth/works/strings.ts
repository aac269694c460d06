/** Readers of strings that a service, a browser or a program on this machine sends. */

import { conversationFromUiMessages } from "../../../src/ai/entry.ts";
import { detectFraming, Utf8Decoder } from "../../../src/ai/framing.ts";
import { GraphemeBuffer } from "../../../src/ai/text/text-stream.ts";
import { checkCallbackUrl } from "../../../src/callback-url/index.ts";
import { cleanText, TextCleaner } from "../../../src/cli/shared/print.ts";
import { withoutFormula } from "../../../src/cli/verify/csv.ts";
import { showPath, showText } from "../../../src/emulator/console/masks.ts";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { provesBooking } from "../../../src/flights/booking/outcome.ts";
import { parseCharge } from "../../../src/flights/fees/charge.ts";
import { readPassengerForm } from "../../../src/flights/forms/index.ts";
import { compareBooking, fees, itinerary, validatePassengers } from "../../../src/flights/index.ts";
import { fareRuleText } from "../../../src/flights/rule-text.ts";
import { parseJson } from "../../../src/shared/json.ts";
import { classify } from "../../../src/transport/errors/classify.ts";
import { proveRefusal } from "../../../src/transport/refusals/proof.ts";
import { parseRetryAfter } from "../../../src/transport/retry-policy.ts";
import { normalizeMobile } from "../../../src/verification/index.ts";
import { checkAcknowledgement } from "../../../src/webhooks/index.ts";
import { type FramingSample, framings } from "../../ai/support.ts";
import { bodiesNaming, lookUp, post } from "../../emulator/helpers.ts";
import { sampleOffer, samplePassengers } from "../../flights/offers.ts";
import { refusesTyped } from "../../fuzz/inputs.ts";
import { respondWith } from "../client.ts";
import type { Work } from "../count.ts";

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
  quotes: (n) => '": "'.repeat(n / 4),
  commas: (n) => ", ".repeat(n / 2),
  lines: (n) => "\n".repeat(n),
  "carriage returns": (n) => "\r".repeat(n),
  "joined emoji": (n) => "👩\u200d".repeat(n / 3),
  accents: (n) => `e${"\u0301".repeat(n)}`,
};

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
  "a response to a call that is sent once": (text) =>
    refusesTyped(() =>
      respondWith(JSON.stringify({ status: "SUCCESS", [text.slice(0, 200)]: 0, text }), 200, {}).flights.book({
        ...{ trace_id: "T", token: "Q" as never, passengers: samplePassengers("oneway-adult") },
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

/** Values that are long in another way, by their reader: each string is made of one piece. */
const repeated: readonly (readonly [string, readonly string[], (text: string) => unknown])[] = [
  [
    "a refusal",
    ["seat ", "trace ", "token ", "ip ", "already ", "invalid ", "booking partial ", " ", "in-"],
    (text) => kindOf(text),
  ],
  [
    "a refusal of a booking",
    ["flight ", "flight is ", "booking request ", "passenger ", "must ", "seats 6E 1 ", "no seats ", "ABC123-"],
    (text) => outcomeOf(text),
  ],
  [
    "a fare rule",
    ["€<b>", "&euro;", "a<td>", " <b>", "x <td> ", "<div><ul><li>", "<table><tr><td>", "<", "&"],
    (text) => fareRuleText(text, { maxLength: 10_000_000 }),
  ],
  ["a charge", ["1", ",", "1,", "2", " ", "*", "%", "INR ", "+", "per ", "per INR 1,2 * "], parseCharge],
  [
    "an ID",
    [" ", '"booking_id"', '"booking_id":', "9", '"booking_id":9'],
    (text) => parseJson(`{"booking_id":${text}`),
  ],
  [
    "a host",
    ["a."],
    (text) => {
      checkCallbackUrl(`https://${text}example.in/`, { brandDomain: "example.in" });
      return refusesTyped(() => checkCallbackUrl("https://example.in/", { brandDomain: `${text}in` }));
    },
  ],
  ["a text in whole characters", ["नमस्ते", "🇮🇳", "👩\u200d"], (text) => new GraphemeBuffer().push(text)],
  ["an event in pieces", ["x"], (text) => Object.values(framings).map((framing) => countFrames(text, framing))],
  [
    "text for a terminal",
    ["\x1b]", "\x9d", "\x1b", "\x1b[", "\x9b1;", "\x1b];a", "\x1b\\", "\x1bP\x9d"],
    (text) => {
      const cleaner = new TextCleaner();
      for (const end of ["", "x", "\x07"]) cleaner.push(text + end);
    },
  ],
  ["a cell of a table", [" \t,"], (text) => withoutFormula(`${text}x`)],
  ["a name of the emulator", ["x"], (text) => nameAll(text)],
];

export const works: Readonly<Record<string, Work>> = Object.fromEntries([
  ...Object.entries(readers).flatMap(([reader, read]) =>
    Object.entries(shapes).map(([shape, make]) => [`${reader} of ${shape}`, reading(read, make)]),
  ),
  ...repeated.flatMap(([reader, pieces, read]) =>
    pieces.map((piece) => [
      `${reader} of many ${JSON.stringify(piece)}`,
      reading(read, (size) => piece.repeat(Math.ceil(size / piece.length))),
    ]),
  ),
]);

function reading(read: (text: string) => unknown, make: (size: number) => string): Work {
  return {
    size: 4_000,
    make: (size) => {
      const text = make(size);
      return () => read(text);
    },
  };
}

function kindOf(serviceMessage: string): unknown {
  return classify({ httpStatus: 400, statusCode: "400", serviceMessage } as never);
}

function outcomeOf(message: string): unknown {
  const body = { message, pnr: message, booking_id: message };
  const response = { httpStatus: 200, statusCode: "400", serviceMessage: message, body } as const;
  const call = { path: "flight/book", sent: {}, params: {}, known: [] };
  return [
    proveRefusal({ ...response, verdict: "failed" }, call).isProved,
    provesBooking({ ...response, statusCode: "200", verdict: "success", body: { message, data: { result: body } } }),
  ];
}

/** Reads a stream of one event that comes in pieces of 256 bytes. */
function countFrames(text: string, { contentType, encode }: FramingSample): number {
  let count = 0;
  const framing = detectFraming(contentType, 8_388_608, { onEvent: () => count++, onEnd: () => {} });
  const utf8 = new Utf8Decoder();
  const bytes = new TextEncoder().encode(encode([{ t: text }]));
  for (let i = 0; i < bytes.length; i += 256) framing.push(utf8.decode(bytes.subarray(i, i + 256)).text);
  framing.end();
  return count;
}

async function nameAll(long: string): Promise<void> {
  for (const [route, body] of bodiesNaming(long)) await (await post(emulator, `__emulator/${route}`, body)).text();
  const scenario = { "x-emulator-response": long };
  await (await post(emulator, "verification/upimobile_multiple", lookUp("6000000002"), scenario)).text();
  createEmulator({ pathPrefixes: { [long]: "v1" } });
}
