import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ServiceApi } from "../../src/service-api.ts";
import { runProgram } from "../support/program.ts";
import { serve } from "../support/serve.ts";
import { stalls } from "../support/server.ts";
import { countTimers } from "../support/timers.ts";
import { watchUnhandled } from "../support/unhandled.ts";

const request = { vpa_mobile: "6000000001", consent: "Y" } as const;
const good = { status: "SUCCESS", status_code: "200", vpaList: [] };

describe("3,000 calls on one signal leave nothing behind", () => {
  it.each([
    ["succeed", 200, good, "succeeded"],
    ["are refused", 401, { status: "FAILED", status_code: "401" }, "AuthenticationError"],
  ])("that %s", async (_case, status, body, outcome) => {
    const program = fileURLToPath(new URL("many-calls.ts", import.meta.url));
    const { exitCode, output } = await runProgram(program, [JSON.stringify(body), String(status)]);
    expect(output).toMatch(/^\{.*\}\n$/);
    const { outcomes, during, after, keptBytes } = JSON.parse(output);
    expect(outcomes).toEqual({ [outcome]: 3_000 });
    expect(during.listeners).toBe(100);
    expect(during.timers).toBeGreaterThanOrEqual(100);
    // Of each call; one that kept its scope would keep some 800.
    expect(keptBytes).toBeLessThan(100);
    // A rejection that nobody handles would have ended the process with 1.
    expect([after, exitCode]).toEqual([{ timers: 0, listeners: 0 }, 0]);
  });
});

describe("many calls over sockets on one signal", () => {
  const findVpas = (api: ServiceApi, signal: AbortSignal) => api.verification.findVpas(request, { signal });

  it("leave nothing behind if it aborts them", async () => {
    const unhandled = watchUnhandled();
    const controller = new AbortController();
    const timers = countTimers();
    const { server, api } = await serve(stalls);
    const calls = Array.from({ length: 100 }, () => findVpas(api, controller.signal));
    const ended = Promise.allSettled(calls);
    await server.received(1);
    controller.abort();
    expect((await ended).every(({ status }) => status === "rejected")).toBe(true);
    await server.idle();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
    expect(unhandled).toEqual([]);
  });
});

describe("a next() that nobody awaits", () => {
  it("raises no unhandled rejection once the stream has ended", async () => {
    const unhandled = watchUnhandled();
    const { api } = await serve(stalls);
    const stream = api.ai.stream({ user: { text: "Hello" } });
    const iterator = stream[Symbol.asyncIterator]();
    stream.abort();
    void iterator.next();
    await turn();
    expect(unhandled).toEqual([]);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
