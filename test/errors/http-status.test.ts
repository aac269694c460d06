import { describe, expect, it } from "vitest";
import { httpStatusFor, RequestValidationError, ServiceApiError } from "../../src/errors/index.ts";

const statusOf = (kind: ServiceApiError["kind"]) => httpStatusFor(new ServiceApiError(kind, { message: "x" }));

describe("httpStatusFor()", () => {
  it.each<[number, ServiceApiError["kind"][]]>([
    [400, ["request_validation", "invalid"]],
    [402, ["insufficient_balance"]],
    [404, ["not_found"]],
    [409, ["in_progress", "duplicate", "offer_unavailable", "trace_mismatch", "offer_changed", "price_above_limit"]],
    [409, ["booking_already_sent", "booking_in_flight", "booking_already_settled", "booking_incomplete"]],
    [410, ["session_expired"]],
    [429, ["rate_limited"]],
    [499, ["abort"]],
    [500, ["configuration", "journal"]],
    [502, ["authentication", "permission", "connection", "unknown", "unexpected_response", "booking_outcome_unknown"]],
    [503, ["unavailable"]],
    [504, ["timeout", "stream_stalled"]],
  ])("returns %i for %j", (status, kinds) => {
    expect(kinds.map(statusOf)).toEqual(kinds.map(() => status));
  });

  it("returns 409 for a second turn of a conversation, and 500 for what is not an error of this package", () => {
    const issues = [{ path: [], message: "x", code: "turn_under_way" }];
    expect(httpStatusFor(new RequestValidationError({ message: "x", issues }))).toBe(409);
    for (const other of [new TypeError("x"), undefined, { kind: "invalid" }]) expect(httpStatusFor(other)).toBe(500);
  });
});
