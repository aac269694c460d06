import { describe, expect, it, vi } from "vitest";
import { BookingOutcomeUnknownError } from "../../src/errors/booking.ts";
import { book, fareQuote, fareRule } from "../../src/flights/operations.ts";
import { quoteToken } from "../../src/index.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { samplePassengers } from "./offers.ts";

describe("§4.3–§4.5 the three operations", () => {
  it.each([
    [
      fareQuote,
      "flights.fareQuote",
      "flight/fare_quote",
      "safe",
      60_000,
      ["data.result[].token", "data.result[].fare.total_fare"],
    ],
    [fareRule, "flights.fareRule", "flight/fare_rule", "safe", 60_000, ["data.result"]],
    [book, "flights.book", "flight/book", "never", 180_000, []],
  ])("%#: %s", (operation, name, path, retry, timeout, essential) => {
    expect(operation).toMatchObject({ name, area: "flights", path, retry, timeout, essential });
    expect(operation.autofill).toEqual(["client_referenceId"]);
  });
});

describe("an unknown outcome is an error that a help desk can act on", () => {
  const params = { trace_id: "trace-1", token: quoteToken("FQ1[DEMO]"), client_referenceId: "order-17" };
  const sentAt = Date.UTC(2026, 10, 21, 5, 30, 1);

  it.each<[string, () => Promise<Response>, string, object]>([
    [
      "no response",
      () => Promise.reject(Object.assign(new TypeError("fetch failed"), { code: "ECONNRESET" })),
      "the connection broke before the response was whole",
      { httpStatus: undefined, body: undefined, cause: { name: "ConnectionError", code: "ECONNRESET" } },
    ],
    [
      "a part of one",
      async () => new Response('{"status":"SUCC'),
      "the response names no booking or could not be read",
      { httpStatus: 200, body: '{"status":"SUCC', cause: { name: "UnexpectedResponseError", reason: "cut" } },
    ],
  ])(
    "says what was sent and when, how to look it up and what not to do, after %s",
    async (_case, fetch, what, came) => {
      stopClock("Date");
      vi.setSystemTime(sentAt);
      const { flights } = clientOf({ url: "https://service.example" }, { fetch });
      const passengers = samplePassengers("oneway-adult");
      const error = await errorOf(flights.book({ ...params, passengers }), BookingOutcomeUnknownError);
      expect(error.message).toBe(
        `The booking may exist: it was sent at 2026-11-21T05:30:01.000Z, and ${what}. ` +
          "Do not book again. Look it up by client_referenceId order-17 or trace_id trace-1, or ask the service operator to. " +
          "If a checkout sent it, then close its row: reconcile it with the `pnr` or `bookingId` that was found, or with " +
          '"notBooked" if the operator says that there is no booking.',
      );
      expect(error).toMatchObject({
        name: "BookingOutcomeUnknownError",
        outcome: "unknown",
        isRetryable: false,
        operation: "flights.book",
        clientReferenceId: "order-17",
        traceId: "trace-1",
        token: "FQ1[DEMO]",
        sentAt,
        attempts: 1,
        ...came,
      });
      // Nor the passengers, the token or the response when it is printed.
      const [{ fname }] = passengers as unknown as [{ fname: string }];
      for (const hidden of [fname, "FQ1", "SUCC"]) expect(JSON.stringify(error)).not.toContain(hidden);
    },
  );
});
