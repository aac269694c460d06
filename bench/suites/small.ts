/**
 * A small POST: 100 bytes there, 500 back, over one kept connection, and over 64. Only serviceapi and zod check the
 * response; zod with the fields that the response has, as an application would write them.
 */
import type { VpaResult } from "serviceapi";
import { findVpas } from "serviceapi/verification";
import * as z from "zod";
import { compare, type Figure } from "../measure.ts";
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

const lookUp: Post = {
  path: "verification/upimobile_multiple",
  params,
  call: (api, options) => api.verification.findVpas(params, options),
  send: (client) => client.send(findVpas, params),
  parse: (response) => schema.parse(response),
  read: (response) => (response as VpaResult).vpaList.length,
};

export async function run(base: string): Promise<Figure[]> {
  const url = `${base}/small`;
  const contestants = [...peers(url, lookUp), ...ours(url, lookUp)];
  const small = { unit: "µs", floor: "fetch", contestants, expect: 3 };
  return [
    ...(await compare({ ...small, measure: "sequential", operations: 100 })),
    ...(await compare({ ...small, measure: "64 at once", operations: 192, atOnce: 64 })),
  ];
}
