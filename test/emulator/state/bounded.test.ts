import { describe, expect, it, vi } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { aiPath, ask, bodyOf, lookUp, now, post, sample } from "../helpers.ts";

// The real ones are tested in rules.test.ts.
vi.mock("../../../src/emulator/state/limits.ts", () => ({ limits: { entries: 3, length: 100_000 } }));

const path = "verification/upimobile_multiple";
const fail = async () => new Response("no", { status: 500 });

describe("the emulator's memory is bounded, and the oldest entries are forgotten", () => {
  it("requests", async () => {
    const emulator = createEmulator({ now });
    for (let count = 1; count <= 5; count++) await post(emulator, `nowhere/${count}`, {});
    expect(emulator.requests.map((request) => request.path)).toEqual(["/nowhere/3", "/nowhere/4", "/nowhere/5"]);
  });

  it("flight tokens", async () => {
    const emulator = createEmulator({ now });
    const [first, ...others] = Array.from({ length: 4 }, () => emulator.seedSearch());
    const statusOf = async (search: object | undefined) =>
      (await bodyOf(emulator, "flight/fare_rule", { ...search, client_referenceId: "r" })).status;
    expect(await statusOf(first)).toBe("FAILED");
    for (const search of others) expect(await statusOf(search)).toBe("SUCCESS");
  });

  it("conversations", async () => {
    const emulator = createEmulator({ now });
    const say = async (more: object = {}) => (await post(emulator, aiPath, ask("Hi", more))).json();
    const tokens: string[] = [];
    for (let count = 0; count < 4; count++) tokens.push((await say()).context_token);
    expect(await say({ context_token: tokens[0] })).toMatchObject({ status: "FAILED" });
    expect(await say({ context_token: tokens[3] })).toMatchObject({ status: "SUCCESS" });
  });

  it("deliveries: a forgotten one is not tried again", async () => {
    const called: string[] = [];
    const emulator = createEmulator({
      now,
      webhook: {
        to: async (request) => {
          called.push((await request.json()).client_referenceId);
          return fail();
        },
      },
    });
    for (const client_referenceId of ["a", "b", "c", "d", "e"]) await emulator.payout({ client_referenceId });
    expect(emulator.deliveries.map((row) => row.client_referenceId)).toEqual(["c", "d", "e"]);
    called.length = 0;
    await emulator.clock.runToEnd();
    expect(new Set(called)).toEqual(new Set(["c", "d", "e"]));
    expect(emulator.deliveries.map(({ state }) => state)).toEqual(Array(3).fill("Failed Delivery"));
  });

  it("deliveries by their text too", async () => {
    const emulator = createEmulator({ now, webhook: { to: fail } });
    const names = ["a", "b"].map((letter) => letter.repeat(60_000));
    for (const client_referenceId of names) await emulator.payout({ client_referenceId });
    expect(emulator.deliveries.map((row) => row.client_referenceId)).toEqual([names[1]]);
  });

  it("rules: those that are used up go first", async () => {
    const emulator = createEmulator({ now });
    emulator.on("flights.book", "html-502");
    for (let count = 0; count < 5; count++) {
      emulator.on("verification.findVpas", "unavailable", { times: 1 });
      expect((await post(emulator, path, lookUp("6000000002"))).status).toBe(503);
    }
    expect((await post(emulator, "flight/book", {})).status).toBe(502);
    for (let count = 0; count < 3; count++) emulator.on("verification.findVpas", "unavailable");
    expect((await post(emulator, "flight/book", {})).status).not.toBe(502);
  });

  it("bookings, in the list that was handed out", async () => {
    const emulator = createEmulator({ now, strict: false });
    const { bookings } = emulator;
    const { passengers } = sample("flight/book/request-oneway-adult");
    for (const name of ["1", "2", "3", "4", "5"]) {
      const body = { trace_id: `trace-${name}`, token: `token-${name}`, client_referenceId: `bk-${name}`, passengers };
      expect((await post(emulator, "flight/book", body)).status).toBe(200);
    }
    expect(bookings.map((booking) => booking.client_referenceId)).toEqual(["bk-3", "bk-4", "bk-5"]);
  });
});
