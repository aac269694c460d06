import { afterEach, jest, test } from "@jest/globals";
import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { journeysWith } from "./shared/journeys.cjs";

const { retryOnFakeClock, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator });

afterEach(() => {
  jest.useRealTimers();
});

test.each(Object.entries(journeys))("%s", (_, journey) => journey());

test("retry on a fake clock", async () => {
  jest.useFakeTimers();
  await retryOnFakeClock((milliseconds) => jest.advanceTimersByTimeAsync(milliseconds));
});
