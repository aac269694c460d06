import { describe, expect, it } from "vitest";
import { CallScope } from "../../src/transport/cancellation.ts";
import { suspendable, watchDelays } from "../support/suspended.ts";

describe("a call whose process was suspended beyond its deadlines", () => {
  it("sets no timer in the past after a decision of the caller, and ends", async () => {
    const delays = watchDelays();
    const suspend = suspendable();
    const scope = new CallScope(undefined, 20_000);
    scope.startAttempt(10_000);
    suspend();
    await scope.pauseFor(Promise.resolve());
    expect(delays()).toEqual([20_000, 10_000, 0]);
    await new Promise<void>((resolve) => scope.onCancel(resolve));
    expect(scope.cancellation).toEqual({ by: "deadline", deadline: "attempt", timeout: 10_000 });
    scope.close();
  });

  it("does so before an attempt, too", async () => {
    const delays = watchDelays();
    const suspend = suspendable();
    const scope = new CallScope(undefined, 20_000);
    suspend();
    await scope.exempt(Promise.resolve());
    expect(delays()).toEqual([20_000, 0]);
    await new Promise<void>((resolve) => scope.onCancel(resolve));
    expect(scope.cancellation).toEqual({ by: "deadline", deadline: "total", timeout: 20_000 });
    scope.close();
  });
});
