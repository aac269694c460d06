import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceApi } from "../../src/service-api.ts";
import { clientOf } from "../support/client.ts";
import { reset, startServer } from "../support/server.ts";
import { watchTimers } from "../support/timers.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const credentials = { baseUrl: "https://api.example.com", clientId: "a", clientSecret: "a-secret" };
const request = { vpa_mobile: "6000000001", consent: "Y" } as const;

describe("10,000 calls on one signal leave nothing behind", () => {
  it.each<[string, () => Response]>([
    ["that succeed", () => Response.json({ status: "SUCCESS", status_code: "200", vpaList: [] })],
    ["that are refused", () => Response.json({ status: "FAILED", status_code: "401" }, { status: 401 })],
  ])("%s", async (_case, response) => {
    const { signal } = new AbortController();
    const timers = watchTimers();
    const api = new ServiceApi({ ...credentials, fetch: async () => response() });
    for (let round = 0; round < 100; round++) {
      const calls = Array.from({ length: 100 }, () => api.verification.findVpas(request, { signal }));
      expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(100);
      await Promise.allSettled(calls);
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
    expect(unhandled).toEqual([]);
  });
});

describe("finalText() that is asked for now and awaited later", () => {
  it("rejects then if the stream fails in between, without an unhandled rejection", async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here\n\n", () => reset(response));
    });
    const { signal } = new AbortController();
    const timers = watchTimers();
    const stream = clientOf(server).ai.stream({ user: { text: "Hello" } }, { signal });
    const final = [stream.finalText(), stream.finalResponse()];
    while (stream.state !== "truncated") await turn();
    await server.idle();
    await turn();
    expect(unhandled).toEqual([]);
    for (const result of final) await expect(result).rejects.toMatchObject({ name: "StreamTruncatedError" });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
  });
});
