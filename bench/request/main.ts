/**
 * Measures the cost of a small call, compared with bare `fetch`, and with ky and zod as they are usually written:
 *
 *   npm run bench:request
 *
 * The rounds alternate, so that a busy machine disturbs all alike. The result is the median of their ratios.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import ky from "ky";
import { ServiceApi } from "serviceapi";
import * as z from "zod";

const calls = 300;
const rounds = 15;
const sample = fileURLToPath(new URL("../../src/emulator/samples/verification/success-multiple.json", import.meta.url));
const server = fork(fileURLToPath(new URL("server.ts", import.meta.url)), [sample]);
const [port] = (await once(server, "message")) as [number];
const base = `http://127.0.0.1:${port}`;

const url = `${base}/verification/upimobile_multiple`;
const headers = { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" };
const params = { vpa_mobile: "6000000001", consent: "Y" as const };
const json = { ...params, clientData: { client_id: "bench" } };
const answer = z.object({
  status: z.string(),
  statusCode: z.string(),
  partner_id: z.string(),
  name: z.string(),
  vpa: z.string(),
  vpaList: z.array(z.string()),
  count: z.number(),
  description: z.string(),
  accountStatus: z.string(),
  clientData: z.object({ client_id: z.string(), mobile: z.string() }),
  message: z.string(),
});
const api = new ServiceApi({ baseUrl: base, clientId: "bench", clientSecret: "bench-secret" });

const contestants: Record<string, () => Promise<unknown>> = {
  fetch: async () => (await fetch(url, { method: "POST", headers, body: JSON.stringify(json) })).json(),
  serviceapi: async () => api.verification.findVpas(params),
  "ky + zod": async () => answer.parse(await ky.post(url, { headers, json }).json()),
};

async function cost(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const costs = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round++) {
  for (const [name, call] of Object.entries(contestants)) {
    const microseconds = await cost(call);
    if (round >= 0) costs[name]?.push(microseconds);
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
console.log(`CPU of a small POST, median of ${rounds} rounds of ${calls} calls`);
console.table(
  Object.fromEntries(
    Object.entries(costs).map(([name, values]) => [
      name,
      {
        "µs a call": Math.round(median(values)),
        "to fetch": Number(median(values.map((value, i) => value / (costs.fetch?.[i] ?? Number.NaN))).toFixed(2)),
      },
    ]),
  ),
);
server.disconnect();
