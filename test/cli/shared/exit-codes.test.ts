import { ServiceApiError } from "serviceapi";
import { expect, it } from "vitest";
import { exitCodeOf } from "../../../src/cli/shared/errors.ts";
import type { AnyServiceApiError } from "../../../src/errors/any.ts";
import type { ErrorDetails, ErrorKind } from "../../../src/errors/base.ts";
import { operations } from "../../support/service-operations.ts";

const code = (kind: ErrorKind, details: Partial<ErrorDetails>) =>
  exitCodeOf(new ServiceApiError(kind, { message: "", ...details }) as AnyServiceApiError);

it.each<[ErrorKind, Partial<ErrorDetails>, number]>([
  ["configuration", {}, 2],
  ["request_validation", {}, 2],
  ["authentication", { outcome: "rejected" }, 3],
  ["invalid", { outcome: "rejected" }, 3],
  ["duplicate", { outcome: "rejected" }, 3],
  ["price_above_limit", {}, 3],
  ["booking_already_sent", {}, 3],
  ["not_found", { outcome: "rejected" }, 4],
  ["booking_outcome_unknown", { outcome: "unknown" }, 5],
  ["timeout", { outcome: "unknown" }, 5],
  ["abort", { outcome: "unknown" }, 130],
  ["timeout", { outcome: "unknown", isRetryable: true }, 6],
  ["connection", {}, 6],
  ["rate_limited", { outcome: "rejected" }, 6],
  ["unavailable", { outcome: "rejected" }, 6],
  ["unavailable", { outcome: "unknown" }, 5],
  ["response_validation", { outcome: "unknown", isRetryable: true }, 1],
  ["response_validation", { outcome: "unknown" }, 5],
  ["response_validation", { outcome: "unknown", operation: "flights.fareQuote" }, 1],
  ["unexpected_response", { outcome: "unknown", isRetryable: true }, 6],
  ["unexpected_response", { outcome: "rejected" }, 1],
  ["in_progress", { outcome: "rejected", operation: "flights.book" }, 3],
  ["in_progress", { outcome: "unknown", operation: "verification.findVpas" }, 6],
  ["journal", {}, 1],
  ["abort", {}, 130],
])("%s with %j ends with the exit code %i", (kind, details, expected) => {
  expect(code(kind, details)).toBe(expected);
});

it.each(operations)("$name of unknown outcome has to be looked up, unless it changes nothing", ({ name, retry }) => {
  const expected = retry === "safe" ? 1 : 5;
  expect(code("response_validation", { outcome: "unknown", operation: name })).toBe(expected);
});
