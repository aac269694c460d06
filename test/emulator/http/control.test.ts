import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { aiResponse } from "../../../src/ai/schemas.ts";
import { createEmulator, type Emulator, type OperationName } from "../../../src/emulator/emulator.ts";
import { behaviours } from "../../../src/emulator/service/operations.ts";
import { bookingSchema, fareQuoteSchema, fareRuleSchema } from "../../../src/flights/schemas.ts";
import { defineOperation } from "../../../src/operation.ts";
import { vpaResultSchema } from "../../../src/verification/schemas.ts";
import { Webhooks } from "../../../src/webhooks/index.ts";
import { baseUrl, lookUp, now, post } from "../helpers.ts";

const acknowledge = async (request: Request) =>
  Response.json(new Webhooks().acknowledge(await request.json(), "SUCCESS"));

const schemas = {
  "verification.findVpas": vpaResultSchema,
  "ai.createResponse": aiResponse,
  "flights.fareQuote": fareQuoteSchema,
  "flights.fareRule": fareRuleSchema,
  "flights.book": bookingSchema,
};

async function steer(emulator: Emulator, method: string, route: string, input?: unknown) {
  const body = input === undefined ? null : JSON.stringify(input);
  const response = await emulator.fetch(`${baseUrl}/__emulator/${route}`, { method, body });
  return { status: response.status, body: await response.json() };
}

describe("the emulator's own routes", () => {
  const setUp = () => createEmulator({ now, webhook: { to: acknowledge } });

  it("POST payouts delivers, and GET deliveries is the history", async () => {
    const emulator = setUp();
    const { body } = await steer(emulator, "POST", "payouts", {
      client_referenceId: "po-1",
      amount: 10,
      outcome: "FAILED",
    });
    expect(body).toMatchObject({ state: "delivered", client_referenceId: "po-1", event: { txn_amount: 10 } });
    expect((await steer(emulator, "GET", "deliveries")).body).toEqual([body]);
  });

  it("POST fire sends one", async () => {
    expect((await steer(setUp(), "POST", "fire", { outcome: "FAILED" })).body).toMatchObject({ status: "SUCCESS" });
    const event = { status: "LOST", client_referenceId: "po-7" };
    expect((await steer(setUp(), "POST", "fire", { event })).body).toMatchObject({ status: "SUCCESS" });
    expect((await steer(setUp(), "POST", "fire")).body).toMatchObject({ status: "SUCCESS" });
  });

  it("POST clock moves time", async () => {
    expect((await steer(setUp(), "POST", "clock", { advance: 60_000 })).body).toEqual({
      now: "2026-11-20T06:01:00.000Z",
    });
    expect((await steer(setUp(), "POST", "clock")).body).toEqual({ now: "2026-11-20T06:00:00.000Z" });
  });

  it("GET clock tells the time", async () => {
    expect((await steer(setUp(), "GET", "clock")).body).toEqual({ now: "2026-11-20T06:00:00.000Z" });
  });

  it("GET searches and GET rules list the names that the others take", async () => {
    const emulator = createEmulator();
    const { body: searches } = await steer(emulator, "GET", "searches");
    expect(searches).toContain("senior-fare");
    for (const name of searches) expect((await steer(emulator, "POST", "searches", { name })).status).toBe(200);
    const { body } = await steer(emulator, "GET", "rules");
    expect(body.active).toEqual([]);
    for (const [operation, names] of Object.entries<string[]>(body.names)) {
      for (const response of names) {
        expect((await steer(emulator, "POST", "rules", { operation, response })).status).toBe(200);
      }
    }
  });

  it("POST withdraw ends a rule, and GET rules lists the active ones", async () => {
    const emulator = setUp();
    const active = async () => (await steer(emulator, "GET", "rules")).body.active;
    const add = async (route: string, input: object) => (await steer(emulator, "POST", route, input)).body;
    const outage = await add("rules", { response: "unavailable" });
    const lost = await add("rules", { response: "reset", operation: "flights.book", times: 2 });
    const refused = await add("rules", { operation: "flights.book", response: "duplicate" });
    expect([outage, lost, refused]).toMatchObject([
      { name: "unavailable", operation: "*" },
      { name: "reset", operation: "flights.book", remaining: 2 },
      { name: "duplicate", operation: "flights.book" },
    ]);
    expect(await active()).toEqual([outage, lost, refused]);
    for (const { id } of [outage, refused]) expect((await add("withdraw", { id })).done).toBe(true);
    expect(await active()).toEqual([lost]);
  });

  it("POST withdraw says that nothing of that id is active", async () => {
    const emulator = setUp();
    const { id } = emulator.on("*", "unavailable");
    await steer(emulator, "POST", "withdraw", { id });
    const absent = { status: 400, body: { error: expect.stringContaining(`id ${id} is active`) } };
    expect(await steer(emulator, "POST", "withdraw", { id })).toMatchObject(absent);
    for (const wrong of [{}, { id: "1" }, { id: -1 }, { name: "unavailable" }]) {
      expect(await steer(emulator, "POST", "withdraw", wrong), JSON.stringify(wrong)).toMatchObject({ status: 400 });
    }
  });

  it("POST rules knows the fields of each body, and refuses others", async () => {
    for (const [operation, schema] of Object.entries(schemas)) {
      const { fields } = behaviours[operation as OperationName];
      expect(fields, operation).toEqual(expect.arrayContaining(Object.keys(schema.fields ?? {})));
    }
    const emulator = setUp();
    for (const [operation, response, error] of [
      ["flights.fareQuote", { dta: { result: [] } }, 'unknown field "dta" (did you mean "data"?)'],
      ["verification.findVpas", { name: "ASHA", vpalist: [] }, '"vpalist" (did you mean "vpaList"?)'],
      ["ai.createResponse", { txt: "Hello" }, 'unknown field "txt"'],
      ["ai.stream", { chunk: ["a"] }, '"chunk" (did you mean "chunks"?)'],
    ] as const) {
      expect(await steer(emulator, "POST", "rules", { operation, response })).toMatchObject({
        ...{ status: 400, body: { error: expect.stringContaining(error) } },
      });
    }
    expect(emulator.active).toEqual([]);
    // The fields of an operation of your own are not known.
    const own = defineOperation({ ...{ name: "own", area: "flights", path: "own" }, body: z.looseObject({}) });
    emulator.on(own, { pnr: "A" });
    expect((await steer(emulator, "POST", "rules", { operation: "own", response: { any: 1 } })).status).toBe(200);
  });

  it("POST searches seeds a flight search by name", async () => {
    const emulator = setUp();
    const { body } = await steer(emulator, "POST", "searches", { name: "international-roundtrip-family" });
    const quote = await post(emulator, "flight/fare_quote", { ...body, client_referenceId: "r" });
    expect((await quote.json()).data.result[0].segments).toHaveLength(4);
    expect((await steer(emulator, "POST", "searches")).body).toHaveProperty("token");
    expect(await steer(emulator, "POST", "searches", { name: "toString" })).toMatchObject({ status: 400 });
  });

  it("POST rules responds to the next requests", async () => {
    const emulator = setUp();
    await steer(emulator, "POST", "rules", { response: "html-502", times: 1 });
    const answer = () => post(emulator, "verification/upimobile_multiple", lookUp("6000000002"));
    expect([(await answer()).status, (await answer()).status]).toEqual([502, 200]);
  });

  it("GET requests and GET bookings list the requests to the service, without themselves", async () => {
    const emulator = setUp();
    await post(emulator, "flight/book", {});
    expect((await steer(emulator, "GET", "requests")).body).toMatchObject([{ operation: "flights.book" }]);
    expect((await steer(emulator, "GET", "bookings")).body).toEqual([]);
  });

  it("POST reset empties everything", async () => {
    const emulator = setUp();
    await post(emulator, "flight/book", {});
    expect((await steer(emulator, "POST", "reset")).body).toEqual({ done: true });
    expect(emulator.requests).toEqual([]);
  });

  it("POST rules takes bodies and names, and GET unused lists those that wait", async () => {
    const emulator = setUp();
    const look = async () => (await post(emulator, "verification/upimobile_multiple", lookUp("6000000002"))).json();
    const operation = "verification.findVpas";
    await steer(emulator, "POST", "rules", { operation, response: { name: "ASHA" }, times: 1, delay: 0 });
    await steer(emulator, "POST", "rules", { operation, response: "not_found", times: 1 });
    await steer(emulator, "POST", "rules", { operation: "ai.stream", response: ["a"], eventDelay: 5 });
    expect((await steer(emulator, "GET", "unused")).body).toMatchObject([
      ...[{ operation, remaining: 1 }, { operation, remaining: 1 }, { operation: "ai.stream" }],
    ]);
    expect([await look(), await look()]).toMatchObject([{ name: "ASHA" }, { statusCode: "404" }]);
    expect((await steer(emulator, "GET", "unused")).body).toMatchObject([{ operation: "ai.stream" }]);
    for (const wrong of [
      { operation: "flights.boook", response: {} },
      { operation, response: { count: "1" } },
      { operation, response: "rate_limit" },
      { operation },
    ]) {
      expect(await steer(emulator, "POST", "rules", wrong)).toMatchObject({ status: 400 });
    }
    expect(await steer(emulator, "POST", "fire", { event: {}, outcome: "SUCCESS" })).toMatchObject({
      ...{ status: 400, body: { error: "Pass either `event` or `outcome`." } },
    });
  });

  it("say what is wrong with an input, and which routes there are", async () => {
    const emulator = createEmulator();
    expect(await steer(emulator, "POST", "payouts", {})).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^No target for webhooks is set\. Start the emulator with --webhook-url/) },
    });
    expect(await steer(emulator, "GET", "nothing")).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(/POST payouts, .*GET bookings; with the console also GET events/) },
    });
    expect(await steer(emulator, "POST", "clock", { advance: "soon" })).toMatchObject({ status: 400 });
    expect(await steer(emulator, "POST", "payouts", { amount: "10" })).toMatchObject({
      body: { error: "emulator.payout: `amount` must be a number." },
    });
    expect(await steer(emulator, "POST", "rules", { operation: 7 })).toMatchObject({
      body: { error: expect.stringMatching(/^emulator\.on: the operation must be the name of one/) },
    });
    expect(await steer(emulator, "POST", "rules", null)).toMatchObject({ status: 400 });
    expect(await steer(emulator, "POST", "payouts", { amunt: 10 })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('did you mean "amount"') },
    });
    expect(await steer(emulator, "POST", "fire", { event: 7 })).toMatchObject({ status: 400 });
    expect(await steer(emulator, "POST", "reset", [])).toMatchObject({ status: 400 });
    const broken = await emulator.fetch(`${baseUrl}/__emulator/clock`, { method: "POST", body: "{" });
    expect(broken.status).toBe(400);
  });
});
