/**
 * The programs that a cold start runs: how long until a library is imported, and until the first response is read. Each
 * prints the milliseconds of CPU that its process has used, from the start of Node on.
 */

const print = `
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify((user + system) / 1_000));
process.exit();
`;

export const importing = (name: string) => `await import("${name}");${print}`;

/** Imports, by the name of their row. The first is the empty script. */
export const imports: Readonly<Record<string, string>> = {
  "an empty script": print,
  ...Object.fromEntries(
    [
      "serviceapi",
      "serviceapi/core",
      "serviceapi/verification",
      "serviceapi/flights",
      "serviceapi/webhooks",
      "openai",
      "@anthropic-ai/sdk",
      "stripe",
      "ai",
      "svix",
      "standardwebhooks",
      "@octokit/webhooks",
    ].map((name) => [name, importing(name)]),
  ),
  "ky + zod": `await import("ky"); await import("zod");${print}`,
};

const body = `{ vpa_mobile: "6000000001", consent: "Y" }`;
const check = `if (data.count !== 3) throw new Error("not the response");`;
const path = "/verification/upimobile_multiple";

/** Programs that make one call and read its response. `base` is the URL of the server. */
export function firstCalls(base: string): Readonly<Record<string, string>> {
  const serviceapi = `
import { ServiceApi } from "serviceapi";
const api = new ServiceApi({ baseUrl: "${base}", clientId: "bench", clientSecret: "bench-secret" });
const data = await api.verification.findVpas(${body});
${check}${print}`;
  const fetched = `
const headers = { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" };
const body = JSON.stringify(${body});
const data = await (await fetch("${base}${path}", { method: "POST", headers, body })).json();
${check}${print}`;
  return {
    fetch: fetched,
    "fetch, compile cache": fetched,
    serviceapi,
    "serviceapi, compile cache": serviceapi,
    "ky + zod": `
import ky from "ky";
import * as z from "zod";
const json = await ky.post("${base}${path}", { json: ${body} }).json();
const data = z.object({ name: z.string(), vpa: z.string(), vpaList: z.array(z.string()), count: z.number() }).parse(json);
${check}${print}`,
    openai: `
import OpenAI from "openai";
const data = await new OpenAI({ baseURL: "${base}", apiKey: "bench-secret" }).post("${path}", { body: ${body} });
${check}${print}`,
    anthropic: `
import Anthropic from "@anthropic-ai/sdk";
const data = await new Anthropic({ baseURL: "${base}", apiKey: "bench-secret" }).post("${path}", { body: ${body} });
${check}${print}`,
  };
}
