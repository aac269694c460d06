import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { emulatorHandlers } from "../../src/emulator/msw.ts";
import { defineOperation } from "../../src/operation.ts";
import { aiPath, ask, baseUrl, caught, credentials, lookUp } from "./helpers.ts";

describe("the emulator as handlers of Mock Service Worker", () => {
  const emulator = createEmulator({ pace: 0 });
  const server = setupServer(
    ...emulatorHandlers(emulator, { baseUrl: `${baseUrl}/` }),
    http.get("https://other.example/", () => HttpResponse.text("other")),
    http.post(`${baseUrl}/own/path`, () => HttpResponse.text("own handler")),
    ...emulatorHandlers(emulator, { baseUrl: "https://gateway.example/upi/v1/" }),
  );
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
  afterAll(() => server.close());

  const send = (path: string, body: unknown, init: RequestInit = {}) =>
    fetch(`${baseUrl}/${path}`, {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json" },
      body: JSON.stringify(body),
      ...init,
    });

  it("responds to the global fetch", async () => {
    const response = await send("verification/upimobile_multiple", lookUp("6000000002"));
    expect(await response.json()).toMatchObject({ vpa: "6000000002@demoupi" });
    expect(emulator.requests.at(-1)).toMatchObject({ operation: "verification.findVpas" });
  });

  it("streams", async () => {
    const response = await send(aiPath, ask("Hello", { stream: true }));
    expect(await response.text()).toContain('"event":"response_completed"');
  });

  it("turns a dropped connection into a network error", async () => {
    emulator.on("*", "reset", { times: 1 });
    expect(await caught(send("flight/book", {}))).toBeInstanceOf(TypeError);
  });

  it("sends no response until the caller gives up", async () => {
    const stop = new AbortController();
    const answer = caught(send("verification/upimobile_multiple", lookUp("6000000504"), { signal: stop.signal }));
    await expect.poll(() => emulator.requests.at(-1)?.body).toMatchObject({ vpa_mobile: "6000000504" });
    stop.abort();
    expect(await answer).toMatchObject({ name: "AbortError" });
  });

  it("passes requests that it does not know on to the handlers after it, and does not list them", async () => {
    const before = emulator.requests.length;
    expect(await (await send("own/path", {})).text()).toBe("own handler");
    expect(emulator.requests).toHaveLength(before);
  });

  it("takes the path of an operation of your own once a script was passed for it", async () => {
    const own = defineOperation({
      ...{ name: "own.operation", area: "flights", path: "own/path" },
      ...{ params: z.looseObject({}), body: z.looseObject({}) },
    } as const);
    emulator.on(own, { message: "scripted" });
    expect(await (await send("own/path", { client_referenceId: "r" })).json()).toMatchObject({ message: "scripted" });
  });

  it("serves below the path of the base URL", async () => {
    const init = { method: "POST", headers: { ...credentials, "content-type": "application/json" } };
    const body = JSON.stringify(lookUp("6000000002"));
    const response = await fetch("https://gateway.example/upi/v1/verification/upimobile_multiple", { ...init, body });
    expect(await response.json()).toMatchObject({ vpa: "6000000002@demoupi" });
  });

  it("leaves other URLs alone", async () => {
    expect(await (await fetch("https://other.example/")).text()).toBe("other");
  });
});
