import { describe, expect, it } from "vitest";
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type SearchName,
} from "../../../../src/emulator/emulator.ts";
import { book } from "../../../../src/flights/operations.ts";
import { bodyOf, caught, now, post, sample } from "../../helpers.ts";

const adult = sample("flight/book/request-oneway-adult").passengers[0];
const family = sample("flight/book/request-international-family-ssr-gst").passengers;
const withGst = sample("flight/book/request-lcc-gst-seat").passengers;

interface Booked {
  readonly passengers: readonly { readonly fare: { readonly basefare: number } }[];
  readonly segments: readonly { readonly flight_status: string }[];
}

interface Request {
  readonly trace_id: string;
  readonly token: string;
}

async function quote(emulator: Emulator, name?: SearchName, index = 0): Promise<Request> {
  const search = emulator.seedSearch(name);
  const body = await bodyOf(emulator, "flight/fare_quote", { ...search, client_referenceId: "fq" });
  return { trace_id: search.trace_id, token: body.data.result[index].token };
}

async function bookWith(
  passengers: unknown,
  { search, response: name, ...options }: EmulatorOptions & { search?: SearchName; response?: string } = {},
) {
  const emulator = createEmulator({ now, ...options });
  const quoted = await quote(emulator, search);
  const headers: Record<string, string> = name === undefined ? {} : { "X-Emulator-Response": name };
  const response = await post(emulator, "flight/book", { ...quoted, client_referenceId: "bk-1", passengers }, headers);
  return { emulator, quoted, response, body: await response.json() };
}

const named = (lname: string) => [{ ...adult, lname }];

describe("the emulator's booking (§4.3)", () => {
  it.each(["token", "client_referenceId"] as const)(
    "books a %s once, also for two requests at the same time",
    async (same) => {
      const emulator = createEmulator({ now });
      const bookings = [];
      for (const client_referenceId of ["bk-1", "bk-2"]) {
        bookings.push({ ...(await quote(emulator)), client_referenceId, passengers: [adult] });
      }
      const [first, second] = bookings;
      const request =
        same === "token" ? { ...first, client_referenceId: "bk-2" } : { ...second, client_referenceId: "bk-1" };
      const responses = await Promise.all([
        post(emulator, "flight/book", first),
        post(emulator, "flight/book", request),
      ]);
      const codes = await Promise.all(responses.map(async (response) => (await response.json()).status_code));
      expect(codes).toEqual(["200", "409"]);
      expect(emulator.bookings).toHaveLength(1);
    },
  );

  it("responds to one adult with the fields and figures of the sample", async () => {
    const { response, body, quoted } = await bookWith([adult]);
    const expected = sample("flight/book/success-full-service-held");
    expect(response.status).toBe(200);
    expect(await book.body["~standard"].validate(body)).not.toHaveProperty("issues");
    expect(body).toMatchObject({
      ...expected,
      data: {
        trace_id: quoted.trace_id,
        result: {
          ...expected.data.result,
          pnr: expect.stringMatching(/^[A-Z]{6}$/),
          booking_id: expect.any(Number),
          passengers: [
            {
              ...expected.data.result.passengers[0],
              passenger_id: expect.any(Number),
              barcode_details: expect.anything(),
            },
          ],
        },
      },
    });
  });

  it("adds fares, seats, baggage and meals of a family up to the total, per type and per passenger", async () => {
    const { body } = await bookWith(family, { search: "international-roundtrip-family" });
    const { result } = body.data;
    const expected = sample("flight/book/success-international-family").data.result;
    expect(await book.body["~standard"].validate(body)).not.toHaveProperty("issues");
    expect(result.fare).toEqual(expected.fare);
    expect(result.passengers.map(({ fare }: { fare: { basefare: number } }) => fare.basefare)).toEqual(
      expected.passengers.map(({ fare }: { fare: { basefare: number } }) => fare.basefare),
    );
    const total = result.passengers.reduce(
      (sum: number, { fare }: { fare: { total_fare: number } }) => sum + fare.total_fare,
      0,
    );
    expect(total).toBeCloseTo(result.fare.total_fare, 2);
    expect(result).toMatchObject({ origin: "DEL", destination: "LHR", domestic: false, seats_booked: true });
    expect(result.passengers[0].seat[1]).toMatchObject({
      code: "14C",
      row_no: "14",
      seat_no: "C",
      seat_type: "Aisle",
      flight_number: "007",
      price: 650,
    });
    expect(result.passengers[0].barcode_details.Barcode).toHaveLength(2);
    expect(result.passengers[1].barcode_details).toEqual({ Id: 0, Barcode: [] });
    expect(result.passengers.map(({ is_lead_passenger }: { is_lead_passenger: boolean }) => is_lead_passenger)).toEqual(
      [true, false, false, false],
    );
    expect(JSON.stringify(result.passengers)).not.toContain("gst_number");
  });

  it("reads a breakdown per passenger as such", async () => {
    const emulator = createEmulator({ now });
    const two = { ...{ fare: { basefare: 12_400, total_fare: 14_960 } }, fare_breakdown: [{ passenger_count: 2 }] };
    emulator.on("flights.fareQuote", { data: { result: [two] } });
    const passengers = [adult, { ...adult, fname: "ASHA" }];
    const request = { ...(await quote(emulator)), client_referenceId: "bk-1", passengers };
    const body = await bodyOf(emulator, "flight/book", request);
    expect(body.data.result.fare.basefare).toBe(12_400);
  });

  it("keeps every decimal of a supplier", async () => {
    const { body } = await bookWith([adult], { search: "long-decimals" });
    expect(body.data.result.fare).toMatchObject({ currency: "USD", total_fare: 124.52433008472 });
  });

  it("sets a ticketing deadline if the quote has none", async () => {
    const { body } = await bookWith(withGst, { search: "domestic-oneway-lcc" });
    expect(body.data.result.last_ticket_date).toBe("2026-11-20 13:30:00");
    const { body: held } = await bookWith([adult], { search: "higher-than-search" });
    expect(held.data.result.last_ticket_date).toBe("2026-11-21 11:30:00");
  });

  it("books each of two results of one quote under its own token", async () => {
    const emulator = createEmulator({ now });
    const search = emulator.seedSearch("domestic-roundtrip-two-results");
    const body = await bodyOf(emulator, "flight/fare_quote", { ...search, client_referenceId: "fq" });
    const pnrs = [];
    for (const [index, { token }] of body.data.result.entries()) {
      const request = { trace_id: search.trace_id, token, client_referenceId: `bk-${index}`, passengers: [adult] };
      pnrs.push((await bodyOf(emulator, "flight/book", request)).data.result.pnr);
    }
    expect(new Set(pnrs).size).toBe(2);
    expect(emulator.bookings.map(({ pnr }) => pnr)).toEqual(pnrs);
  });

  it.each([
    ["PRICECHANGE", { price_changed: true, fare: { basefare: 6900, tax_and_surcharges: 1350, total_fare: 8250 } }],
    ["TIMECHANGE", { time_changed: true, segments: [{ origin: { departure_time: "2027-02-10 07:05:00" } }] }],
    ["NOPNR", { pnr: "", booking_id: 0, last_ticket_date: "0001-01-01 00:00:00" }],
    ["WAITLIST", { segments: [{ flight_status: "Waitlisted" }] }],
  ])("responds to the last name %s as its sample does", async (lname, change) => {
    const { body } = await bookWith(named(lname));
    expect(body).toMatchObject({ status: "SUCCESS", data: { result: change } });
  });

  it.each([
    [
      "PRICECHANGE",
      (result: Booked) => result.passengers.map(({ fare }) => fare.basefare),
      [52_700, 52_000, 39_000.5, 5_750],
    ],
    [
      "WAITLIST",
      (result: Booked) => result.segments.map(({ flight_status }) => flight_status),
      ["Waitlisted", "Confirmed", "Confirmed", "Confirmed"],
    ],
  ])("changes for %s the first passenger or segment alone", async (lname, read, expected) => {
    const [lead, ...rest] = family;
    const { body } = await bookWith([{ ...lead, lname }, ...rest], { search: "international-roundtrip-family" });
    expect(read(body.data.result)).toEqual(expected);
  });

  it("echoes a seat of no leg of the itinerary as far as it can", async () => {
    const { body } = await bookWith([{ ...adult, seat: [{ code: "9E", origin: "AAA", destination: "BBB" }] }]);
    expect(body.data.result.passengers[0].seat).toMatchObject([
      { code: "9E", seat_type: "Middle", flight_number: "", airline_code: "ZZ", origin: "AAA" },
    ]);
  });

  it("echoes of a passenger what the document shows, and nothing else", async () => {
    const { body } = await bookWith([{ ...adult, passport_no: "Z1234567", gst: withGst[0].gst }]);
    expect(JSON.stringify(body)).not.toMatch(/passport_no|gst_/);
  });

  it("responds to NOSEAT without the requested seats", async () => {
    const [lead, ...rest] = family;
    const passengers = [{ ...lead, lname: "NOSEAT" }, ...rest];
    const { body } = await bookWith(passengers, { search: "international-roundtrip-family" });
    expect(body.data.result.seats_booked).toBe(false);
    expect(body.data.result.passengers.flatMap(({ seat }: { seat: unknown[] }) => seat)).toEqual([]);
  });

  it.each([
    ["success-silent-price-difference", { price_changed: false, fare: { total_fare: 8250 } }],
    ["success-all-flags-changed-seats-failed", { price_changed: true, time_changed: true, seats_booked: false }],
  ] as const)("makes %s by name", async (response, change) => {
    const { body } = await bookWith([adult], { response });
    expect(body).toMatchObject({ data: { result: change } });
  });

  it.each(["TIMEOUTBOOKED", "TIMEOUTNOTBOOKED"])("drops the connection for %s", async (lname) => {
    const emulator = createEmulator({ now });
    const request = { ...(await quote(emulator)), client_referenceId: "bk-1", passengers: named(lname) };
    const error = await caught(post(emulator, "flight/book", request));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
    const references = emulator.bookings.map(({ client_referenceId }) => client_referenceId);
    expect(references).toEqual(lname === "TIMEOUTBOOKED" ? ["bk-1"] : []);
  });

  it("refuses the same token and the same reference a second time", async () => {
    const { emulator, quoted } = await bookWith([adult]);
    const duplicate = sample("flight/book/failed-quote-token-reused");
    const again = { ...quoted, client_referenceId: "bk-2", passengers: [adult] };
    expect(await bodyOf(emulator, "flight/book", again)).toEqual(duplicate);
    const requoted = { ...(await quote(emulator)), client_referenceId: "bk-1", passengers: [adult] };
    expect(await bodyOf(emulator, "flight/book", requoted)).toEqual(duplicate);
    expect(emulator.bookings).toHaveLength(1);
  });

  it("refuses an expired session, a search token, and the token of another trace", async () => {
    const emulator = createEmulator({ now });
    const quoted = await quote(emulator);
    const search = emulator.seedSearch();
    const answer = async (request: object) =>
      (await post(emulator, "flight/book", { ...request, client_referenceId: "bk-1", passengers: [adult] })).json();
    expect(await answer(search)).toEqual(sample("flight/fare_quote/failed-invalid-token"));
    expect(await answer({ ...quoted, trace_id: search.trace_id })).toEqual(
      sample("flight/fare_quote/failed-trace-mismatch"),
    );
    await emulator.clock.advance(900_001);
    expect(await answer(quoted)).toEqual(sample("flight/book/failed-session-expired"));
  });

  it("refuses passengers other than those who were searched for", async () => {
    for (const passengers of [[adult, adult], [{ ...adult, passenger_type: "child" }]]) {
      const { body } = await bookWith(passengers);
      expect(body).toEqual(sample("flight/book/failed-invalid-passenger"));
    }
  });

  it("requires GST details if the quote does", async () => {
    const { response, body } = await bookWith([adult], { search: "gst-and-hold-mandatory" });
    expect([response.status, body]).toEqual([422, sample("flight/book/failed-gst-required")]);
    expect((await bookWith(withGst, { search: "gst-and-hold-mandatory" })).body.status).toBe("SUCCESS");
  });

  it("books any token for any passengers with `strict` is off", async () => {
    const emulator = createEmulator({ now, strict: false });
    const request = {
      trace_id: "mine",
      token: "anything",
      client_referenceId: "bk-1",
      passengers: [adult, adult, adult],
    };
    const body = await bodyOf(emulator, "flight/book", request);
    expect(body.data.result.passengers).toHaveLength(3);
    expect(body.data.result.fare.basefare).toBe(6200);
  });

  it.each([
    ["in_progress", "failed-in-progress"],
    ["insufficient_balance", "failed-insufficient-balance"],
  ])("refuses as %s by name, and books nothing", async (response, name) => {
    const { emulator, body } = await bookWith([adult], { response });
    expect(body).toEqual(sample(`flight/book/${name}`));
    expect(emulator.bookings).toEqual([]);
  });

  it("names the field of a passenger that breaks a rule", async () => {
    const { response, body } = await bookWith([{ ...adult, dob: "1988-13-01" }]);
    expect(response.status).toBe(422);
    expect(Object.keys(body.errors)).toEqual(["passengers.0.dob"]);
  });
});
