import type { ClientOptions } from "../../../src/options.ts";
import type { FindManyResult, VpaResult } from "../../../src/verification/index.ts";
import { clientOf, sample } from "../../support/client.ts";
import { movedTime, stopClock } from "../../support/clock.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { loadLaterParts } from "../../support/later-parts.ts";
import { reply, startServer } from "../../support/server.ts";

/** The sample of a response, for this number. */
export const successFor = (mobile: string): VpaResult => ({
  ...sample<VpaResult>("verification/success-single"),
  clientData: { client_id: "test-client", mobile },
});
export const fast = { consent: "Y", perSecond: 100_000 } as const;
/** Ten digits from an index. */
export const mobile = (index: number) => `6${String(index).padStart(9, "0")}`;
export const mobiles = (count: number) => Array.from({ length: count }, (_, index) => mobile(index));

const messages = {
  400: "Invalid mobile number format",
  401: "Unauthorized",
  402: "Insufficient balance",
  403: "Forbidden",
  404: "No UPI ID found linked to the mobile number",
  429: "Too many requests",
  500: "Internal server error",
  503: "Service unavailable",
};
/** A refusal under the HTTP status of its code, with a `Retry-After` in seconds if there is one. */
export const refused = (status: keyof typeof messages, retryAfter?: number) => ({
  status,
  body: {
    status: "failed",
    statusCode: `${status}`,
    message: messages[status],
    clientData: { client_id: "test-client" },
  },
  ...(retryAfter !== undefined && { headers: { "retry-after": `${retryAfter}` } }),
});

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

/** Inputs of which none comes, and what resolves once one was asked for, and once they were closed. */
export function silentInputs() {
  const [asked, closed] = [gate(), gate()];
  const inputs: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        asked.open();
        return untilTestEnds();
      },
      async return() {
        closed.open();
        return { done: true, value: undefined };
      },
    }),
  };
  return { inputs, asked: asked.opened, closed: closed.opened };
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

export const kinds = (results: readonly FindManyResult[]) => results.map(({ index, kind }) => `${index} ${kind}`);
