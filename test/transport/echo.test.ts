import { describe, expect, it } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { BookingOutcomeUnknownError, ResponseValidationError } from "../../src/errors/index.ts";
import { checkout, memoryJournal } from "../../src/flights/index.ts";
import {
  type ClientEvent,
  type ClientOptions,
  defineOperation,
  type EchoRule,
  type ServiceApi,
} from "../../src/index.ts";
import { findMany } from "../../src/verification/index.ts";
import { answering, clientOf, errorOf, failureOf, nowhere, sample } from "../support/client.ts";
import { collect } from "../support/collect.ts";
import { made } from "../support/operations.ts";
import { passenger } from "../support/passenger.ts";

const lookUp = { vpa_mobile: "6000000001", consent: "Y" } as const;
const payoutStatus = defineOperation<{ client_referenceId: string }, { utr: string; client_referenceId: string }>({
  name: "payouts.status",
  path: "payout/status",
  echo: [{ response: "client_referenceId", request: "client_referenceId", onMismatch: "refused", required: true }],
  retry: "safe",
});

/** A client of an emulator whose responses to all operations, or to a booking, belong to other requests. */
function setUp(options: ClientOptions, other: "all" | "booking") {
  const emulator = createEmulator();
  const api = clientOf({ url: "https://emulator.example" }, { fetch: emulator.fetch, ...options });
  emulator.on(other === "all" ? "*" : "flights.book", "other-request");
  return { emulator, api };
}

/** Books with these params, which nothing checks. */
const book = (api: ServiceApi, params: object) => api.flights.book(params as never, { validation: { request: "off" } });

/** A booking with one flight, under a trace. */
function bookedAs(trace_id: string) {
  const result = { pnr: "ABC12D", booking_id: 77, segments: [{ flight_number: "101" }] };
  return { status: "SUCCESS", status_code: "200", message: "Booking successful", data: { trace_id, result } };
}

async function quoted(api: ServiceApi, emulator: ReturnType<typeof createEmulator>) {
  const search = emulator.seedSearch();
  const [offer] = (await api.flights.fareQuote(search)).data.result;
  if (offer === undefined) throw new Error("expected an offer");
  return { trace_id: search.trace_id, token: offer.token, passengers: [passenger()] as never };
}

describe("a response that belongs to another request", () => {
  const options = [{}, { validation: { response: "strict" } }] as const;

  it.each(options)("is refused by each look-up, one of your own too: %j", async (given) => {
    const { emulator, api } = setUp(given, "all");
    emulator.on(payoutStatus, { utr: "UTR1", client_referenceId: "order-17" });
    const search = emulator.seedSearch();
    const calls = {
      "clientData.mobile": api.verification.findVpas(lookUp),
      "data.trace_id": api.flights.fareQuote(search),
      data: api.flights.fareRule(search),
      client_referenceId: api.send(payoutStatus, { client_referenceId: "order-17" }),
    };
    for (const [path, call] of Object.entries(calls)) {
      const error = await failureOf<ResponseValidationError>(call as PromiseLike<unknown>, ResponseValidationError);
      expect(error).toMatchObject({ reason: "otherRequest", outcome: "unknown", isRetryable: false });
      expect(error.message).toContain(`belongs to another request: ${path}`);
      expect(error.body).toBeTypeOf("object");
    }
  });

  it("is refused before its refusal counts: another number without a UPI ID says nothing of this one", async () => {
    const body = { ...sample("verification/failed-404-not-found"), clientData: { mobile: "6000000002" } };
    const error = await errorOf(answering(body).verification.findVpas(lookUp), ResponseValidationError);
    expect(error.reason).toBe("otherRequest");
  });

  it("is a failed result of findMany, with the reason", async () => {
    const { api } = setUp({}, "all");
    const results = await collect(findMany(api, ["6000000001"], { consent: "Y" }));
    expect(results).toMatchObject([{ kind: "failed", error: { reason: "otherRequest" } }]);
  });

  it("has the reason `form` if it only lacks what the caller asked for", async () => {
    const { verification } = answering({ status: "success", statusCode: "101" });
    expect((await errorOf(verification.findVpas(lookUp), ResponseValidationError)).reason).toBe("form");
  });

  it.each([{}, { response: "off" }, { response: "strict" }] as const)(
    "leaves the outcome of a booking unknown, and carries its PNR: %j",
    async (validation) => {
      const { emulator, api } = setUp({ validation }, "booking");
      const error = await failureOf(
        api.flights.book(await quoted(api, emulator)).then(String),
        BookingOutcomeUnknownError,
      );
      const [made] = emulator.bookings;
      expect(error).toMatchObject({ outcome: "unknown", pnr: made?.pnr, bookingId: String(made?.booking_id) });
      expect(error.body).toMatchObject({ data: { result: { pnr: made?.pnr } } });
      expect(error.cause).toMatchObject({ reason: "otherRequest" });
    },
  );

  it.each(["", "data", "data.result", "data.request"])(
    "is one with another reference in %j of a booking",
    async (place) => {
      const other = { client_referenceId: "somebody-elses" };
      const named = { pnr: "ABC123", booking_id: 5001 };
      const result = { ...named, ...(place === "data.result" && other) };
      const body = {
        status: "SUCCESS",
        ...(place === "" && other),
        data: {
          trace_id: "T",
          result,
          ...(place === "data.request" && { request: { client_reference_id: "somebody-elses" } }),
          ...(place === "data" && other),
        },
      };
      const params = { trace_id: "T", token: "q", client_referenceId: "order-17" };
      const send = (reference: string) =>
        book(answering(JSON.parse(JSON.stringify(body).replace("somebody-elses", reference))), params).then(
          ({ status }) => status,
        );
      expect(await errorOf(send("order-18"), BookingOutcomeUnknownError)).toMatchObject({ pnr: "ABC123" });
      expect(await send("order-17")).toBe("SUCCESS");
    },
  );

  it.each<[string, (body: ReturnType<typeof bookedAs>, other: string) => void]>([
    ["data.traceId", ({ data }, other) => Object.assign(data, { trace_id: undefined, traceId: other })],
    ["a flight", ({ data }, trace_id) => Object.assign(data.result.segments[0] ?? {}, { trace_id })],
    ["an object", ({ data }, id) => Object.assign(data, { trace_id: { id } })],
    ["a list", ({ data }, other) => Object.assign(data, { trace_id: ["T", other] })],
  ])("is a booking that repeats another trace in %s", async (_case, change) => {
    const send = (other: string) => {
      const body = bookedAs("T");
      change(body, other);
      return book(answering(body), { trace_id: "T", token: "q", client_referenceId: "R1" }).then(String);
    };
    expect(await errorOf(send("OTHER"), BookingOutcomeUnknownError)).toMatchObject({ pnr: "ABC12D" });
    expect(await send("T")).toBe("[object Object]");
  });

  it.each(["order R2", ["R1", "R2"], { id: "R2" }])(
    "is a booking with the reference %j, but not a refusal with it",
    async (client_referenceId) => {
      const params = { trace_id: "T", token: "q", client_referenceId: "R1" };
      const send = (body: object) => book(answering({ ...body, client_referenceId }), params);
      const error = await errorOf(send(bookedAs("T")), BookingOutcomeUnknownError);
      expect(error.cause).toMatchObject({ reason: "otherRequest" });
      const other = await errorOf(send({ status: "FAILED", message: "Invalid token" }), BookingOutcomeUnknownError);
      expect(other.cause).not.toMatchObject({ reason: "otherRequest" });
    },
  );

  it("is not one in which a gateway names its own trace around the booking", async () => {
    const api = answering({ ...bookedAs("T"), traceId: "00-4bf92f35" });
    const { status } = await book(api, { trace_id: "T", token: "q", client_referenceId: "R1" });
    expect(status).toBe("SUCCESS");
  });

  it("never refuses a booking for it: a refusal of another booking says nothing of this one", async () => {
    const body = { status: "FAILED", status_code: "401", message: "Invalid token", data: { trace_id: "X" } };
    const call = book(answering(body), { trace_id: "T" });
    expect((await errorOf(call, BookingOutcomeUnknownError)).outcome).toBe("unknown");
  });

  it("is journalled as unknown", async () => {
    const { emulator, api } = setUp({}, "booking");
    const journal = memoryJournal();
    const trip = checkout(api, emulator.seedSearch(), { journal });
    await trip.quote();
    const call = trip.book({ passengers: [passenger()] as never, clientReferenceId: "order-17" });
    await expect(call).rejects.toThrow(BookingOutcomeUnknownError);
    expect(await journal.find("order-17")).toMatchObject([{ state: "unknown", pnr: emulator.bookings[0]?.pnr }]);
  });

  it("is refused by an operation that is sent once, although `isSuccess` accepts it and the checks are off", async () => {
    const echo: readonly EchoRule[] = [{ response: "id", request: "id", onMismatch: "refused" }];
    const send = (retry: "never" | "safe") =>
      answering({ id: "b" }, { validation: { response: "off" } }).send(made({ echo, retry, isSuccess: () => true }), {
        id: "a",
      });
    expect(await errorOf(send("never"), ResponseValidationError)).toMatchObject({ outcome: "unknown" });
    expect(await send("safe")).toEqual({ id: "b" });
  });
});

describe("a response that differs from its request in something else", () => {
  it("says so in `warnings` and in a `drift` event", async () => {
    const events: ClientEvent[] = [];
    const body = { ...sample("verification/success-multiple"), clientData: { client_id: "x", mobile: "6000000001" } };
    const api = answering(body, { onEvent: (event) => events.push(event) });
    const { warnings } = await api.verification.findVpas(lookUp).withResponse();
    expect(warnings).toEqual([
      {
        path: ["clientData", "client_id"],
        message: "is not the clientData.client_id that was sent",
        code: "client_id_mismatch",
      },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "drift", paths: ["clientData.client_id"] }));
  });

  it("and throws if the checks are strict", async () => {
    const body = { ...sample("verification/success-multiple"), clientData: { client_id: "x", mobile: "6000000001" } };
    const call = answering(body, { validation: { response: "strict" } }).verification.findVpas(lookUp);
    expect((await errorOf(call, ResponseValidationError)).issues).toMatchObject([{ code: "client_id_mismatch" }]);
  });

  it.each([
    ["null", null, ["parent_token_mismatch"]],
    ["another token", "svc_b", ["parent_token_mismatch"]],
    ["the token that was sent", "svc_a", []],
  ])("a whole AI response whose parent is %s", async (_case, parent_context_token, codes) => {
    const ofFirst = parent_context_token === null ? [] : ["parent_token_mismatch"];
    const api = answering({ ...sample("ai/response-whole-markdown"), parent_context_token });
    const send = (more: object) => api.ai.createResponse({ user: { text: "Hello" }, ...more }).withResponse();
    expect((await send({ context_token: "svc_a" })).warnings.map(({ code }) => code)).toEqual(codes);
    expect((await send({})).warnings.map(({ code }) => code)).toEqual(ofFirst);
  });

  it.each(["**.id", "rows.**.id", "rows[].**.id"])(
    "names the place of %s at any depth, in lists too",
    async (response) => {
      const own = defineOperation<{ id: string }, unknown>({
        ...{ name: "own.lists", path: "own/lists", retry: "safe" },
        echo: [{ response, request: "id", onMismatch: "warning" }],
      });
      const { warnings } = await answering({
        ...(response.startsWith("rows") && { id: "c" }),
        rows: [{ id: "a" }, [{ id: "b" }]],
      })
        .send(own, { id: "a" })
        .withResponse();
      expect(warnings.map(({ path }) => path)).toEqual([["rows", 1, 0, "id"]]);
    },
  );

  it("a booking of other passengers, in whatever order and spelling they are", async () => {
    const people = [passenger({ fname: "JOSÉ-LUIS" }), passenger({ lname: "O'BRIEN" })];
    const documented = sample<{ data: { result: object } }>("flight/book/success-full-service-held").data.result;
    const send = async (booked: readonly object[]) => {
      const result = { ...documented, passengers: booked };
      const api = answering({ status: "SUCCESS", status_code: "200", message: "", data: { trace_id: "T", result } });
      const { warnings } = await book(api, { trace_id: "T", passengers: people }).withResponse();
      return warnings.filter(({ code }) => code === "passenger_mismatch").map(({ path }) => path.join("."));
    };
    expect(await send([passenger({ lname: "OBRIEN" }), passenger({ fname: "Jose Luis" })])).toEqual([]);
    expect(await send([passenger({ fname: "ASHA", dob: "1990-01-01" })])).toEqual([
      "data.result.passengers.0.fname",
      "data.result.passengers.0.dob",
    ]);
  });
});

describe("the rules of `echo`", () => {
  const send = async (rule: Partial<EchoRule>, sent: object, received: object) => {
    const echo: readonly EchoRule[] = [{ response: "a.id", request: "id", onMismatch: "warning", ...rule }];
    const call = answering(received).send(made({ echo }), { ...sent });
    return (await call.withResponse()).warnings;
  };

  it.each([
    ["what is absent", {}],
    ["null", { id: null }],
    ["an empty string", { id: "" }],
    ["a blank string", { id: "  " }],
    ["an object", { id: { toString: 0 } }],
    ["the value that was sent", { id: "17" }],
    ["the number that was sent as a string", { id: 17 }],
  ])("%s is the same value", async (_case, a) => {
    expect(await send({}, { id: "17" }, { status: "SUCCESS", a })).toEqual([]);
  });

  it.each([
    ["another string", { id: "18" }],
    ["another number", { id: 18 }],
    ["a boolean", { id: false }],
  ])("%s is", async (_case, a) => {
    const expected = { path: ["a", "id"], message: "is not the id that was sent", code: "other_request" };
    expect(await send({}, { id: "17" }, { status: "SUCCESS", a })).toEqual([expected]);
    expect(await send({}, {}, { status: "SUCCESS", a })).toEqual([]);
  });

  it("a field that is required must be there", async () => {
    for (const a of [{}, { id: null }, { id: "" }, { id: {} }]) {
      expect(await send({ required: true }, { id: "17" }, { status: "SUCCESS", a })).toMatchObject([
        { path: ["a", "id"], code: "other_request" },
      ]);
    }
    expect(await send({ required: true }, {}, { status: "SUCCESS" })).toEqual([]);
  });

  it("each value of a field that is required must be there", async () => {
    const rule = { response: "list[].id", request: "ids[]", required: true };
    expect(await send(rule, { ids: ["1", "2"] }, { status: "SUCCESS", list: [{ id: 2 }, { id: "1" }] })).toEqual([]);
    expect(await send(rule, { ids: ["1", "2"] }, { status: "SUCCESS", list: [{ id: 1 }, { id: 1 }] })).toHaveLength(1);
    const [warning] = await send({ required: true, onMismatch: "refused" }, {}, { status: "SUCCESS", a: { id: "9" } });
    expect(warning).toMatchObject({ path: ["a", "id"], code: "other_request" });
  });

  it.each([
    ["0", "a placeholder that was sent", "order-18", 1],
    ["NA", "the same placeholder", "NA", 0],
    ["order-17", "a placeholder in a response", "undefined", 0],
    ["order-17", "a list of one list", [[["order-18"]]], 1],
  ])("%s, and %s", async (id, _case, received, count) => {
    expect(await send({}, { id }, { status: "SUCCESS", a: { id: received } })).toHaveLength(count);
  });

  it("a list that nests deeper than a stack is read like any other", async () => {
    const text = `{"status":"SUCCESS","a":{"id":${"[".repeat(50_000)}"18"${"]".repeat(50_000)}}}`;
    const fetch = async () => new Response(text, { headers: { "content-type": "application/json" } });
    const echo: readonly EchoRule[] = [{ response: "a.id", request: "id", onMismatch: "warning" }];
    const api = clientOf(nowhere, { fetch });
    expect((await api.send(made({ echo }), { id: "17" }).withResponse()).warnings).toHaveLength(1);
  });

  it.each(["details", "pastel", "original_request", "others", "errors"])(
    "a reference below %s counts, unless it is a sentence, about an error, or that of another record",
    async (name) => {
      const rule = { response: "**.id", request: "id" };
      expect(await send(rule, { id: "17" }, { status: "SUCCESS", [name]: { id: "18" } })).toHaveLength(
        ["others", "errors"].includes(name) ? 0 : 1,
      );
      expect(await send(rule, { id: "17" }, { status: "SUCCESS", [name]: { id: "is required" } })).toEqual([]);
    },
  );

  it("a value with a space counts at its own place, and below others if one was sent", async () => {
    const below = { status: "SUCCESS", details: { id: "order 18" } };
    expect(await send({ response: "**.id" }, { id: "order 17" }, below)).toHaveLength(1);
    expect(await send({}, { id: "17" }, { status: "SUCCESS", a: { id: "order 18" } })).toHaveLength(1);
  });

  it.for<unknown>([
    ...["items[0].id", "$.id", "*.id", "**", "a.**", "a.**.id.b", "a**.id", "a..b", ".id", " id", "/id", "a.", "[]"],
    ...["a[]b", "[]id", "**.a.b", ["id"], 5],
  ])("the path %j, which matches nothing, is refused", (response) => {
    const rule = { response: "id", request: "id", onMismatch: "warning" };
    expect(() => made({ echo: [{ ...rule, response } as EchoRule] })).toThrow("must be");
    expect(() => made({ echo: [{ ...rule, request: "**" } as EchoRule] })).toThrow("must be a path");
  });

  it.each([
    ["+91 60000-00001", "6000000001", 0],
    ["6000000001", "0", 0],
    ["6000000001", "+91", 0],
    ["6000000001", 916000000001, 0],
    ["6000000001", "6000000002", 1],
    ["6000000001", "60000XXXX1", 1],
    ["6000000001", "699999999", 1],
    ["6000000001", "69999", 1],
    ["6000000001", "6999999999/6000000001", 1],
    ["6000000001", "00916000000001", 0],
  ])("mobile: %s and %s", async (id, received, count) => {
    expect(await send({ compare: "mobile" }, { id }, { status: "SUCCESS", a: { id: received } })).toHaveLength(count);
  });

  it("each element must be one that was sent", async () => {
    const rule = { response: "list[].id", request: "ids[]", code: "x" };
    const ids = ["1", "2"];
    expect(await send(rule, { ids }, { status: "SUCCESS", list: [{ id: 2 }, { id: 1 }, {}] })).toEqual([]);
    expect(await send(rule, { ids }, { status: "SUCCESS", list: [{ id: 2 }, { id: 3 }] })).toMatchObject([
      { path: ["list", 1, "id"], code: "x" },
    ]);
  });
});
