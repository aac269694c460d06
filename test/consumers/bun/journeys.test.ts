import { afterEach, jest, test } from "bun:test";
import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { journeysWith } from "./shared/journeys.cjs";

const { retryOnFakeClock, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator });

afterEach(() => {
  jest.useRealTimers();
});

for (const [name, journey] of Object.entries(journeys)) test(name, () => journey());

test("retry on a fake clock", async () => {
  jest.useFakeTimers();
  await retryOnFakeClock(async (milliseconds) => {
    // Bun has no advanceTimersByTimeAsync: a second at a time, with a turn between.
    for (let passed = 0; passed < milliseconds; passed += 1000) {
      await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(1000);
    }
  });
});
