import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { createEmulator, refusal, type ScenarioName } from "../../../src/emulator/emulator.ts";
import { defineOperation, type FindVpasParams, findVpas } from "../../../src/index.ts";

const emulator = createEmulator();
const own = defineOperation({
  name: "payouts.status",
  area: "verification",
  path: "payout/status",
  params: z.object({ id: z.string() }),
  body: z.object({ utr: z.string() }),
});

describe("the names of scenarios", () => {
  it("are completed, and a typo does not compile", () => {
    expectTypeOf<"failed-partial" | "reset" | `slow:${number}`>().toExtend<ScenarioName>();
    emulator.use("slow:500", { operation: "flights.book" });
    // @ts-expect-error: failed-partial
    emulator.use("failed-partail");
    // @ts-expect-error: html-502
    createEmulator({ scenario: "html-520" });
    // @ts-expect-error: `reset` has no amount
    emulator.use("reset:1");
  });
});

describe("the script of an operation", () => {
  it("is a part of its body, a refusal, a Response, or a function of its params", () => {
    emulator.script("verification.findVpas", { clientData: { mobile: "x" } });
    emulator.script("verification.findVpas", refusal("not_found"));
    emulator.script("verification.findVpas", new Response());
    emulator.script("verification.findVpas", (params, request) => {
      expectTypeOf(params).toEqualTypeOf<FindVpasParams>();
      expectTypeOf(request.headers).toEqualTypeOf<Readonly<Record<string, string>>>();
      return undefined;
    });
    emulator.script(findVpas, async ({ consent }) => ({ message: consent }));
    // @ts-expect-error: vpaList
    emulator.script("verification.findVpas", { vpalist: [] });
    // @ts-expect-error: a list
    emulator.script("verification.findVpas", { vpaList: "a@x" });
    // @ts-expect-error: flights.book
    emulator.script("flights.bok", {});
    // @ts-expect-error: rate_limited
    refusal("rate_limit");
    emulator.script("ai.stream", { chunks: ["a"], refusal: refusal("unavailable", { message: "No." }) });
    // @ts-expect-error: an event has no headers
    emulator.script("ai.stream", { chunks: ["a"], refusal: refusal("unavailable", { retryAfter: 1_000 }) });
    // @ts-expect-error: a refusal is made by `refusal()`
    emulator.script("flights.book", { reason: "insufficient_balance" });
  });

  it("has plain strings for the tokens of the service", () => {
    emulator.script("flights.fareQuote", { data: { result: [{ token: "MY-TOKEN" }] } });
  });

  it("has the types of an operation of your own", () => {
    emulator.script(own, ({ id }) => ({ utr: id }));
    // @ts-expect-error: a string
    emulator.script(own, { utr: 1 });
  });
});
