import { test } from "node:test";
import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { journeysWith } from "./shared/journeys.cjs";

// node:test drives the others on a fake clock.
const { retryOnFakeClock: _, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator });
for (const [name, journey] of Object.entries(journeys)) test(name, journey);
