import fc from "fast-check";
import { describe, expect } from "vitest";
import { checkout, memoryJournal } from "../../src/flights/index.ts";
import { ServiceApi } from "../../src/index.ts";
import { parseJson } from "../../src/shared/json.ts";
import { findMany } from "../../src/verification/index.ts";
import { day } from "../flights/checkout/support.ts";
import { samplePassengers } from "../flights/offers.ts";
import { sample } from "../support/client.ts";
import { anyJson, anyText, anything, drifted, refusesTyped, toList } from "./inputs.ts";
import { property } from "./property.ts";

const settings = { baseUrl: "https://service.example", clientId: "id", clientSecret: "secret", maxRetries: 0 };
const passengers = samplePassengers("oneway-adult");
const search = { trace_id: "T", token: "S" };
const prompt = { user: { text: "Hello" } };

/** A sample of a flight operation, for the search of these tests. */
function flight(name: string): object {
  const response = sample<{ readonly data?: object }>(`flight/${name}`);
  return { ...response, ...(response.data && { data: { ...response.data, trace_id: search.trace_id } }) };
}

interface Call {
  /** Samples of responses. */
  readonly samples: readonly object[];
  send(api: ServiceApi): unknown;
}

/** Calls that read the response of each operation, with samples of that response. */
const calls: Readonly<Record<string, Call>> = {
  findVpas: {
    samples: [sample("verification/success-multiple"), sample("verification/failed-404-not-found")],
    send: (api) => api.verification.findVpas({ consent: "Y", vpa_mobile: "6000000001" }),
  },
  createResponse: {
    samples: [sample("ai/response-whole-markdown"), sample("ai/response-failed-200")],
    send: (api) => api.ai.createResponse(prompt),
  },
  "conversation.send": {
    samples: [sample("ai/response-whole-follow-up-hindi")],
    send: (api) => api.ai.conversation().send("Hello"),
  },
  fareQuote: {
    samples: [flight("fare_quote/success-international-roundtrip-family"), flight("fare_quote/failed-temporary")],
    send: (api) => api.flights.fareQuote(search),
  },
  fareRule: {
    samples: [flight("fare_rule/success-roundtrip"), flight("fare_rule/failed-expired")],
    send: (api) => api.flights.fareRule(search),
  },
  book: {
    samples: [flight("book/success-international-family"), flight("book/failed-in-progress")],
    send: (api) => api.flights.book({ ...search, token: "Q" as never, passengers }),
  },
};

const status = fc.oneof({ weight: 3, arbitrary: fc.constant(200) }, fc.constantFrom(201, 204, 400, 404, 409, 429, 500));
const headers = fc.dictionary(
  fc.constantFrom("content-type", "retry-after", "x-request-id", "content-encoding"),
  fc.oneof(
    fc.constantFrom("application/json", "text/html; charset=latin1", "gzip", "-1", "1e9"),
    fc.string().map((text) => text.replaceAll(/[^\x20-\x7e]/g, "")),
  ),
  { maxKeys: 2 },
);

describe("a response of each operation", () => {
  const response = fc.oneof(
    ...Object.entries(calls).map(([operation, { samples }]) =>
      fc.record({
        operation: fc.constant(operation),
        text: fc.oneof(
          ...samples.flatMap((one) =>
            [fc.constant(one), drifted(one)].map((each) => each.map((value: unknown) => JSON.stringify(value))),
          ),
          anyJson.map((value) => JSON.stringify(value)),
          anyText,
        ),
        status,
        headers,
      }),
    ),
  );
  property(
    "is a result, as it was sent, or a typed error",
    response,
    async ({ operation, text, status, headers }) => {
      const api = new ServiceApi({
        ...settings,
        fetch: async () => new Response(status === 204 ? null : text, { status, headers }),
      });
      let result: unknown;
      const error = await refusesTyped(async () => {
        result = await calls[operation]?.send(api);
      }, operation);
      if (error === undefined) expect(result).toEqual(parseJson(text));
      else expect(error.outcome).toBeOneOf(["rejected", "unknown"]);
    },
    200,
  );

  const found = sample("verification/success-multiple");
  property(
    "is the result of each number",
    fc.array(fc.oneof(fc.constant(found), drifted(found)), { minLength: 2, maxLength: 3 }),
    async (bodies) => {
      const texts = bodies.map((body) => JSON.stringify(body));
      const left = [...texts];
      const api = new ServiceApi({ ...settings, fetch: async () => new Response(left.shift()) });
      const mobiles = texts.map((_, i) => `600000000${i}`);
      await refusesTyped(async () => {
        const rows = await toList(findMany(api, mobiles, { consent: "Y", concurrency: 1, perSecond: 1_000_000 }));
        expect(rows.map(({ input }) => input)).toEqual(mobiles);
        for (const row of rows) {
          if (row.kind === "found") expect(row.result).toEqual(parseJson(texts[row.index] ?? ""));
          else expect(row.error.outcome).toBeOneOf(["rejected", "unknown"]);
        }
      });
    },
  );
});

describe("a checkout", () => {
  const either = (value: unknown) => fc.oneof(fc.constant(value), drifted(value));
  const bodies = fc.record({
    fare_quote: fc.oneof(
      either(flight("fare_quote/success-domestic-oneway-lcc")),
      drifted(flight("fare_quote/success-empty-result")),
    ),
    fare_rule: either(flight("fare_rule/success-roundtrip")),
    book: fc.oneof(either(flight("book/success-lcc")), anything),
  });
  property("is quoted, checked, booked and reconciled, or refused", bodies, async (given) => {
    const api = new ServiceApi({
      ...settings,
      fetch: async (url) =>
        new Response(JSON.stringify(Object.entries(given).find(([name]) => String(url).endsWith(name))?.[1])),
    });
    const trip = checkout(api, search, { journal: memoryJournal(), now: () => day });
    await refusesTyped(() => trip.quote());
    await refusesTyped(() => trip.rules());
    await refusesTyped(() => trip.validate(passengers));
    await refusesTyped(() => trip.fees({ type: "Cancellation", at: "2027-03-01 00:00:00" }));
    const error = await refusesTyped(() => trip.book({ passengers }));
    if (error === undefined) expect(trip.bookingAttempts).toMatchObject([{ state: "booked" }]);
    await refusesTyped(() => trip.reconcile({ pnr: "ABC123" }));
    await refusesTyped(() => trip.refresh());
    await refusesTyped(() => trip.bookAll({ passengers, allowDuplicate: true }));
    await refusesTyped(async () => trip.total);
    expect(JSON.parse(JSON.stringify(trip))).toMatchObject({ version: 1 });
  });
});
