import { describe, expectTypeOf, it } from "vitest";
import type { RequestValidationError } from "../../src/errors/request.ts";
import type { Flights } from "../../src/flights/flights.ts";
import {
  type FeeQuery,
  isPassenger,
  type PassengerIssue,
  PassengerValidationError,
  type validatePassengers,
  wallClockIn,
} from "../../src/flights/index.ts";
import {
  type BookParams,
  type FareQuote,
  type FareQuoteParams,
  type FareRuleParams,
  type Passenger,
  type QuoteToken,
  quoteToken,
  type SearchToken,
} from "../../src/flights/types/index.ts";

describe("a search token and a quote token cannot be confused", () => {
  const text: string = "from a search result";
  const quoted = quoteToken("from a quote");

  it("plain text is a search token, and a quote token is text", () => {
    expectTypeOf<string>().toExtend<SearchToken>();
    expectTypeOf<QuoteToken>().toExtend<string>();
    expectTypeOf(quoted).toEqualTypeOf<QuoteToken>();
  });

  it("neither passes for the other", () => {
    expectTypeOf<QuoteToken>().not.toExtend<SearchToken>();
    expectTypeOf<SearchToken>().not.toExtend<QuoteToken>();
    expectTypeOf<string>().not.toExtend<QuoteToken>();
  });

  it("fareQuote and fareRule take a search token alone", () => {
    ({ trace_id: "t", token: text }) satisfies FareQuoteParams;
    ({ trace_id: "t", token: text }) satisfies FareRuleParams;
    // @ts-expect-error a quote token cannot be quoted again
    ({ trace_id: "t", token: quoted }) satisfies FareQuoteParams;
    // @ts-expect-error nor does it have its own rules
    ({ trace_id: "t", token: quoted }) satisfies FareRuleParams;
  });

  it("book takes a quote token alone, and the quote has one", () => {
    ({ trace_id: "t", token: quoted, passengers: [] }) satisfies BookParams;
    // @ts-expect-error the token of the search does not book
    ({ trace_id: "t", token: text, passengers: [] }) satisfies BookParams;
    expectTypeOf<FareQuote["data"]["result"][number]["token"]>().toEqualTypeOf<QuoteToken>();
  });
});

describe("the bodies as types", () => {
  it("enumerations are open in responses and closed in requests", () => {
    type Status = FareQuote["data"]["result"][number]["segments"][number]["flight_status"];
    expectTypeOf<"Waitlisted">().toExtend<Status>();
    expectTypeOf<Passenger["title"]>().toEqualTypeOf<"Mr" | "Mrs" | "Ms" | "Mstr">();
    expectTypeOf<Passenger["passenger_type"]>().toEqualTypeOf<"adult" | "child" | "infant">();
    expectTypeOf<Passenger["gender"]>().toEqualTypeOf<"M" | "F">();
  });

  it("the methods take what §4 requires, without the reference", () => {
    expectTypeOf<Parameters<Flights["book"]>[0]>().toEqualTypeOf<BookParams>();
    expectTypeOf<{ trace_id: string; token: string }>().toExtend<FareQuoteParams>();
  });
});

describe("queries that make no sense do not compile", () => {
  it("a fee is of one of the two kinds, at a time or an instant", () => {
    ({ type: "Cancellation", at: "2027-02-10 06:15:00" }) satisfies FeeQuery;
    ({ type: "Reissue", at: new Date(), zone: "Asia/Kolkata" }) satisfies FeeQuery;
    ({ type: "Reissue", at: wallClockIn(0, "Asia/Kolkata") }) satisfies FeeQuery;
    // @ts-expect-error there is no such kind
    ({ type: "cancel", at: new Date() }) satisfies FeeQuery;
    // @ts-expect-error that is not a time
    ({ type: "Reissue", at: "now" }) satisfies FeeQuery;
  });

  it("passengers of a form are checked before they are asserted", () => {
    expectTypeOf<unknown[]>().toExtend<Parameters<typeof validatePassengers>[1]>();
    expectTypeOf(isPassenger).guards.toEqualTypeOf<Passenger>();
  });
});

describe("a booking that is refused for its passengers", () => {
  it("has issues with a severity and a suggestion", () => {
    const check = (error: unknown) => {
      if (!PassengerValidationError.isInstance(error)) return;
      expectTypeOf(error.issues).toEqualTypeOf<readonly PassengerIssue[]>();
      expectTypeOf(error.issues[0]?.suggestion).toEqualTypeOf<string | undefined>();
      expectTypeOf(error.kind).toEqualTypeOf<"request_validation">();
    };
    expectTypeOf(check).parameter(0).toBeUnknown();
    expectTypeOf<PassengerValidationError>().toExtend<RequestValidationError>();
  });

  it("is not claimed for a request that is refused for its shape", () => {
    expectTypeOf<RequestValidationError["issues"][number]>().not.toHaveProperty("suggestion");
  });
});
