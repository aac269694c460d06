import * as serviceapi from "serviceapi";
import * as emulator from "serviceapi/emulator";
import * as flights from "serviceapi/flights";
import * as webhooks from "serviceapi/webhooks";
import { journeysWith } from "./shared/journeys.cjs";

// Deno's own runner has no fake timers.
const { retryOnFakeClock: _, ...journeys } = journeysWith({ serviceapi, flights, webhooks, emulator });
for (const [name, journey] of Object.entries(journeys)) Deno.test(name, () => journey());
