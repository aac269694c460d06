/**
 * Looks up a number, talks to the AI, books a flight, receives a payout notification, and shows one error of each kind.
 *
 *   npm run demo                       against an emulator that it starts on a free loopback port
 *   SERVICEAPI_BASE_URL=… npm run demo -- --mobile … --consent Y --trace-id … --token … [--book]
 *                                      against the service itself; nothing is booked without --book
 */
import { parseArgs } from "node:util";
import { ServiceApi } from "serviceapi";
import { createEmulator, type Emulator } from "serviceapi/emulator";
import { errors } from "./errors.ts";
import { note, paint } from "./paint.ts";
import { bookFlight, lookUpNumber, receiveWebhook, talk } from "./steps.ts";

const { values: flags } = parseArgs({
  options: {
    mobile: { type: "string" },
    consent: { type: "string" },
    "trace-id": { type: "string" },
    token: { type: "string" },
    book: { type: "boolean", default: false },
  },
});

/** Calls the service that the environment names, or else an emulator over real HTTP. */
async function withService(
  run: (api: ServiceApi, emulator: Emulator, isReal: boolean) => Promise<void>,
): Promise<void> {
  const emulator = createEmulator({ pace: 25, retryAfter: 0 });
  if (process.env.SERVICEAPI_BASE_URL) {
    console.log(paint("bold", `serviceapi demo, talking to ${new URL(process.env.SERVICEAPI_BASE_URL).host}`));
    return run(new ServiceApi(), emulator, true);
  }
  await using server = await emulator.listen();
  console.log(`${paint("bold", "serviceapi demo")}  ${paint("dim", `against the emulator on ${server.url}`)}`);
  await run(
    new ServiceApi({ baseUrl: server.url, clientId: "demo-client", clientSecret: "demo-secret" }),
    emulator,
    false,
  );
}

await withService(async (api, emulator, isReal) => {
  const search = isReal ? { trace_id: flags["trace-id"], token: flags.token } : emulator.seedSearch();
  if (!isReal || flags.mobile)
    await lookUpNumber(api, flags.mobile ?? "+91 60000 00001", isReal ? (flags.consent ?? "") : "Y");
  else note("No number is looked up. Pass --mobile and --consent Y.");
  // With `/markdown`, the emulator responds with more than an echo.
  await talk(api, `${isReal ? "" : "/markdown "}What is a fare quote?`);
  if (search.trace_id && search.token) {
    await bookFlight(api, { trace_id: search.trace_id, token: search.token }, { book: !isReal || flags.book });
  } else note("No flight is quoted. Pass --trace-id and --token of a search.");
  await receiveWebhook(emulator);
  if (!isReal) await errors(api, emulator);
});
