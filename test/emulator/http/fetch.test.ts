import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { aiPath, ask, baseUrl, caught, clientOf, credentials, lookUp, post } from "../helpers.ts";

const address = `${baseUrl}/verification/upimobile_multiple`;
const init = (): RequestInit => ({
  method: "POST",
  headers: { ...credentials, "content-type": "application/json" },
  body: JSON.stringify(lookUp("6000000002")),
});

describe("the emulator as fetch", () => {
  it("takes a string, a URL and a Request, alone or with an init", async () => {
    const { fetch } = createEmulator();
    const { headers, ...withoutHeaders } = init();
    const answers = [
      fetch(address, init()),
      fetch(new URL(address), init()),
      fetch(new Request(address, init())),
      fetch(new Request(address, withoutHeaders), { headers: headers ?? {} }),
    ];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("rejects immediately with the reason of a signal that is already aborted, and receives nothing", async () => {
    const emulator = createEmulator();
    const signal = AbortSignal.abort(new Error("too late"));
    expect(await caught(emulator.fetch(address, { ...init(), signal }))).toMatchObject({ message: "too late" });
    expect(await caught(emulator.fetch(new Request(address, { ...init(), signal })))).toMatchObject({
      message: "too late",
    });
    expect(emulator.requests).toEqual([]);
  });

  it("rejects if it is aborted right after the call, even if the response would have come", async () => {
    const stop = new AbortController();
    const answer = caught(createEmulator().fetch(address, { ...init(), signal: stop.signal }));
    stop.abort(new Error("changed my mind"));
    expect(await answer).toMatchObject({ message: "changed my mind" });
  });

  it("ends a stream with the reason of its signal, even while nobody reads", async () => {
    const stop = new AbortController();
    const response = await post(
      createEmulator({ pace: 60_000 }),
      aiPath,
      ask("Hi", { stream: true }),
      {},
      { signal: stop.signal },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    stop.abort(new Error("enough"));
    expect(await caught(reader?.read() ?? Promise.resolve())).toMatchObject({ message: "enough" });
  });

  it("leaves no listener on the signal of a call that has ended", async () => {
    const stop = new AbortController();
    const emulator = createEmulator({ pace: 1 });
    for (const stream of [false, true]) {
      await (await post(emulator, aiPath, ask("a b c", { stream }), {}, { signal: stop.signal })).text();
    }
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it("is a fetch for the client: a look-up, a stream, and a flight from search to booking", async () => {
    const emulator = createEmulator({ pace: 0 });
    const api = clientOf(emulator);
    const { vpaList } = await api.verification.findVpas({ vpa_mobile: "98765 40001", consent: "Y" });
    expect(vpaList).toHaveLength(3);

    const { trace_id, token } = emulator.seedSearch();
    const quote = await api.flights.fareQuote({ trace_id, token });
    expect(quote.data.result[0]?.fare.total_fare).toBe(7480);
    expect(emulator.requests.map(({ operation }) => operation)).toEqual(["verification.findVpas", "flights.fareQuote"]);
  });
});
