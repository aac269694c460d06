import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Feed, type Update, writeUpdates } from "../../../src/emulator/console/console.ts";
import { createEmulator, type EmulatorOptions, type ListenOptions } from "../../../src/emulator/emulator.ts";
import { listen as listenTo } from "../../../src/emulator/http/server.ts";
import { countTimers } from "../../support/timers.ts";
import { aiPath, ask, credentials, listen, lookUp, now } from "../helpers.ts";
import { get, send, updatesOf } from "./support.ts";

async function serve(options: ListenOptions = { console: true }, more: EmulatorOptions = {}) {
  const emulator = createEmulator({ now, pace: 0, ...more });
  return { emulator, ...(await listen(emulator, options)) };
}

/** Reads updates until one passes. */
async function until(updates: AsyncGenerator<Update>, passes: (update: Update) => boolean): Promise<Update> {
  for (;;) {
    const { done, value } = await updates.next();
    if (done) throw new Error("The updates ended.");
    if (passes(value)) return value;
  }
}

function read(url: string, path = "/__emulator/events"): AsyncGenerator<Update> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return updatesOf(`${url}${path}`, stop.signal);
}

const path = "verification/upimobile_multiple";
const asha = lookUp("6000000002");

describe("the console", () => {
  it("is served only if it is wanted", async () => {
    const { port } = await serve({});
    for (const where of ["/", "/__emulator/events", "/__emulator/events/personal"]) {
      expect(await get(port, where)).toMatchObject({ status: 404, type: "application/json" });
    }
    const other = await serve({ console: false });
    expect((await get(other.port, "/")).status).toBe(404);
  });

  it("is refused on a host that others reach, unless that is explicit", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "emulator"]) {
      await expect(createEmulator().listen({ host, console: true })).rejects.toThrow(
        /^emulator\.listen: the console needs a loopback `host`.*allowNonLoopbackHost: true/,
      );
    }
    const off = { allowNonLoopbackHost: false };
    await expect(createEmulator().listen({ host: "0.0.0.0", console: off })).rejects.toThrow("loopback `host`");
    for (const host of ["127.0.0.1", "localhost", "::1"]) {
      const server = await createEmulator().listen({ host, console: true });
      expect((await fetch(server.url)).status).toBe(200);
      await server.close();
    }
  });

  it("opens under loopback names only, although other names are allowed for programs", async () => {
    const { port } = await serve({
      host: "0.0.0.0",
      allowedHosts: ["emulator"],
      console: { allowNonLoopbackHost: true },
    });
    const statusAt = async (Host: string, where: string) => (await get(port, where, { Host })).status;
    for (const where of ["/", "/__emulator/events"]) {
      expect(await statusAt(`127.0.0.1:${port}`, where)).toBe(200);
      expect(await statusAt("localhost:4010", where)).toBe(200);
      expect(await statusAt("emulator", where)).toBe(403);
      expect(await statusAt("evil.example", where)).toBe(403);
    }
    expect(await statusAt("emulator", "/__emulator/bookings")).toBe(200);
    // Personal data is not shown where others could read it.
    expect(await statusAt(`127.0.0.1:${port}`, "/__emulator/events/personal")).toBe(404);
    const { value } = await read(`http://127.0.0.1:${port}`).next();
    expect(value).toMatchObject({ canShowPersonalData: false, showsPersonalData: false });
  });

  it.each([
    ["another origin", { Origin: "https://evil.example" }, 403, 403],
    ["another site", { "Sec-Fetch-Site": "cross-site" }, 403, 403],
    ["a sandbox", { Origin: "null" }, 403, 403],
    ["a page of another port", { "Sec-Fetch-Site": "same-site" }, 200, 403],
    ["itself", { "Sec-Fetch-Site": "same-origin" }, 200, 200],
    ["the address bar", { "Sec-Fetch-Site": "none" }, 200, 200],
    ["a program", {}, 200, 200],
  ])("is read by %s or not", async (_, headers: Record<string, string>, page, updates) => {
    const { port } = await serve();
    expect((await get(port, "/", headers)).status).toBe(page);
    expect((await get(port, "/__emulator/events", headers)).status).toBe(updates);
    expect((await get(port, "/__emulator/events/personal", headers)).status).toBe(updates);
  });

  it("sends headers that keep other pages out, and that keep it out of caches", async () => {
    const { port } = await serve();
    for (const where of ["/", "/__emulator/events"]) {
      expect((await get(port, where)).headers).toMatchObject({
        ...{ "x-frame-options": "DENY", "x-content-type-options": "nosniff", "cache-control": "no-store" },
        ...{ "cross-origin-resource-policy": "same-origin", "referrer-policy": "no-referrer" },
      });
    }
    const { headers } = await get(port, "/");
    const policy = `${headers["content-security-policy"]}`;
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it("counts as no request to the emulator, and takes no path from the service", async () => {
    const { emulator, port, url } = await serve();
    await get(port, "/");
    await read(url).next();
    expect(emulator.requests).toEqual([]);
    expect(await send(url, "", {})).toBe(404);
    expect(emulator.requests).toHaveLength(1);
  });
});

describe("the updates of the console", () => {
  it("begin with what there is, and go on with what happens", async () => {
    const { emulator, url } = await serve();
    await send(url, path, asha);
    emulator.on("*", "unavailable", { times: 1 });
    const updates = read(url);
    const { value: first } = await updates.next();
    expect(first).toMatchObject({
      isFresh: true,
      now: "2026-11-20T06:00:00.000Z",
      exchanges: [{ id: 1, operation: "verification.findVpas", status: 200, end: "complete", method: "POST" }],
      state: { active: [{ name: "unavailable", remaining: 1 }], counts: { requests: 1 } },
      showsPersonalData: false,
    });
    await send(url, path, asha);
    expect((await until(updates, ({ exchanges }) => exchanges.some(({ status }) => status === 503))).exchanges).toEqual(
      [expect.objectContaining({ id: 2, rule: "unavailable", duration: expect.any(Number) })],
    );
    emulator.reset();
    expect(await until(updates, ({ isFresh }) => isFresh)).toMatchObject({ exchanges: [], state: { active: [] } });
    await emulator.clock.advance(60_000);
    await until(updates, (update) => update.now === "2026-11-20T06:01:00.000Z");
  });

  it("name what a request met: the header, and rules with and without a name", async () => {
    const { emulator, url } = await serve();
    emulator.on("*", "slow:1");
    await send(url, path, asha, { "x-emulator-response": "html-502" });
    await send(url, path, asha);
    emulator.on("*", "success-single", { times: 1 });
    await send(url, path, asha);
    emulator.on("verification.findVpas", { name: "ASHA" });
    await send(url, path, asha);
    const { value } = await read(url).next();
    expect(value.exchanges.map(({ rule }: Update["exchanges"][0]) => rule)).toEqual([
      ...["html-502", "slow:1", "success-single, slow:1", "rule, slow:1"],
    ]);
  });

  it("say how each response ended", async () => {
    const { url } = await serve();
    const stream = { ...ask("one two three"), stream: true };
    const cut = { "x-emulator-response": "reset-mid-body" };
    expect(await send(url, path, asha, { "x-emulator-response": "reset" })).toBe("dropped");
    expect(await send(url, aiPath, stream, cut)).toBe("dropped");
    expect(await send(url, aiPath, stream)).toBe(200);
    const leaving = new AbortController();
    const init = { method: "POST", signal: leaving.signal, headers: { "x-emulator-response": "no-response" } };
    const left = expect(fetch(`${url}/${aiPath}`, init)).rejects.toThrow();
    await until(read(url), (update) => update.exchanges.length === 4);
    leaving.abort();
    await left;
    // A page that is opened now gets all of them; one that was open gets those that have changed.
    const ends = async () =>
      (await read(url).next()).value.exchanges.map(({ status, end }: Update["exchanges"][0]) => [status, end]);
    await expect.poll(ends).toEqual([
      [undefined, "dropped"],
      [200, "dropped"],
      [200, "complete"],
      [undefined, "left"],
    ]);
  });

  it("say that a reader in this process has left", async () => {
    const { emulator, url } = await serve();
    const body = JSON.stringify({ ...ask("one two three"), stream: true });
    const headers = { ...credentials, "content-type": "application/json" };
    const response = await emulator.fetch(`${url}/${aiPath}`, { method: "POST", headers, body });
    const reader = response.body?.getReader();
    await reader?.read();
    const updates = read(url);
    expect((await updates.next()).value.exchanges[0]).toMatchObject({ status: 200, end: "open" });
    await reader?.cancel();
    await until(updates, ({ exchanges }) => exchanges[0]?.end === "left");
  });

  it("have the events of a stream as they are sent", async () => {
    const { emulator, url } = await serve();
    emulator.on("ai.stream", ["a", "b", "c"], { eventDelay: 1_000 });
    const updates = read(url);
    const done = send(url, aiPath, { ...ask("x"), stream: true });
    const pieces = ({ exchanges }: Update) => exchanges[0]?.response?.body.length ?? 0;
    for (const count of [1, 2, 3]) {
      const update = await until(updates, (each) => pieces(each) === count);
      expect(update.exchanges[0]).toMatchObject({ status: 200, end: "open" });
      await emulator.clock.advance(1_000);
    }
    await emulator.clock.advance(10_000);
    await until(updates, ({ exchanges }) => exchanges[0]?.end === "complete");
    expect(await done).toBe(200);
  });

  it("have no personal data unless it is asked for, and credentials in no case", async () => {
    const { emulator, url } = await serve();
    const secrets = { "client-id": "partner-17", "client-secret": "s3cr3t-value", authorization: "Bearer t0k3n" };
    const response = await emulator.fetch(`${url}/${path}`, {
      method: "POST",
      headers: { ...secrets, "content-type": "application/json" },
      body: JSON.stringify(lookUp("9876540001")),
    });
    const { name } = await response.json();
    await send(url, "nobody/9876540001", "born 1990-01-31", secrets);
    emulator.deliverTo(async () => new Response());
    const { event } = await emulator.payout();
    const masked = JSON.stringify((await read(url).next()).value);
    for (const personal of ["9876540001", "1990", name, `${event.utr}`]) expect(masked).not.toContain(personal);
    expect(masked).not.toMatch(/partner-17|s3cr3t|t0k3n/);
    const shown = JSON.stringify((await read(url, "/__emulator/events/personal").next()).value);
    for (const personal of ["9876540001", "1990", name]) expect(shown).toContain(personal);
    expect(shown).not.toMatch(/partner-17|s3cr3t|t0k3n/);
  });

  it("leave nothing behind when their page is closed, or the server", async () => {
    const timers = countTimers();
    const feed = new Feed();
    const view = { canShowPersonalData: false, showsPersonalData: false };
    const server = await listenTo(async () => writeUpdates(feed, createEmulator(), view), {});
    onTestFinished(() => server.close());
    const sockets = Array.from({ length: 20 }, () => connect(server.port, "127.0.0.1"));
    onTestFinished(() => void sockets[0]?.destroy());
    for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    // A page that is open waits for the next look at what has changed.
    await expect.poll(timers).toBe(20);
    for (const socket of sockets.slice(1)) socket.destroy();
    await expect.poll(timers).toBe(1);
    await server.close();
    await expect.poll(timers).toBe(0);
  });

  it("keep what a page was not sent to one hundred exchanges, however slowly it reads", () => {
    const feed = new Feed();
    for (let count = 0; count < 1_000; count++) {
      const request = { operation: undefined, method: "POST", path: "/x", headers: {}, body: "y", receivedAt: 0 };
      feed.observe(request).isSent({ status: 200, headers: {}, body: "z".repeat(100_000) });
    }
    const { exchanges } = feed;
    expect(exchanges).toHaveLength(100);
    expect(JSON.stringify(exchanges.map((each) => each.show(true))).length).toBeLessThan(1_000_000);
  });

  it("stop with the server: nobody watches any more", async () => {
    const { emulator, close } = await serve();
    await close();
    await emulator.fetch("http://x/nothing");
    const again = await emulator.listen({ console: true });
    onTestFinished(() => again.close());
    expect((await read(again.url).next()).value.exchanges).toEqual([]);
  });
});
