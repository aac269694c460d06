import { test } from "node:test";
import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { journeysWith } from "./shared/journeys.cjs";
import { stepping } from "./stepping.cjs";

const { retryOnFakeClock, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator });
for (const [name, journey] of Object.entries(journeys)) test(name, journey);
test("retry on a fake clock", (context) => retryOnFakeClock(stepping(context.mock.timers)));
