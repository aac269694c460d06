import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ApiErrorKind } from "../../src/errors/index.ts";
import type { RetryClass } from "../../src/operation.ts";
import { readEnvelope } from "../../src/transport/envelope.ts";
import { adviseOn } from "../../src/transport/errors/advice.ts";
import { classify, effectiveCode } from "../../src/transport/errors/classify.ts";
import { sample } from "../support/client.ts";

const kindOf = (httpStatus: number, statusCode?: string, serviceMessage?: string): ApiErrorKind =>
  classify({ httpStatus, statusCode, serviceMessage });

describe("one table from (HTTP status, service code, message) to the kind", () => {
  const codes: readonly [ApiErrorKind, ...codes: number[]][] = [
    ["invalid", 400, 405, 406, 410, 411, 413, 414, 415, 422],
    ["authentication", 401],
    ["insufficient_balance", 402],
    ["permission", 403],
    ["not_found", 404],
    ["duplicate", 409],
    ["unknown", 418],
    ["rate_limited", 429],
    ["unavailable", 408, 500, 501, 502, 503, 504, 520],
  ];
  const byCode = codes.flatMap(([kind, ...all]) => all.map((code) => [code, kind] as const));

  it.each(byCode)("HTTP %i without a readable body is %s", (status, kind) => {
    expect(kindOf(status)).toBe(kind);
  });

  it.each(byCode)("the body's code %i in a response of HTTP 200 is %s", (code, kind) => {
    expect(kindOf(200, String(code))).toBe(kind);
  });

  it.each([
    ["102", "in_progress"],
    ["202", "in_progress"],
    ["206", "in_progress"],
    ["208", "duplicate"],
    ["101", "unknown"],
  ] as const)("the body's code %s, which is not a refusal, in a response of HTTP 200 is %s", (code, kind) => {
    expect(kindOf(200, code)).toBe(kind);
  });

  it.each<[string, ApiErrorKind]>([
    // §7.1
    ["Invalid mobile number format", "invalid"],
    // §7.2, fare quote
    ["Invalid token", "session_expired"],
    ["The token is malformed", "session_expired"],
    ["Token has expired", "session_expired"],
    ["Session expired. Please search again.", "session_expired"],
    ["The flight is no longer available", "offer_unavailable"],
    ["Selected fare is not available", "offer_unavailable"],
    ["This seat is sold out", "offer_unavailable"],
    ["Price has changed", "offer_unavailable"],
    // §7.2, fare rule
    ["trace_id does not match", "trace_mismatch"],
    ["Trace ID doesn't match the token", "trace_mismatch"],
    ["Trace and token mismatch", "trace_mismatch"],
    // Assumed by the samples
    ["Booking is in progress", "in_progress"],
    ["Request is being processed", "in_progress"],
    ["Partially booked", "in_progress"],
    ["Already booked", "duplicate"],
    ["This order was already been confirmed", "duplicate"],
    ["Duplicate client_referenceId", "duplicate"],
    ["Insufficient agency balance", "insufficient_balance"],
    ["Insufficient funds", "insufficient_balance"],
    ["Access restricted. IP address is not registered.", "permission"],
    ["Your IP is unregistered", "permission"],
    ["GST details are required", "invalid"],
    // Codes in place of sentences
    ["ALREADY_PROCESSED", "duplicate"],
    ["DUPLICATE_REFERENCE", "duplicate"],
    ["IN_PROGRESS", "in_progress"],
    ["SYSTEM_ERROR", "unavailable"],
    ["TEMPORARY_SYSTEM_ERROR", "unavailable"],
    ["AUTHENTICATION_FAILED", "authentication"],
    ["INVALID_TOKEN", "session_expired"],
    ["TokenExpired", "session_expired"],
    ["FLIGHT_NOT_AVAILABLE", "offer_unavailable"],
    ["PRICE_CHANGED", "offer_unavailable"],
    ["TraceIdMismatch", "trace_mismatch"],
    ["INSUFFICIENT_BALANCE", "insufficient_balance"],
  ])("the message %j under code 400 is %s", (message, kind) => {
    expect(kindOf(400, "400", message)).toBe(kind);
  });

  it.each<[number, string, ApiErrorKind]>([
    [401, "Invalid token", "authentication"],
    [429, "Requests in progress: too many", "rate_limited"],
    [403, "Session expired", "permission"],
  ])("HTTP %i with the message %j stays what the code says: %s", (status, message, kind) => {
    expect(kindOf(status, undefined, message)).toBe(kind);
  });

  it.each([
    "Flight booking status not available",
    "Flight supplier is not available",
    "Seat confirmation is not available",
    "Fare rules are unavailable",
  ])("%j does not mean that an offer is gone", (message) => {
    expect(kindOf(400, "400", message)).toBe("invalid");
  });

  it("a price that merely occurs in a message is not a changed price", () => {
    expect(kindOf(400, "400", "price must be a number")).toBe("invalid");
  });
});

describe("the code that decides", () => {
  it.each([
    ["the body's own where it says no", 200, "404", 404],
    ["the body's own before the HTTP status", 500, "404", 404],
    ["the HTTP status where the body says success", 503, "200", 503],
    ["the HTTP status where the body names none", 422, undefined, 422],
    ["the HTTP status where the body's code is a word", 200, "E17", 200],
    ["the body's own of no refusal in an answer of HTTP 200", 200, "102", 102],
  ])("is %s", (_case, httpStatus, statusCode, code) => {
    expect(effectiveCode({ httpStatus, statusCode, serviceMessage: undefined })).toBe(code);
  });
});

describe("every sample of a refusal has a kind", () => {
  const kinds: Record<string, ApiErrorKind> = {
    "verification/failed-400-invalid-mobile": "invalid",
    "verification/failed-404-not-found": "not_found",
    "verification/failed-missing-consent": "invalid",
    "verification/failed-auth-uppercase-style": "authentication",
    "verification/failed-ip-not-allowed": "permission",
    "verification/failed-rate-limited": "rate_limited",
    "verification/failed-pending": "in_progress",
    "flight/fare_quote/failed-invalid-token": "session_expired",
    "flight/fare_quote/failed-expired-token": "session_expired",
    "flight/fare_quote/failed-flight-unavailable": "offer_unavailable",
    "flight/fare_quote/failed-temporary": "unavailable",
    "flight/fare_quote/failed-trace-mismatch": "trace_mismatch",
    "flight/fare_quote/failed-auth": "authentication",
    "flight/fare_quote/failed-ip": "permission",
    "flight/fare_quote/failed-with-data-null": "invalid",
    "flight/fare_rule/failed-expired": "session_expired",
    "flight/fare_rule/failed-trace-mismatch": "trace_mismatch",
    "flight/fare_rule/failed-unavailable": "unavailable",
    "flight/book/failed-invalid-passenger": "invalid",
    "flight/book/failed-session-expired": "session_expired",
    "flight/book/failed-quote-token-reused": "duplicate",
    "flight/book/failed-in-progress": "in_progress",
    "flight/book/failed-partial": "in_progress",
    "flight/book/failed-price-changed-before-book": "offer_unavailable",
    "flight/book/failed-insufficient-balance": "insufficient_balance",
    "flight/book/failed-gst-required": "invalid",
    "flight/book/failed-auth": "authentication",
    "ai/response-failed-expired-context": "session_expired",
    "ai/response-failed-200": "invalid",
  };

  it.each(Object.entries(kinds))("%s is %s", (name, kind) => {
    const { statusCode, serviceMessage: message } = readEnvelope(sample(name));
    expect(kindOf(200, statusCode, message)).toBe(kind);
  });

  it("and none is left out", () => {
    const folders = ["verification", "ai", "flight/fare_quote", "flight/fare_rule", "flight/book"];
    const found = folders.flatMap((folder) =>
      readdirSync(new URL(`../../src/emulator/samples/${folder}`, import.meta.url))
        .filter((name) => /^(response-)?failed/.test(name) && !name.includes(".events."))
        .map((name) => `${folder}/${name.replace(".json", "")}`),
    );
    expect(found.sort()).toEqual(Object.keys(kinds).sort());
  });
});

describe("the document's own words (§7) under an unrelated code", () => {
  it.each<[string, ApiErrorKind]>([
    ["Invalid token", "session_expired"],
    ["Malformed token", "session_expired"],
    ["Expired token", "session_expired"],
    ["Invalid, malformed or expired token", "session_expired"],
    ["Invalid or expired token", "session_expired"],
    ["Invalid trace_id", "session_expired"],
    ["Session timed out", "session_expired"],
    ["Flight no longer available", "offer_unavailable"],
    ["Flight unavailable", "offer_unavailable"],
    ["Flight not available", "offer_unavailable"],
    ["Temporary system error", "unavailable"],
    ["SYSTEM TEMPORARILY UNAVAILABLE", "unavailable"],
    ["The upstream is temporarily down", "unavailable"],
    ["temporary system error, please retry", "unavailable"],
    ["Service unavailable", "unavailable"],
    ["Service temporarily unavailable.", "unavailable"],
    ["The service is currently unavailable", "unavailable"],
    ["Internal server error", "unavailable"],
    ["Supplier timed out", "unavailable"],
    ["Authentication failure", "authentication"],
    ["Authentication failed.", "authentication"],
    ["Invalid client credentials", "authentication"],
    ["Invalid client_id", "authentication"],
    ["Invalid access token", "authentication"],
    ["Unauthorized", "authentication"],
    ["trace_id does not match", "trace_mismatch"],
    ["The trace_id doesn't match the token", "trace_mismatch"],
    ["Mismatched trace_id", "trace_mismatch"],
    ["trace_id mismatch", "trace_mismatch"],
  ])("%j is %s", (message, kind) => {
    expect(kindOf(200, "400", message)).toBe(kind);
    expect(kindOf(400, undefined, message)).toBe(kind);
    expect(kindOf(200, undefined, message.toUpperCase())).toBe(kind);
  });

  it.each([
    "Flights of next week are shown",
    "The token field is required",
    "price must be a number",
    "Invalid mobile number format",
    "Passenger system id is missing",
  ])("%j names none of these conditions", (message) => {
    expect(kindOf(400, "400", message)).toBe("invalid");
  });
});

describe("already done takes precedence over every other kind", () => {
  it.each([
    "Invalid token: this token was already booked",
    "Session expired: the order is already ticketed",
    "A booking with this client_referenceId already exists",
    "client_referenceId already used",
    "Seat sold out, duplicate booking",
    "Duplicate requests in progress",
  ])("%j", (message) => {
    for (const status of [200, 400, 401, 403, 429, 500]) expect(kindOf(status, undefined, message)).toBe("duplicate");
  });
});

describe("a long message", () => {
  it("is classified by its first 1,000 characters", () => {
    expect(kindOf(400, "400", `${"x ".repeat(490)}Flight unavailable`)).toBe("offer_unavailable");
    expect(kindOf(400, "400", `${"x ".repeat(500)}Flight unavailable`)).toBe("invalid");
  });
});

describe("the advice on what to do next", () => {
  const kinds = Object.keys({
    ...{ authentication: 1, permission: 1, not_found: 1, invalid: 1, session_expired: 1, offer_unavailable: 1 },
    ...{ trace_mismatch: 1, duplicate: 1, in_progress: 1, insufficient_balance: 1, rate_limited: 1 },
    ...{ unavailable: 1, unknown: 1 },
  } satisfies Record<ApiErrorKind, 1>) as ApiErrorKind[];

  it("has a sentence for every kind", () => {
    const sentences = kinds.map((kind) => adviseOn(kind, { area: "flights", retry: "never" }));
    expect(new Set(sentences).size).toBe(kinds.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it("says of a refused permission that this machine's IP address may have to be registered", () => {
    expect(adviseOn("permission", { area: "verification", retry: "safe" })).toContain(
      "public IP address has to be registered",
    );
  });

  it("for a pending look-up is to look it up later, and promises no retry that `isRetryable` does not", () => {
    const on = (retry: RetryClass) => adviseOn("in_progress", { area: "verification", retry });
    expect(on("safe")).toBe("Look it up again later.");
    expect(on("never")).toContain("do not retry");
    expect(on("ifNotProcessed")).toContain("do not retry");
  });

  it("for an expired token is a new search, a new conversation, or in an area of your own neither", () => {
    expect(adviseOn("session_expired", { area: "payouts", retry: "never" })).toMatch(/^Begin again: the session/);
    expect(adviseOn("session_expired", { area: "constructor", retry: "safe" })).toMatch(/^Begin again: the session/);
    expect(adviseOn("session_expired", { area: "flights", retry: "safe" })).toMatch(/^Search again/);
    expect(adviseOn("session_expired", { area: "ai", retry: "ifNotProcessed" })).toMatch(/^Begin a new conversation/);
  });
});
