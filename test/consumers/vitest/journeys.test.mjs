import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { afterEach, expect, it, vi } from "vitest";
import { journeysWith } from "./shared/journeys.cjs";

const inBrowser = typeof document !== "undefined";
const options = inBrowser ? { dangerouslyAllowBrowser: true } : {};
const { retryOnFakeClock, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator, options });

afterEach(() => {
  vi.useRealTimers();
});

it.each(Object.entries(journeys))("%s", (_, journey) => journey());

it("retries on a fake clock", async () => {
  vi.useFakeTimers();
  await retryOnFakeClock((milliseconds) => vi.advanceTimersByTimeAsync(milliseconds));
});

it.runIf(inBrowser)("refuses what looks like a browser, unless it is told otherwise", async () => {
  const api = new serviceapi.ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b" });
  const call = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  await expect(call).rejects.toThrow(/dangerouslyAllowBrowser/);
});
