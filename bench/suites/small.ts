/**
 * A small POST: 100 bytes there, 500 back, over one kept connection, over 64, and without a network. Only serviceapi and
 * zod check the response; zod with the fields that the response has, as an application would write them.
 */
import type { VpaResult } from "serviceapi";
import { findVpas } from "serviceapi/verification";
import * as z from "zod";
import { respondInProcess } from "../in-process.ts";
import { compare, type Figure } from "../measure.ts";
import { smallResponse } from "../payloads.ts";
import { ours, type Post, peers } from "../post.ts";

const params = { vpa_mobile: "6000000001", consent: "Y" } as const;

const schema = z.object({
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

export const lookUp: Post = {
  path: "verification/upimobile_multiple",
  params,
  call: (api, options) => api.verification.findVpas(params, options),
  send: (client) => client.send(findVpas, params),
  parse: (response) => schema.parse(response),
  read: (response) => (response as VpaResult).vpaList.length,
};

/** Those that do not send by `fetch`. */
const ownTransport = ["node:http", "stripe", "serviceapi/node"];

export async function run(base: string): Promise<Figure[]> {
  const contestants = () => [...peers(`${base}/small`, lookUp), ...ours(`${base}/small`, lookUp)];
  const small = { unit: "µs", floor: "fetch", expect: 3 };
  const [sequential, atOnce] = [{ operations: 100 }, { operations: 192, atOnce: 64 }];
  const overSockets = { ...small, contestants: contestants() };
  const figures = [
    ...(await compare({ ...overSockets, ...sequential, measure: "sequential" })),
    ...(await compare({ ...overSockets, ...atOnce, measure: "64 at once" })),
  ];
  await respondInProcess(smallResponse());
  const inProcess = { ...small, contestants: contestants().filter(({ name }) => !ownTransport.includes(name)) };
  return [
    ...figures,
    ...(await compare({ ...inProcess, ...sequential, measure: "in process" })),
    ...(await compare({ ...inProcess, ...atOnce, measure: "in process, 64 at once" })),
  ];
}
