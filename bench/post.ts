/**
 * Contestants that POST the same JSON body to the same path and read the same response. Each returns what `read` finds
 * in it, so the ratio to `fetch` is what its library adds. openai, `@anthropic-ai/sdk` and stripe are called as they
 * document for endpoints that they have no method for, with their own retries and deadlines. None of the three checks a
 * response.
 */
import http from "node:http";
import { json as readJson } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import ky from "ky";
import OpenAI from "openai";
import { type RequestOptions, ServiceApi } from "serviceapi";
import { Client } from "serviceapi/core";
import { nodeFetch } from "serviceapi/node";
import Stripe from "stripe";
import type { Contestant } from "./measure.ts";

/** A call, and what each contestant needs for it. */
export interface Post {
  readonly path: string;
  readonly params: object;
  /** The call by its method of `ServiceApi`. */
  readonly call: (api: ServiceApi, options: RequestOptions) => PromiseLike<unknown>;
  /** The same call by its operation. */
  readonly send: (client: Client) => PromiseLike<unknown>;
  /** Checks the response, for `ky + zod`. */
  readonly parse: (response: unknown) => unknown;
  /** Returns a value in the response that shows that it was read. */
  readonly read: (response: unknown) => unknown;
}

const credentials = { clientId: "bench", clientSecret: "bench-secret" };
const headers = { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" };

const unchecked: RequestOptions = { validation: { response: "off" } };

/** `serviceapi`, with and without checks; `serviceapi/core`; and `serviceapi/node`, whose own floor is `node:http`. */
export function ours(base: string, { call, send, read }: Post): Contestant[] {
  const options = { baseUrl: base, ...credentials };
  const api = new ServiceApi(options);
  const client = new Client(options);
  const onNode = new ServiceApi({ ...options, fetch: nodeFetch() });
  return [
    { name: "serviceapi", run: async () => read(await call(api, {})) },
    { name: "serviceapi, unchecked", run: async () => read(await call(api, unchecked)) },
    { name: "serviceapi/core", run: async () => read(await send(client)) },
    { name: "serviceapi/node", run: async () => read(await call(onNode, {})) },
  ];
}

export function peers(base: string, { path, params, parse, read }: Post): Contestant[] {
  const url = `${base}/${path}`;
  const { hostname, port, pathname } = new URL(url);
  const json = { ...params, clientData: { client_id: "bench" } };
  const openai = new OpenAI({ baseURL: base, apiKey: "bench-secret" });
  const anthropic = new Anthropic({ baseURL: base, apiKey: "bench-secret" });
  const stripe = new Stripe("sk_test_bench", { protocol: "http", host: hostname, port });
  const agent = new http.Agent({ keepAlive: true });
  return [
    {
      name: "fetch",
      run: async () => read(await (await fetch(url, { method: "POST", headers, body: JSON.stringify(json) })).json()),
    },
    { name: "fetch, with a deadline", run: async () => read(await postInTime(url, JSON.stringify(json))) },
    { name: "node:http", run: async () => read(await postByNode(url, JSON.stringify(json), agent)) },
    { name: "ky + zod", run: async () => read(parse(await ky.post(url, { headers, json }).json())) },
    { name: "openai", run: async () => read(await openai.post(`/${path}`, { body: json })) },
    { name: "anthropic", run: async () => read(await anthropic.post(`/${path}`, { body: json })) },
    // Only paths below /v2 are sent as JSON.
    { name: "stripe", run: async () => read(await stripe.rawRequest("POST", `/v2${pathname}`, json)) },
  ];
}

/** Posts by `fetch` alone, with the deadline that each call of a library has. */
async function postInTime(url: string, body: string): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 60_000);
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: controller.signal });
    return await response.json();
  } finally {
    clearTimeout(timer);
  }
}

function postByNode(url: string, body: string, agent: http.Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const length = { "content-length": Buffer.byteLength(body) };
    const request = http.request(url, { method: "POST", headers: { ...headers, ...length }, agent });
    request.on("response", (response) => readJson(response).then(resolve, reject));
    request.on("error", reject).end(body);
  });
}
