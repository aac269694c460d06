import { describe, expect, it } from "vitest";
import type { ApiErrorKind } from "../../src/errors/base.ts";
import { refusalKinds } from "../../src/transport/errors/advice.ts";
import { type AttemptFailure, isRetryable, parseRetryAfter, retryPause } from "../../src/transport/retry-policy.ts";

const refusal = (kind: ApiErrorKind, code: number, retryAfter?: number): AttemptFailure => {
  const { isTemporary } = refusalKinds[kind];
  return { kind, code, retryAfter, isTemporary };
};

describe("a call that is safe to repeat", () => {
  it.each([
    "notSent" as const,
    "lost" as const,
    ...[408, 429, 500, 502, 503, 504].map((code) => refusal("unknown", code)),
    refusal("unavailable", 200),
    refusal("rate_limited", 403),
  ])("is retried after %j", (failure) => {
    expect(isRetryable("safe", failure, "rejected")).toBe(true);
  });

  it.each([
    refusal("invalid", 400),
    refusal("unknown", 499),
    refusal("unavailable", 501),
    refusal("in_progress", 409),
    refusal("duplicate", 409),
  ])("is not retried after %j", (failure) => {
    expect(isRetryable("safe", failure, "rejected")).toBe(false);
  });
});

describe("a call that may have an effect", () => {
  it.each(["ifNotProcessed", "never"] as const)("of the class %s is retried only if nothing was done", (retry) => {
    const isRetried = (failure: AttemptFailure) => isRetryable(retry, failure, "rejected");
    expect(["notSent" as const, refusal("rate_limited", 429)].map(isRetried)).toEqual([true, true]);
    const refusals = [refusal("invalid", 400), refusal("unavailable", 503), refusal("unknown", 500, 1_000)];
    for (const failure of ["lost" as const, ...refusals]) expect(isRetried(failure)).toBe(false);
  });

  it("is retried after a 503 that says when only if the class allows it", () => {
    const says = refusal("unavailable", 503, 1_000);
    expect([isRetryable("ifNotProcessed", says, "rejected"), isRetryable("never", says, "rejected")]).toEqual([
      true,
      false,
    ]);
  });

  it.each(["duplicate", "in_progress"] as const)("is never repeated if it is called %s, whatever the code", (kind) => {
    for (const code of [429, 503])
      expect(isRetryable("ifNotProcessed", refusal(kind, code, 1_000), "rejected")).toBe(false);
  });
});

describe("the pause before a retry", () => {
  it("is the default if `retryDelay` returns no duration", () => {
    for (const returned of ["7", -1, Number.NaN, null]) {
      const pause = retryPause({ retryDelay: () => returned as number }, 1);
      expect(typeof pause).toBe("number");
      expect(pause).toBeGreaterThanOrEqual(0);
    }
    expect(retryPause({ retryDelay: () => 7 }, 1)).toBe(7);
  });

  it.each([
    ["1.25", 1_250],
    ["on Sat, 21 Nov 2026 06:00:10 GMT", undefined],
  ])("after Retry-After %j is %j milliseconds", (header, milliseconds) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 10, 21, 6))).toBe(milliseconds);
  });
});
