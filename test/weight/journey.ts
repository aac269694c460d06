/**
 * A program that counts the files and functions of `src` that run in each call. Each has been made once before, and its
 * `fetch` returns what the emulator responded then. Prints an object of JSON by the names of the calls.
 */
import { Session } from "node:inspector/promises";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { checkout, memoryJournal } from "../../src/flights/index.ts";
import { ServiceApi } from "../../src/service-api.ts";
import { hmac, memoryStore, sign, Webhooks } from "../../src/webhooks/index.ts";
import { samplePassengers } from "../flights/offers.ts";

/** The files and functions that run in a call. */
export interface Journey {
  readonly files: number;
  readonly functions: number;
}

const emulator = createEmulator({ pace: 0 });
const recorded = new Map<string, { readonly body: string; readonly headers: Headers }>();

/** Responds as the emulator did to the first request for the path. */
const fetch: typeof globalThis.fetch = async (input, init) => {
  const path = new URL(String(input)).pathname;
  const known = recorded.get(path);
  if (known !== undefined) return new Response(known.body, { headers: known.headers });
  const response = await emulator.fetch(input, init);
  const body = await response.text();
  recorded.set(path, { body, headers: response.headers });
  return new Response(body, { headers: response.headers });
};

const credentials = { clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...credentials, baseUrl: "https://service.example", fetch });
const search = emulator.seedSearch();
const secret = "whsec-of-forty-characters-0123456789abcd";
const auth = hmac({ secrets: [secret], header: "x-signature", encoding: "hex", signed: "body" });
const webhooks = new Webhooks({
  auth: [auth],
  store: memoryStore(),
  findOrder: () => 8500,
});
const receive = webhooks.handler({ SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} });

async function delivery(reference: string): Promise<() => Promise<void>> {
  const body = JSON.stringify({
    ...{ status: "SUCCESS", statusCode: "200", acknowledged: "1", description: "Done", transactionId: "T1" },
    ...{ client_referenceId: reference, txn_amount: 8500, utr: "UTR1" },
  });
  const { headers } = await sign(body, auth);
  return async () => {
    const response = await receive(new Request("https://shop.example/hook", { method: "POST", headers, body }));
    if (!(await response.text()).includes("SUCCESS")) throw new Error("The delivery was not acknowledged.");
  };
}

async function book(reference: string): Promise<void> {
  const trip = checkout(api, search, { journal: memoryJournal() });
  await trip.quote();
  await trip.book({
    passengers: samplePassengers("oneway-adult"),
    clientReferenceId: reference,
    maxTotal: { amount: "9999999", currency: "INR" },
  });
}

async function readStream(): Promise<void> {
  for await (const event of api.ai.stream({ user: { text: "Hello" } }))
    if (event.event === "response_completed") return;
}

type Travel = () => PromiseLike<unknown>;

/** Prepares each call. What prepares it is not counted. */
const journeys: Readonly<Record<string, (reference: string) => Travel | Promise<Travel>>> = {
  findVpas: () => () => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }),
  fareQuote: () => () => api.flights.fareQuote(search),
  createResponse: () => () => api.ai.createResponse({ user: { text: "Hello" } }),
  "a stream": () => readStream,
  "a delivery": delivery,
  "trip.book": (reference) => () => book(reference),
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const counts: Record<string, Journey> = {};
for (const [name, prepare] of Object.entries(journeys)) {
  recorded.clear();
  await (await prepare("first"))();
  const runs: Journey[] = [];
  for (const reference of ["second", "third", "fourth"]) {
    const travel = await prepare(reference);
    await session.post("Profiler.takePreciseCoverage");
    await travel();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ran = result
      .filter(({ url }) => /\/src\/(?!emulator\/)/.test(url))
      .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
      .filter((count) => count > 0);
    runs.push({ files: ran.length, functions: ran.reduce((sum, count) => sum + count, 0) });
  }
  // A busy machine makes a call wait, which runs more.
  const [least] = runs.sort((a, b) => a.functions - b.functions);
  if (least !== undefined) counts[name] = least;
}
console.log(JSON.stringify(counts));
process.exit();
