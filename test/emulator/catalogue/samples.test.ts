import { describe, expect, it } from "vitest";
import { createResponse } from "../../../src/ai/operations.ts";
import { createEmulator, sample } from "../../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { book, fareQuote, fareRule, findVpas } from "../../../src/index.ts";
import { sample as recorded } from "../helpers.ts";

describe("sample()", () => {
  it.each([
    ["findVpas", findVpas.body, sample("verification.findVpas")],
    ["createResponse", createResponse.body, sample("ai.createResponse")],
    ["fareQuote", fareQuote.body, sample("flights.fareQuote")],
    ["fareRule", fareRule.body, sample("flights.fareRule")],
    ["book", book.body, sample("flights.book")],
  ])("returns a success that the schema of %s accepts", async (_, schema, body) => {
    expect(await schema["~standard"].validate(body)).toEqual({ value: body });
  });

  it("returns typed bodies by name", () => {
    const fare: number | undefined = sample("flights.fareQuote", "success-domestic-oneway-lcc").data.result[0]?.fare
      .total_fare;
    expect(fare).toBe(3967.75);
    const message: string = sample("verification.findVpas", "failed-pending").message;
    expect(message).toBe("Request is being processed");
    const utr: string = sample("payout").utr;
    expect(utr).toBe(recorded("webhook/events/success").utr);
    expect(sample("ai.stream").at(-1)?.event).toBe("response_completed");
    expect(sample("flights.book", "success-without-pnr")).toEqual(recorded("flight/book/success-without-pnr"));
  });

  it("returns a new copy each time, which the emulator does not share", async () => {
    const first: { message: string } = sample("verification.findVpas");
    first.message = "changed";
    expect(sample("verification.findVpas").message).not.toBe("changed");
    expect(createEmulator().requests).toEqual([]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      "an operation",
      () => sample("flights.boook" as "payout"),
      /no operation "flights\.boook"\. Did you mean flights\.book/,
    ],
    ["a name", () => sample("payout", "SUCESS" as "SUCCESS"), /no sample of payout "SUCESS"\. Did you mean SUCCESS/],
    ["a name that all objects have", () => sample("payout", "toString" as "SUCCESS"), /no sample of payout "toString"/],
  ])("refuses %s that is unknown", (_, act, message) => {
    expect(act).toThrow(ConfigurationError);
    expect(act).toThrow(message);
  });
});
