import {
  type AnyApiError,
  type AnyServiceApiError,
  ApiError,
  type BookingOutcomeUnknownError,
  type ErrorKind,
  isServiceApiError,
  type NotFoundError,
  RateLimitError,
  type ServiceApiError,
  TimeoutError,
} from "serviceapi";
import {
  adviceFor,
  BookingAlreadySentError,
  type BookingState,
  type FareQuote,
  OfferChangedError,
  type PassengerIssue,
  PriceAboveLimitError,
} from "serviceapi/flights";
import { describe, expectTypeOf, it } from "vitest";

describe("`kind` narrows", () => {
  it("a class has its own kind, not the kind of all", () => {
    expectTypeOf<TimeoutError["kind"]>().toEqualTypeOf<"timeout">();
    expectTypeOf<RateLimitError["kind"]>().toEqualTypeOf<"rate_limited">();
    expectTypeOf<BookingOutcomeUnknownError["kind"]>().toEqualTypeOf<"booking_outcome_unknown">();
    expectTypeOf<OfferChangedError["kind"]>().toEqualTypeOf<"offer_changed">();
    expectTypeOf<ServiceApiError["kind"]>().toEqualTypeOf<ErrorKind>();
    (error: unknown) => {
      if (TimeoutError.isInstance(error)) expectTypeOf(error.kind).toEqualTypeOf<"timeout">();
      if (RateLimitError.isInstance(error)) expectTypeOf(error.kind).toEqualTypeOf<"rate_limited">();
    };
  });

  it("any caught value, in a switch", () => {
    (error: unknown) => {
      if (!isServiceApiError(error)) return;
      expectTypeOf(error).toEqualTypeOf<AnyServiceApiError>();
      switch (error.kind) {
        case "rate_limited":
          expectTypeOf(error).toEqualTypeOf<RateLimitError>();
          expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
          break;
        case "timeout":
          expectTypeOf(error.timeout).toEqualTypeOf<number>();
          break;
        case "booking_outcome_unknown":
          expectTypeOf(error.pnr).toEqualTypeOf<string | undefined>();
          break;
        case "stream_stalled":
          expectTypeOf(error.deadline).toEqualTypeOf<"idle" | "event" | "stream">();
          break;
        case "webhook_payload":
          expectTypeOf(error.issues.length).toEqualTypeOf<number>();
          break;
        case "unknown":
          expectTypeOf(error).toExtend<ApiError>();
          break;
        case "offer_changed":
          // @ts-expect-error that field is known to serviceapi/flights
          error.quote;
          break;
        default:
          // @ts-expect-error what is left has no such field
          error.retryAfter;
      }
    };
  });

  it("every kind has its member", () => {
    expectTypeOf<AnyServiceApiError["kind"]>().toEqualTypeOf<ErrorKind>();
    expectTypeOf<AnyApiError["kind"]>().toEqualTypeOf<ApiError["kind"]>();
    expectTypeOf<Extract<AnyServiceApiError, { kind: "not_found" }>>().toEqualTypeOf<NotFoundError>();
  });

  it("the fields of a checkout's errors, by their classes, and the next step after one, by `next`", () => {
    (error: unknown) => {
      if (PriceAboveLimitError.isInstance(error)) expectTypeOf(error.limit.amount).toEqualTypeOf<string>();
      if (OfferChangedError.isInstance(error)) expectTypeOf(error.kind).toEqualTypeOf<"offer_changed">();
      if (BookingAlreadySentError.isInstance(error)) expectTypeOf(error.row.state).toEqualTypeOf<BookingState>();
      const advice = adviceFor(error);
      if (advice?.next === "confirm") expectTypeOf(advice.quote).toEqualTypeOf<FareQuote>();
      if (advice?.next === "correct") expectTypeOf(advice.issues).toEqualTypeOf<readonly PassengerIssue[]>();
      // @ts-expect-error an offer that is gone has no quote
      if (advice?.next === "search") advice.quote;
    };
  });

  it("the client data that a refusal of the verification echoes has its type", () => {
    (error: unknown) => {
      if (ApiError.isInstance(error)) expectTypeOf(error.clientData?.client_id).toEqualTypeOf<string | undefined>();
    };
  });
});
