import type { ClientOptions } from "../../../src/options.ts";
import type { FindManyResult, VpaResult } from "../../../src/verification/index.ts";
import { clientOf, sample } from "../../support/client.ts";
import { movedTime, stopClock } from "../../support/clock.ts";
import { loadLaterParts } from "../../support/later-parts.ts";
import { reply, startServer } from "../../support/server.ts";

/** The sample of a response, for this number. */
export const successFor = (mobile: string): VpaResult => ({
  ...sample<VpaResult>("verification/success-single"),
  clientData: { client_id: "test-client", mobile },
});
export const refusal = (statusCode: string, message: string) => ({
  status: "failed",
  statusCode,
  message,
  clientData: { client_id: "test-client" },
});
export const fast = { consent: "Y", perSecond: 100_000 } as const;
/** Ten digits from an index. */
export const mobile = (index: number) => `6${String(index).padStart(9, "0")}`;
export const mobiles = (count: number) => Array.from({ length: count }, (_, index) => mobile(index));

type Sent = { status?: number; body?: object | string; headers?: Record<string, string> };
export type Respond = (mobile: string, nth: number) => Sent | Promise<Sent>;

/**
 * A service in this process that responds by the number, in the time of a clock that stands still: the numbers it was
 * asked for, in their order, and when.
 */
export async function startTimedService(respond: Respond = () => ({}), options: ClientOptions = {}) {
  const asked: string[] = [];
  const times: number[] = [];
  const fetch: ClientOptions["fetch"] = async (_url, init) => {
    const number: string = JSON.parse(String(init?.body)).vpa_mobile;
    asked.push(number);
    times.push(movedTime());
    const nth = asked.filter((one) => one === number).length;
    const { status = 200, body = successFor(number), headers = {} } = await respond(number, nth);
    return new Response(JSON.stringify(body), { status, headers });
  };
  const api = clientOf({ url: "https://api.example.com" }, { ...options, fetch });
  await loadLaterParts();
  stopClock("setTimeout", "clearTimeout", "performance");
  return { asked, times, api };
}

/** A service that responds by the number, and the numbers it was asked for, in their order. */
export async function startService(respond: Respond = () => ({}), options: ClientOptions = {}) {
  const asked: string[] = [];
  const server = await startServer(async (response, { body }) => {
    const number: string = JSON.parse(body).vpa_mobile;
    asked.push(number);
    const {
      status = 200,
      body: sent = successFor(number),
      headers,
    } = await respond(number, asked.filter((one) => one === number).length);
    reply(response, status, sent, headers);
  });
  return { server, asked, api: clientOf(server, options) };
}

export async function collect<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
}

/** The results up to the error that ends them. */
export async function collectUntilError<T>(results: AsyncIterable<T>): Promise<{ all: T[]; error: unknown }> {
  const all: T[] = [];
  try {
    for await (const result of results) all.push(result);
  } catch (error) {
    return { all, error };
  }
  throw new Error("expected an error");
}

export const kinds = (results: readonly FindManyResult[]) => results.map(({ index, kind }) => `${index} ${kind}`);
