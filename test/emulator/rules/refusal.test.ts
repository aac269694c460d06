import { describe, expect, it } from "vitest";
import { createEmulator, type EmulatorOptions, type OperationName, refusal } from "../../../src/emulator/emulator.ts";
import type { ApiErrorKind } from "../../../src/errors/index.ts";
import { quoteToken, type ServiceApi } from "../../../src/index.ts";
import { caught, clientOf, sample } from "../helpers.ts";

/**
 * Each kind, and whether the emulator's refusal of a booking proves that nothing was booked: not unless the grammar of refusals
 * has its sentence, and a new line there may cost a second ticket.
 */
const proves: Readonly<Record<ApiErrorKind, boolean>> = {
  ...{ authentication: true, permission: true, not_found: true, invalid: true, session_expired: true },
  ...{ offer_unavailable: true, trace_mismatch: true, insufficient_balance: true, rate_limited: true },
  ...{ duplicate: false, in_progress: false, unavailable: false, unknown: false },
};
const kinds = Object.keys(proves) as readonly ApiErrorKind[];
const passengers = sample("flight/book/request-oneway-adult").passengers;

const calls: Readonly<Record<OperationName, (api: ServiceApi) => PromiseLike<unknown>>> = {
  "verification.findVpas": (api) => api.verification.findVpas({ vpa_mobile: "9876543210", consent: "Y" }),
  "ai.createResponse": (api) => api.ai.createResponse({ user: { text: "x" } }),
  "ai.stream": (api) => api.ai.stream({ user: { text: "x" } }).finalText(),
  "flights.fareQuote": (api) => api.flights.fareQuote({ trace_id: "t", token: "s" }),
  "flights.fareRule": (api) => api.flights.fareRule({ trace_id: "t", token: "s" }),
  "flights.book": (api) => api.flights.book({ trace_id: "t", token: quoteToken("q"), passengers }),
};

function setUp(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ pace: 0, retryAfter: 0, ...options });
  return { emulator, api: clientOf(emulator) };
}

describe("refusal()", () => {
  const names = Object.keys(calls) as OperationName[];
  const pairs = names.flatMap((name) => kinds.map((kind) => [name, kind] as const));

  it.each(pairs)("makes the client throw for %s the error of the kind %s", async (name, kind) => {
    const { emulator, api } = setUp();
    emulator.on(name, refusal(kind) as never);
    const error = Object(await caught(calls[name](api)));
    // An unclear refusal of a booking does not say that nothing was booked.
    const thrown = error.name === "BookingOutcomeUnknownError" ? error.cause : error;
    expect(thrown).toMatchObject({ kind });
  });

  it.each(kinds.filter((kind) => proves[kind]))("proves for a booking that nothing was booked: %s", async (kind) => {
    const { emulator, api } = setUp();
    emulator.on("flights.book", refusal(kind));
    expect(await caught(calls["flights.book"](api))).toMatchObject({ kind, outcome: "rejected" });
  });

  it("takes a code, a message, an HTTP status, Retry-After and further fields", async () => {
    const { emulator, api } = setUp();
    const find = calls["verification.findVpas"];
    emulator.on("verification.findVpas", refusal(404), { times: 1 });
    expect(await caught(find(api))).toMatchObject({
      ...{ name: "NotFoundError", httpStatus: 404, statusCode: "404" },
      ...{ serviceMessage: "No UPI ID found linked to the mobile number", clientData: { client_id: "demo-client" } },
    });
    const options = { message: "Come back later", httpStatus: 200, retryAfter: 1_500, fields: { ticket: "T-9" } };
    emulator.on("verification.findVpas", refusal("rate_limited", options));
    expect(await caught(find(api))).toMatchObject({
      ...{ name: "RateLimitError", httpStatus: 200, statusCode: "429", serviceMessage: "Come back later" },
      ...{ retryAfter: 2_000, body: { ticket: "T-9" } },
    });
  });

  it("follows `failureStatus` unless it names its HTTP status", async () => {
    const { emulator, api } = setUp({ failureStatus: 200 });
    const statusOf = async () => Object(await caught(calls["flights.fareQuote"](api))).httpStatus;
    emulator.on("flights.fareQuote", "permission", { times: 1 });
    emulator.on("flights.fareQuote", refusal("permission", { httpStatus: 403 }), { times: 1 });
    expect([await statusOf(), await statusOf()]).toEqual([200, 403]);
  });
});
