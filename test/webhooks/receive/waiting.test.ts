import { beforeEach, describe, expect, it, vi } from "vitest";
import { sleep } from "../../../src/shared/promises.ts";
import { memoryStore, Webhooks } from "../../../src/webhooks/index.ts";
import { later, movedTime, stopClock } from "../../support/clock.ts";
import { eventOf, faultyOf, noWork, receiver, reference, take } from "../support.ts";

beforeEach(() => stopClock());
const key = `payout:${reference}`;
/** A store in which another process is at work, and the times at which a claim is asked for. */
async function occupiedStore(lease = 60_000) {
  const store = memoryStore();
  const held = await take(store, key, lease);
  const startedAt = movedTime();
  const asked: number[] = [];
  const claim: typeof store.claim = (wanted, request) => {
    asked.push(Math.round(movedTime() - startedAt));
    return store.claim(wanted, request);
  };
  return { store: faultyOf(store, { claim }), asked, held };
}

describe("a delivery that waits for another process", () => {
  it("asks the store soon, and then less and less often: every 250 ms in the end", async () => {
    const { store, asked, held } = await occupiedStore();
    const response = receiver({}, { store }).statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(1_100);
    await store.complete(held);
    await vi.advanceTimersByTimeAsync(250);
    expect(await response).toBe("DUPLICATE");
    expect(asked).toEqual([0, 20, 60, 140, 300, 550, 800, 1_050, 1_300]);
  });

  it("asks for the last time when its own time is up", async () => {
    const { store, asked } = await occupiedStore();
    const processing = new Webhooks({ store, findOrder: "none", ackTimeout: 100 }).process(eventOf("SUCCESS"), noWork);
    const rejected = expect(processing).rejects.toMatchObject({ reason: "inFlight", clientReferenceId: reference });
    await vi.advanceTimersByTimeAsync(1_000);
    await rejected;
    expect(asked).toEqual([0, 20, 60, 100]);
  });
});

describe("a claim that the store grants too late", () => {
  it.each([
    [39, "SUCCESS"],
    [40, "workTimeout"],
  ])("after %s ms of 40: %s", async (delay, end) => {
    const store = memoryStore();
    const claim: typeof store.claim = (wanted, request) => sleep(delay).then(() => store.claim(wanted, request));
    const webhooks = new Webhooks({ store: faultyOf(store, { claim }), findOrder: "none", workTimeout: 40 });
    expect(
      await later(
        50,
        webhooks.process(eventOf("SUCCESS"), noWork).catch(({ reason }) => reason),
      ),
    ).toBe(end);
  });
});
