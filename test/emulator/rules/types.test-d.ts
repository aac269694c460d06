import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  createEmulator,
  type OperationName,
  type ResponseName,
  type RuleResponses,
  refusal,
} from "../../../src/emulator/emulator.ts";
import { defineOperation, type FindVpasParams, findVpas } from "../../../src/index.ts";

const emulator = createEmulator();
const own = defineOperation({
  name: "payouts.status",
  area: "verification",
  path: "payout/status",
  params: z.object({ id: z.string() }),
  body: z.object({ utr: z.string() }),
});

it("each operation has a row of `RuleResponses`", () => {
  expectTypeOf<keyof RuleResponses>().toEqualTypeOf<OperationName | "*">();
});

describe("the names of responses", () => {
  it("are completed, and a typo does not compile", () => {
    expectTypeOf<"failed-pending" | "rate_limited" | "reset" | `slow:${number}`>().toExtend<ResponseName>();
    emulator.on("flights.book", "slow:500");
    // @ts-expect-error: failed-pending
    emulator.on("*", "failed-pendign");
    // @ts-expect-error: html-502
    emulator.on("flights.book", "html-520");
    // @ts-expect-error: a sample of another operation
    emulator.on("flights.book", "success-multiple");
    emulator.on("flights.book", ({ token }) => (token.length > 10 ? "duplicate" : undefined));
    // @ts-expect-error: duplicate
    emulator.on("flights.book", () => "duplcate");
    // @ts-expect-error: `reset` has no amount
    emulator.on("*", "reset:1");
  });
});

describe("the response of a rule", () => {
  it("is a part of its body, a refusal, a Response, or a function of its params", () => {
    emulator.on("verification.findVpas", { clientData: { mobile: "x" } });
    emulator.on("verification.findVpas", "not_found");
    emulator.on("verification.findVpas", new Response());
    emulator.on("verification.findVpas", (params, request) => {
      expectTypeOf(params).toEqualTypeOf<FindVpasParams>();
      expectTypeOf(request.headers).toEqualTypeOf<Readonly<Record<string, string>>>();
      return undefined;
    });
    emulator.on(findVpas, async ({ consent }) => ({ message: consent }));
    // @ts-expect-error: vpaList
    emulator.on("verification.findVpas", { vpalist: [] });
    // @ts-expect-error: a list
    emulator.on("verification.findVpas", { vpaList: "a@x" });
    // @ts-expect-error: flights.book
    emulator.on("flights.bok", {});
    // @ts-expect-error: rate_limited
    refusal("rate_limit");
    emulator.on("ai.stream", { chunks: ["a"], refusal: "unavailable", message: "No." });
    // @ts-expect-error: an event has no headers
    emulator.on("ai.stream", { chunks: ["a"], refusal: refusal("unavailable", { retryAfter: 1_000 }) });
    // @ts-expect-error: a refusal is made by `refusal()`
    emulator.on("flights.book", { reason: "insufficient_balance" });
  });

  it("has plain strings for the tokens of the service", () => {
    emulator.on("flights.fareQuote", { data: { result: [{ token: "MY-TOKEN" }] } });
  });

  it("has the types of an operation of your own", () => {
    emulator.on(own, ({ id }) => ({ utr: id }));
    // @ts-expect-error: a string
    emulator.on(own, { utr: 1 });
  });
});
