/** A script that finds 15,000 numbers, and prints the heap after each 5,000 and how many were read ahead. */
import { ServiceApi } from "../../../src/index.ts";
import { findMany } from "../../../src/verification/index.ts";
import { sample } from "../../support/client.ts";
import { collectGarbage } from "../../support/gc.ts";

const count = 15_000;
const success = sample("verification/success-single");
const api = new ServiceApi({
  baseUrl: "https://api.example.com",
  clientId: "any",
  clientSecret: "any-secret",
  fetch: async (_url, init) => {
    const { vpa_mobile: mobile, clientData } = JSON.parse(String(init?.body));
    return Response.json({ ...success, clientData: { ...clientData, mobile } });
  },
});

let read = 0;
function* numbers() {
  while (read < count) yield `6${String(read++).padStart(9, "0")}`;
}

const megabytes: number[] = [];
let found = 0;
let readAhead = 0;
const options = {
  consent: "Y",
  perSecond: 1_000_000,
  concurrency: 8,
  dedupeWindow: 100,
  onProgress: () => {},
} as const;
for await (const { index, kind } of findMany(api, numbers(), options)) {
  if (index !== found || kind !== "found") throw new Error(`${kind} at ${index} after ${found}`);
  readAhead = Math.max(readAhead, read - found);
  if (++found % 5_000 === 0) {
    collectGarbage();
    megabytes.push(process.memoryUsage().heapUsed / 1024 ** 2);
  }
}
console.log(JSON.stringify({ found, readAhead, megabytes }));
