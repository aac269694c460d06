import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type ListenOptions } from "../../../src/emulator/emulator.ts";
import { hasChromium, startChromium } from "../../support/chromium.ts";
import { startServer } from "../../support/server.ts";
import { credentials, listen, lookUp } from "../helpers.ts";

async function serve(options: ListenOptions = {}) {
  const emulator = createEmulator();
  return { emulator, port: (await listen(emulator, options)).port };
}

/** A request byte by byte: `fetch` would not let a test set `Host` and `Origin`. */
async function ask(
  port: number,
  line: string,
  headers: Readonly<Record<string, string | undefined>>,
  { body = "", address = "127.0.0.1" } = {},
): Promise<number> {
  const socket = connect(port, address);
  const given = { Connection: "close", "Content-Length": `${body.length}`, ...headers };
  const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  socket.end(`${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

const json = { "Content-Type": "application/json" };
const here = (port: number) => ({ Host: `127.0.0.1:${port}` });

describe("the emulator's own routes over HTTP", () => {
  it.each([
    ["text, as a page may send it without asking", { "Content-Type": "text/plain" }, 403],
    ["a form", { "Content-Type": "application/x-www-form-urlencoded" }, 403],
    ["JSON in name only", { "Content-Type": "text/plain; application/json" }, 403],
    ["no content type", { "Content-Type": undefined }, 403],
    ["another origin", { Origin: "https://evil.example" }, 403],
    ["an origin that only begins like loopback", { Origin: "http://127.0.0.1.evil.example" }, 403],
    ["an origin that only ends like loopback", { Origin: "http://evillocalhost" }, 403],
    ["the opaque origin of a sandbox", { Origin: "null" }, 403],
    ["another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a rebound name", { Host: "evil.example" }, 403],
    ["a rebound name with the right port", { Host: "evil.example:4010" }, 403],
    ["an address of somebody else", { Host: "192.0.2.1" }, 403],
    ["a program", {}, 200],
    ["a charset", { "Content-Type": "application/json; charset=utf-8" }, 200],
    ["a page on loopback", { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" }, 200],
    ["IPv6 loopback", { Host: "[::1]:4010", Origin: "http://[::1]:3000" }, 200],
    ["localhost", { Host: "LOCALHOST:4010" }, 200],
  ])("POST from %s", async (_, headers: Record<string, string | undefined>, status) => {
    const { emulator, port } = await serve();
    emulator.on("*", "html-502");
    const sent = { ...here(port), ...json, ...headers };
    expect(await ask(port, "POST /__emulator/reset", sent)).toBe(status);
    expect(await ask(port, "POST //x/__emulator/rules", sent, { body: '{"response":"reset"}' })).toBe(status);
  });

  it.each([
    ["a program", {}, 200],
    ["the address bar", { "Sec-Fetch-Site": "none" }, 200],
    ["an image on another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a rebound name", { Host: "evil.example" }, 403],
    ["another origin", { Origin: "https://evil.example" }, 403],
  ])("GET from %s", async (_, headers: Record<string, string>, status) => {
    const { port } = await serve();
    for (const route of ["bookings", "requests", "deliveries"]) {
      expect(await ask(port, `GET /__emulator/${route}`, { ...here(port), ...headers })).toBe(status);
    }
  });

  it("grant no preflight", async () => {
    const { port } = await serve();
    const response = await fetch(`http://127.0.0.1:${port}/__emulator/reset`, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:3000", "access-control-request-method": "POST" },
    });
    expect([response.ok, response.headers.get("access-control-allow-origin")]).toEqual([false, null]);
  });

  it("may be called by the allowed names, and by the IP address itself, behind a wildcard", async () => {
    const { port } = await serve({ host: "0.0.0.0", allowedHosts: ["emulator"] });
    const get = (Host: string, address?: string) => ask(port, "GET /__emulator/bookings", { Host }, { address });
    expect(await get("emulator:4010")).toBe(200);
    expect(await get("emulator.evil.example")).toBe(403);
    const other = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    if (other !== undefined) expect([await get(other, other), await get("192.0.2.1", other)]).toEqual([200, 403]);
  });

  it("refuse a target that is not a URL with 400", async () => {
    const { port } = await serve();
    for (const target of ["//[", "//[/__emulator/reset"]) {
      expect(await ask(port, `POST ${target}`, { ...here(port), ...json })).toBe(400);
    }
  });

  it.each([
    [{ port: -1 }],
    [{ port: "4010" }],
    [{ host: "" }],
    [{ hots: "0.0.0.0" }],
    [{ allowedHosts: "emulator" }],
    [{ allowedHosts: [undefined] }],
  ])("are not opened with %j", async (options) => {
    await expect(createEmulator().listen(options as never)).rejects.toThrow(/^emulator\.listen: /);
  });
});

describe("the routes of the service over HTTP", () => {
  const path = "/verification/upimobile_multiple";
  const body = JSON.stringify(lookUp("6000000002"));
  const sent = { ...json, ...credentials };

  it.each([
    ["another origin", { Origin: "https://evil.example" }],
    ["the opaque origin of a sandbox", { Origin: "null" }],
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a rebound name", { Host: "evil.example" }],
    ["text of another origin", { Origin: "https://evil.example", "Content-Type": "text/plain" }],
  ])("are closed to %s, which uses up no scenario and no memory", async (_, headers: Record<string, string>) => {
    const { emulator, port } = await serve();
    emulator.on("*", "unavailable", { times: 1 });
    expect(await ask(port, `POST ${path}`, { ...here(port), ...sent, ...headers }, { body })).toBe(403);
    expect(await ask(port, "GET /nowhere", { ...here(port), ...headers })).toBe(403);
    expect(emulator.requests).toEqual([]);
    expect(await ask(port, `POST ${path}`, { ...here(port), ...sent }, { body })).toBe(503);
  });

  it("are open to a program, to a page on loopback, and under the allowed names", async () => {
    const { port } = await serve({ allowedHosts: ["api.example.com"] });
    for (const headers of [{}, { Origin: "http://localhost:3000" }, { Host: "api.example.com:4010" }]) {
      expect(await ask(port, `POST ${path}`, { ...here(port), ...sent, ...headers }, { body })).toBe(200);
    }
  });
});

describe.skipIf(!hasChromium)("a page of another origin, in a real browser", () => {
  it("can neither steer the emulator nor read from it", async () => {
    const page = await startServer((response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<title>x</title>"),
    );
    const { emulator, port } = await serve();
    await emulator.fetch("http://x/flight/book", { method: "POST", body: "{}" });
    const chrome = await startChromium("--host-resolver-rules=MAP evil.example 127.0.0.1");
    onTestFinished(() => chrome.close());
    const tab = await chrome.newPage();
    await tab.goto(`http://evil.example:${page.port}/`);
    const outcomes = await tab.evaluate(async (control) => {
      const read = (response: Response) => `${response.type} ${response.status}`;
      const send = (init: RequestInit, route = "reset") =>
        fetch(`${control}/${route}`, { method: "POST", body: "{}", ...init }).then(read, () => "refused");
      return [
        await send({ mode: "no-cors", headers: { "content-type": "text/plain" } }),
        await send({ headers: { "content-type": "application/json" } }),
        await send({ mode: "no-cors", method: "GET", body: null }, "bookings"),
      ];
    }, `http://127.0.0.1:${port}/__emulator`);
    expect(outcomes).toEqual(["opaque 0", "refused", "opaque 0"]);
    expect(emulator.requests).toHaveLength(1);
    // DNS rebinding: the page's own name leads to the emulator.
    await tab.goto(`http://evil.example:${port}/__emulator/requests`);
    expect(await tab.textContent("body")).toContain("does not listen on the Host of this request");
  });
});
