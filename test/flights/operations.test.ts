import { beforeAll, describe, expect, it } from "vitest";
import { ServiceApiError } from "../../src/errors/base.ts";
import { BookingOutcomeUnknownError } from "../../src/errors/booking.ts";
import { ConnectionError, UnexpectedResponseError } from "../../src/errors/request.ts";
import { book, fareQuote, fareRule } from "../../src/flights/operations.ts";
import { type Judged, judge } from "../../src/operation.ts";

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
  beforeAll(async () => {
    await (book as Judged)[judge]?.();
  });

  const call = {
    body: { trace_id: "trace-1", token: "FQ1[DEMO]", client_referenceId: "order-17", passengers: [{ fname: "ASHA" }] },
    sentAt: Date.UTC(2026, 10, 21, 5, 30, 1),
  };
  const lost = new ConnectionError({
    message: "The connection was reset.",
    operation: "flights.book",
    clientReferenceId: "order-17",
    outcome: "unknown",
    attempts: 1,
    code: "ECONNRESET",
  });

  it("says what was sent and when, how to look it up and what not to do", () => {
    const error = book.toUnknownOutcomeError?.(lost, call);
    expect(error?.message).toBe(
      "The booking may exist: it was sent at 2026-11-21T05:30:01.000Z, and the connection broke before the response was whole. " +
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
      sentAt: call.sentAt,
      httpStatus: undefined,
      body: undefined,
      attempts: 1,
      cause: lost,
    });
  });

  it("keeps the response and its status, if there was one", () => {
    const odd = new UnexpectedResponseError({
      message: "The answer was cut short.",
      clientReferenceId: "order-17",
      outcome: "unknown",
      reason: "cut",
      httpStatus: 200,
      contentType: "application/json",
      preview: "{",
      body: '{"status":"SUCC',
      headers: new Headers(),
    });
    expect(book.toUnknownOutcomeError?.(odd, call)).toMatchObject({ httpStatus: 200, body: '{"status":"SUCC' });
  });

  it("names the reference that was sent, whatever the error says, and describes an unknown kind plainly", () => {
    const odd = new ServiceApiError("unknown", { message: "?", outcome: "unknown", clientReferenceId: "order-18" });
    const error = book.toUnknownOutcomeError?.(odd, call);
    expect(error?.clientReferenceId).toBe("order-17");
    expect(error?.message).toContain("the response does not say whether it was made");
    expect(book.toUnknownOutcomeError?.(odd, { ...call, body: {} })?.clientReferenceId).toBe("order-18");
  });

  it("shows no passenger, token or response when it is printed", () => {
    const error = book.toUnknownOutcomeError?.(lost, call);
    expect(JSON.stringify(error)).not.toMatch(/ASHA|FQ1/);
    expect(BookingOutcomeUnknownError.isInstance(error)).toBe(true);
  });
});
