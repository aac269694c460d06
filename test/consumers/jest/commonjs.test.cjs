const { journeysWith } = require("./shared/journeys.cjs");

const serviceapi = require("serviceapi");
const inBrowser = typeof document !== "undefined";
const options = inBrowser ? { dangerouslyAllowBrowser: true } : {};
const { retryOnFakeClock, ...journeys } = journeysWith({
  serviceapi,
  flights: require("serviceapi/flights"),
  webhooks: require("serviceapi/webhooks"),
  emulator: require("serviceapi/emulator"),
  options,
});

afterEach(() => {
  jest.useRealTimers();
});

test.each(Object.entries(journeys))("%s", (_, journey) => journey());

test("retry on a fake clock", async () => {
  jest.useFakeTimers();
  await retryOnFakeClock((milliseconds) => jest.advanceTimersByTimeAsync(milliseconds));
});
