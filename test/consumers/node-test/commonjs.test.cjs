const { test } = require("node:test");
const { journeysWith } = require("./shared/journeys.cjs");
const { stepping } = require("./stepping.cjs");

const { retryOnFakeClock, ...journeys } = journeysWith({
  serviceapi: require("serviceapi"),
  flights: require("serviceapi/flights"),
  webhooks: require("serviceapi/webhooks"),
  emulator: require("serviceapi/emulator"),
});
for (const [name, journey] of Object.entries(journeys)) test(name, journey);
test("retry on a fake clock", (context) => retryOnFakeClock(stepping(context.mock.timers)));
