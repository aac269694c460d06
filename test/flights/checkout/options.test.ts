import { describe, expect, it } from "vitest";
import { checkout, memoryJournal, resumeCheckout } from "../../../src/flights/index.ts";
import { clientOf, day, fails, inr, passengers, quotedTrip } from "./support.ts";

const search = { trace_id: "T", token: "S" };
const anyValue = (value: unknown) => value as never;
const withJson = (value: object, json: unknown) => Object.assign(value, { toJSON: () => json });

describe("a checkout refuses what it cannot use, before anything is sent", () => {
  const journal = memoryJournal();

  it.each<[string, unknown, string?]>([
    ["an unknown option", { jornal: memoryJournal() }],
    ["a journal without `get`", { journal: { claim() {}, settle() {}, find() {}, pending() {} } }],
    ["an empty journal", { journal: {} }],
    ["a journal that is null", { journal: null }],
    ["a session lifetime of NaN", { sessionLifetime: Number.NaN }],
    ["a negative session lifetime", { sessionLifetime: -1 }],
    ["a session lifetime as a string", { sessionLifetime: "900000" }],
    ["an unknown limit", { limits: { adultsFrom: 12 } }],
    ["an age that is NaN", { limits: { adultFrom: Number.NaN } }],
    ["a zone that nobody knows", { deadlineZone: "Asia/Nowhere" }],
    ["a zone that is no string", { deadlineZone: 5 }],
    ["a clock that is a number", { now: day }],
    ["null", null],
    ["a list", []],
    ["none", undefined],
    ["no journal: two tabs that have none in common would book twice", {}, "`journal`"],
  ])("options: %s", (_case, options, named = "") => {
    const { api } = clientOf();
    const isObject = options !== null && typeof options === "object" && !Array.isArray(options);
    const given = anyValue(isObject && named === "" ? { journal, ...options } : options);
    const message = new RegExp(`^(checkout|limits): .*${named}`);
    expect(() => checkout(api, search, given)).toThrow(message);
    expect(() => resumeCheckout(api, JSON.stringify(checkout(api, search, { journal })), given)).toThrow(message);
  });

  it.each<[string, unknown]>([
    ["no trace", { token: "S" }],
    ["no token", { trace_id: "T" }],
    ["an empty token", { trace_id: "T", token: " " }],
    ["an unknown field", { ...search, traceId: "T" }],
    ["null", null],
  ])("params: %s", (_case, params) => {
    expect(() => checkout(clientOf().api, anyValue(params), { journal: memoryJournal() })).toThrow(/^checkout: /);
  });

  it.each([null, {}, { send() {} }, { flights: clientOf().api.flights }])("the client %j, which is not one", (api) => {
    expect(() => checkout(anyValue(api), search, { journal: memoryJournal() })).toThrow(
      /checkout: the first argument must be a client/,
    );
    expect(() => checkout(anyValue(search), anyValue(api), { journal: memoryJournal() })).toThrow(
      /checkout: the first argument must be a client/,
    );
  });

  it.each<[string, unknown, string?]>([
    ["nothing", undefined],
    ["null", null],
    ["no passengers", {}],
    ["passengers that are null", { passengers: null }],
    ["a passenger that is null", { passengers: [null] }],
    ["a hole among passengers", { passengers: new Array(1) }],
    ["a misspelt limit", { passengers, maxtotal: inr("1") }],
    ["another misspelt limit", { passengers, maxTotl: inr("1") }],
    ["a limit that is null", { passengers, maxTotal: null }],
    ["a limit as a number", { passengers, maxTotal: 7_600 }],
    ["a limit of NaN", { passengers, maxTotal: { amount: "NaN", currency: "INR" } }],
    ["an age of NaN", { passengers, requoteIfOlderThan: Number.NaN }],
    ["a negative age", { passengers, requoteIfOlderThan: -1 }],
    ["an index as a string", { passengers, offerIndex: "0" }],
    ["a limit that is undefined", { passengers, maxTotal: undefined }],
    ["an agreement that is undefined", { passengers, agreedQuote: undefined }],
    ["half an index", { passengers, offerIndex: 0.5 }],
    ["an index of no offer", { passengers, offerIndex: 1 }, "RequestValidationError"],
    ["allowDuplicate as a string", { passengers, allowDuplicate: "false" }],
    ["an empty reference", { passengers, clientReferenceId: "" }],
    ["undefined among codes", { passengers, acceptIssues: [undefined] }],
    ["a code that does not exist", { passengers, acceptIssues: ["lead_not_an_adult"] }],
    ["an agreement that is no quote", { passengers, agreedQuote: { data: {} } }],
    ["an agreement without offers", { passengers, agreedQuote: { data: { result: [] } } }],
    ["an agreement of null", { passengers, agreedQuote: { data: { result: [null] } } }],
  ])("book: %s", async (_case, request, name = "ConfigurationError") => {
    const journal = memoryJournal();
    const { trip, bookings, sent } = await quotedTrip({}, { journal });
    expect(await fails(trip.book(anyValue(request)))).toMatchObject({ name, outcome: "notSent" });
    expect(bookings()).toEqual([]);
    expect(sent).toHaveLength(1);
    expect(await journal.pending()).toEqual([]);
  });

  it.each(["client_referenceId", "trace_id", "token", "result"])(
    "book: `extraBody` with %s, which would send another booking than the journal records",
    async (field) => {
      const { trip, bookings } = await quotedTrip();
      const error = await fails(trip.book({ passengers }, { extraBody: { [field]: "OTHER" } }));
      expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(`"${field}"`) });
      expect(bookings()).toEqual([]);
      expect((await trip.book({ passengers }, { extraBody: { user: "a" } })).pnr).toBe("PNR001");
    },
  );

  it.each<[string, unknown]>([
    ["an unknown option", { timeuot: 5 }],
    ["NaN", { timeout: Number.NaN }],
    ["null", null],
  ])("book: call options with %s", async (_case, options) => {
    const { trip, sent } = await quotedTrip();
    expect(await fails(trip.book({ passengers, maxTotal: inr("7480") }, anyValue(options)))).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^trip\.book: /),
    });
    expect(sent).toHaveLength(1);
  });

  it.each<[unknown, unknown]>([
    [passengers, { acceptIssue: [] }],
    [passengers, { offerIndex: "0" }],
    [passengers, null],
    [undefined, {}],
  ])("validate: %#", async (people, options) => {
    const { trip } = await quotedTrip();
    expect(() => trip.validate(anyValue(people), anyValue(options))).toThrow(/^trip\.validate: /);
  });

  it.each([
    { type: "Cancellation", at: new Date(day), zonee: "Asia/Kolkata" },
    { type: "Cancellation" },
    { at: new Date(day) },
    { offerIndex: "0" },
    null,
    undefined,
  ])("fees: %j", async (query) => {
    const { trip } = await quotedTrip();
    expect(() => trip.fees(anyValue(query))).toThrow(/^trip\.fees: /);
  });

  it.each(["", " ", undefined, 5])("a `createReference` that returns %j", async (reference) => {
    const references: unknown[] = ["quote-1", reference];
    const { trip, bookings } = await quotedTrip(
      {},
      { client: { createReference: () => anyValue(references.shift()) } },
    );
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "ConfigurationError" });
    expect(bookings()).toEqual([]);
  });

  it("a `createReference` that returns a promise, even one that is rejected", async () => {
    let isBroken = false;
    const createReference = () => (isBroken ? anyValue(Promise.reject(new Error("no sequence"))) : "quote-1");
    const { trip, bookings } = await quotedTrip({}, { client: { createReference } });
    isBroken = true;
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "ConfigurationError" });
    expect(bookings()).toEqual([]);
  });

  const circular: Record<string, unknown> = { ...passengers[0] };
  circular.self = circular;
  it.each<[string, string, { readonly passengers?: object; readonly extraBody?: Record<string, unknown> }]>([
    ["passengers with a BigInt", "passengers", { passengers: [{ ...passengers[0], age: 30n }] }],
    ["passengers in a circle", "passengers", { passengers: [circular] }],
    ["passengers that become an object", "passengers", { passengers: withJson([...passengers], {}) }],
    ["passengers that become a string", "passengers", { passengers: withJson([...passengers], "RAVI") }],
    ["passengers that become null", "passengers", { passengers: withJson([...passengers], null) }],
    ["an extraBody that becomes a list", "extraBody", { extraBody: withJson({}, []) }],
    ["an extraBody that becomes a string", "extraBody", { extraBody: withJson({}, "RAVI") }],
    ["an extraBody that becomes null", "extraBody", { extraBody: withJson({}, null) }],
  ])("book: %s, which JSON would lose", async (_case, name, { passengers: people = passengers, ...options }) => {
    const { trip, bookings } = await quotedTrip();
    expect(await fails(trip.book({ passengers: anyValue(people) }, options))).toMatchObject({
      name: "RequestValidationError",
      outcome: "notSent",
      operation: "flights.book",
      message: expect.stringContaining(`trip.book: \`${name}\` cannot be serialized as JSON`),
      issues: [{ path: [name], code: "not_json" }],
    });
    expect(bookings()).toEqual([]);
  });

  it("book and reconcile: an unknown or missing option, named with its method", async () => {
    const { trip } = await quotedTrip();
    expect(await fails(trip.book(anyValue({})))).toMatchObject({ message: "trip.book: `passengers` is missing." });
    expect(await fails(trip.reconcile("notBooked", undefined, anyValue({ forse: true })))).toMatchObject({
      message: expect.stringMatching(/^trip\.reconcile: /),
    });
  });

  it("a clock that returns no time", async () => {
    const { api, sent } = clientOf();
    const trip = checkout(api, search, { journal: memoryJournal(), now: () => Number.NaN });
    expect(await fails(trip.quote())).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^checkout: /),
    });
    expect(sent).toEqual([]);
  });
});
