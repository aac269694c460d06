import { describe, expect, it } from "vitest";
import {
  ApiError,
  AuthenticationError,
  InvalidRequestError,
  NotFoundError,
  OfferUnavailableError,
  ServiceUnavailableError,
  SessionExpiredError,
  TraceMismatchError,
} from "../../src/errors/index.ts";
import { errorOf } from "../support/client.ts";
import { serve } from "../support/serve.ts";
import { answers } from "../support/server.ts";

/**
 * Responses written from the document alone: its words, its spellings, and a code that says nothing of the condition.
 */
const conditions = {
  "Invalid token": SessionExpiredError,
  "Malformed token": SessionExpiredError,
  "Expired token": SessionExpiredError,
  "Flight no longer available": OfferUnavailableError,
  "Temporary system error": ServiceUnavailableError,
  "Invalid or expired token": SessionExpiredError,
  "trace_id does not match": TraceMismatchError,
  "Authentication failure": AuthenticationError,
  "Service unavailability": ServiceUnavailableError,
  "Service unavailable": ServiceUnavailableError,
} as const;

describe("§7.2: the conditions that are named for the flight operations", () => {
  it.each(Object.entries(conditions))("%s", async (message, errorClass) => {
    for (const [status, code] of [
      [200, "400"],
      [200, undefined],
      [400, "400"],
    ] as const) {
      const { server, api } = await serve(answers(status, { status: "FAILED", status_code: code, message }), {
        maxRetries: 1,
      });
      const { flights } = api;
      for (const name of ["fareQuote", "fareRule"] as const) {
        const before = server.requests.length;
        const error = await errorOf<ApiError>(flights[name]({ trace_id: "T", token: "S" }), errorClass);
        expect(Object.getPrototypeOf(error)).toBe(errorClass.prototype);
        expect(error).toMatchObject({ serviceMessage: message, httpStatus: status });
        // A temporary failure is one, whatever its code: the call is retried.
        const passes = errorClass === ServiceUnavailableError;
        expect([error.isRetryable, server.requests.length - before]).toEqual([passes, passes ? 2 : 1]);
      }
    }
  });
});

describe("§7.1: the errors of the verification", () => {
  const clientData = { client_id: "test-client" };

  it.each([
    ["400", "Invalid mobile number format", InvalidRequestError],
    ["404", "No UPI ID found linked to the mobile number", NotFoundError],
  ] as const)("%s %s", async (statusCode, message, errorClass) => {
    const { api } = await serve(answers(200, { status: "failed", statusCode, message, clientData }));
    const call = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    const error = await errorOf<ApiError>(call, errorClass);
    expect(error).toMatchObject({ statusCode, serviceMessage: message, clientData });
    expect(JSON.stringify(error)).not.toContain("clientData");
  });

  it("one that is pending is looked up with the call itself", async () => {
    const { api } = await serve(answers(200, { status: "PENDING" }));
    const error = await errorOf(api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }));
    expect([error.isRetryable, error.message]).toEqual([false, expect.stringMatching(/Look it up again later\.$/)]);
  });

  it("a body without client data has none", async () => {
    const { api } = await serve(answers(400, { status: "failed", clientData: null }));
    const call = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    expect((await errorOf(call, ApiError)).clientData).toBeUndefined();
  });
});
