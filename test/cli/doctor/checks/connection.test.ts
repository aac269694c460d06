import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { deadAddress, startServer } from "../../../support/server.ts";
import { check, credentials, report, service, states } from "../support.ts";

describe("the way to the service", () => {
  it("is closed at a port that refuses, and at a name that does not resolve", async () => {
    const refused = await report([], { ...credentials, SERVICEAPI_BASE_URL: deadAddress });
    expect([refused.code, check(refused.json, "connection (TCP)").detail]).toEqual([
      1,
      expect.stringContaining("ECONNREFUSED"),
    ]);
    expect(check(refused.json, "clock").detail).toBe("connection (TCP) failed");
    const unknown = await report([], { ...credentials, SERVICEAPI_BASE_URL: "https://no-such-host.invalid" });
    expect([unknown.code, check(unknown.json, "name (DNS)").state]).toEqual([1, "failed"]);
    expect(check(unknown.json, "connection (TCP)").detail).toBe("name (DNS) failed");
  });

  it("is closed if nothing responds in time", async () => {
    const server = await startServer(() => {});
    const { code, json } = await report(["--timeout", "300"], { ...credentials, SERVICEAPI_BASE_URL: server.url });
    expect([code, check(json, "response (HTTP)").detail]).toEqual([1, "none came (no response in time)"]);
  });

  it.each([
    [200, "ok", 0],
    [403, "ok", 0],
    [301, "warning", 0],
    [502, "warning", 0],
    [407, "failed", 1],
  ])("takes HTTP %i as %s", async (status, state, expected) => {
    const { code, json } = await report([], (await service(status)).env);
    expect([states(json)["response (HTTP)"], code]).toEqual([state, expected]);
  });

  it.each([
    [30, "ok", 0],
    [-120, "warning", 0],
    [120, "warning", 0],
    [3_600, "failed", 1],
    [-3_600, "failed", 1],
  ])("compares the clock with the Date of the response: %i s are %s", async (seconds, state, expected) => {
    const date = new Date(Date.now() - seconds * 1_000).toUTCString();
    const { code, json } = await report([], (await service(404, { date })).env);
    expect([check(json, "clock").state, code]).toEqual([state, expected]);
    if (state !== "ok") expect(check(json, "clock").detail).toContain(seconds > 0 ? "ahead of" : "behind");
  });

  it("does not take a cached Date for that of the service", async () => {
    const headers = { date: new Date(Date.now() - 3_600_000).toUTCString(), age: "3600" };
    expect(states((await report([], (await service(404, headers)).env)).json).clock).toBe("ok");
  });

  it("cannot check the clock by a response without a Date", async () => {
    const server = await startServer((response) => {
      response.sendDate = false;
      response.end();
    });
    const { code, json } = await report([], { ...credentials, SERVICEAPI_BASE_URL: server.url });
    expect([check(json, "clock").state, code]).toEqual(["notChecked", 0]);
  });

  it("goes through the proxy of the environment, which the fetch of Node ignores", async () => {
    const proxy = await service();
    const env = { ...credentials, SERVICEAPI_BASE_URL: "http://127.0.0.1:9", HTTP_PROXY: proxy.url };
    const proxied = await report([], env);
    expect([proxied.code, states(proxied.json)]).toMatchObject([
      0,
      { proxy: "warning", "connection (TCP)": "notChecked", "response (HTTP)": "ok" },
    ]);
    expect(check(proxied.json, "proxy").advice).toContain("nodeFetch()");
    expect(proxy.requests.map(({ path }) => path)).toEqual(["http://127.0.0.1:9/"]);
    const used = await report([], { ...env, NODE_USE_ENV_PROXY: "1" });
    expect(check(used.json, "proxy").state).toBe("ok");
    const { env: direct } = await service();
    const excepted = await report([], { ...direct, HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
    expect(check(excepted.json, "proxy").detail).toBe("HTTP_PROXY is not for this host (NO_PROXY)");
    const wrong = await report([], { ...direct, HTTP_PROXY: "ftp://user:pass@proxy" });
    expect([wrong.code, check(wrong.json, "proxy").state, wrong.stdout.includes("pass@")]).toEqual([
      1,
      "failed",
      false,
    ]);
  });

  it.skipIf(process.platform === "win32")("is interrupted by Ctrl-C with exit code 130", async () => {
    const server = await startServer(() => {});
    const args = ["dist/cli/main.js", "doctor", "--base-url", server.url];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...credentials }, stdio: "ignore" });
    await server.received(1);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
  });
});
