import { describe, expect, it, vi } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { aiPath, ask, caught, credentials, lookUp, post } from "../helpers.ts";

const path = "verification/upimobile_multiple";
const meet = (name: string, init: RequestInit = {}, emulator = createEmulator()) =>
  post(emulator, path, lookUp("6000000001"), { "X-Emulator-Response": name }, init);

/** Aborts the call once it has been received. */
async function abortWhenReceived(name: string): Promise<unknown> {
  const emulator = createEmulator();
  const stop = new AbortController();
  const answer = caught(meet(name, { signal: stop.signal }, emulator));
  await expect.poll(() => emulator.requests).toHaveLength(1);
  stop.abort();
  return answer;
}

describe("faults that any operation can meet", () => {
  it.each([
    ["authentication", 401],
    ["permission", 403],
    ["rate_limited", 429],
    ["unavailable", 503],
  ])("responds to %s with HTTP %i in the style of the operation (§1)", async (name, status) => {
    const emulator = createEmulator();
    const headers = { "X-Emulator-Response": name };
    const verification = await post(emulator, path, {}, headers);
    const flight = await post(emulator, "flight/book", {}, headers);
    const ai = await post(emulator, aiPath, {}, headers);
    expect([verification.status, flight.status, ai.status]).toEqual([status, status, status]);
    expect(await verification.json()).toEqual({
      status: "failed",
      statusCode: `${status}`,
      message: expect.any(String),
      clientData: { client_id: "demo-client" },
    });
    expect(await flight.json()).toMatchObject({ status: "FAILED", status_code: `${status}` });
    expect(await ai.json()).toMatchObject({ status: "FAILED", status_code: `${status}` });
  });

  it("names the seconds to wait", async () => {
    expect((await meet("rate_limited")).headers.get("retry-after")).toBe("2");
    expect((await meet("unavailable")).headers.has("retry-after")).toBe(false);
  });

  it.each([
    ["html-502", 502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>"],
    ["empty-504", 504, "text/html", ""],
    ["empty-200", 200, "application/json", ""],
    ["not-json", 200, "text/plain", "OK"],
    ["redirect", 307, null, ""],
  ])("responds to %s as a gateway would", async (name, status, type, text) => {
    const response = await meet(name);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      status,
      type,
      text,
    ]);
  });

  it("redirects to another host", async () => {
    expect((await meet("redirect")).headers.get("location")).toBe("https://elsewhere.example/moved");
  });

  it("responds with a body of the requested size", async () => {
    expect((await (await meet("large:1000")).text()).length).toBeGreaterThan(1_000);
  });

  it("puts a success under HTTP 500", async () => {
    const response = await meet("http-500");
    expect([response.status, await response.json()]).toMatchObject([500, { status: "success" }]);
  });

  it.each(["reset", "reset-after"])("drops the connection: %s", async (name) => {
    expect(await caught(meet(name))).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
  });

  it.each(["no-response", "no-response-after"])("sends no response until the caller gives up: %s", async (name) => {
    expect(await abortWhenReceived(name)).toMatchObject({ name: "AbortError" });
  });

  it("cuts a body in the middle of the JSON", async () => {
    const whole = await (await meet("bytes:9")).text();
    const half = await (await meet("cut-json")).text();
    expect(whole.startsWith(half)).toBe(true);
    expect(half).toHaveLength(Math.floor(whole.length / 2));
  });

  it("drops the connection in the middle of a body", async () => {
    const response = await meet("reset-mid-body");
    expect(response.status).toBe(200);
    expect(await caught(response.text())).toMatchObject({ message: "terminated", cause: { code: "ECONNRESET" } });
  });

  it("drops the connection in the middle of a stream", async () => {
    const headers = { "X-Emulator-Response": "reset-mid-body" };
    const response = await post(createEmulator({ pace: 0 }), aiPath, ask("a b c", { stream: true }), headers);
    let text = "";
    const read = async () => {
      for await (const piece of response.body ?? []) text += new TextDecoder().decode(piece);
    };
    expect(await caught(read())).toMatchObject({ message: "terminated" });
    expect(text.match(/data: /g)).toHaveLength(3);
    expect(text).not.toContain("response_completed");
  });

  it("stalls in the middle of a body until the caller gives up", async () => {
    const stop = new AbortController();
    const response = await meet("stall-mid-body", { signal: stop.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const next = caught(reader?.read() ?? Promise.resolve());
    stop.abort(new Error("enough"));
    expect(await next).toMatchObject({ message: "enough" });
  });

  it("writes a number of bytes at a time, dripping on request", async () => {
    const sizes = async (name: string) => {
      const found: number[] = [];
      for await (const piece of (await meet(name)).body ?? []) found.push(piece.length);
      return found;
    };
    expect(Math.max(...(await sizes("bytes:50")))).toBe(50);
    expect(Math.max(...(await sizes("drip:100")))).toBe(100);
    expect(new Set(await sizes("bytes"))).toEqual(new Set([1]));
    expect(new Set(await sizes("bytes:0"))).toEqual(new Set([1]));
  });

  it("delays the response by this number of milliseconds", async () => {
    vi.useFakeTimers();
    const settled = vi.fn();
    const answer = meet("slow:500").then(settled);
    await vi.advanceTimersByTimeAsync(499);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await answer;
    expect(settled).toHaveBeenCalledOnce();
  });

  it("is slow only while somebody waits", async () => {
    expect(await abortWhenReceived("slow:60000")).toMatchObject({ name: "AbortError" });
  });
});

describe("the headers of §5", () => {
  const status = async (headers: Record<string, string>) =>
    (await post(createEmulator(), path, lookUp("6000000001"), headers)).status;

  it("fails to authenticate without a credential, and for the secret wrong-secret", async () => {
    expect(await status({ "client-secret": "wrong-secret" })).toBe(401);
    expect(await status({ "client-secret": "" })).toBe(401);
    expect(await status({ "client-id": "" })).toBe(401);
  });

  it("refuses the client id blocked-ip", async () => {
    expect(await status({ "client-id": "blocked-ip" })).toBe(403);
  });

  it("wants POST and application/json", async () => {
    expect(await status({ "content-type": "text/plain" })).toBe(415);
    expect(await status({ "content-type": "application/json; charset=utf-8" })).toBe(200);
    const response = await post(createEmulator(), path, "", {}, { method: "PUT" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    const got = await createEmulator().fetch(`https://emulator.example/${path}`, { headers: credentials });
    expect(got.status).toBe(405);
  });

  it("refuses a body that is not JSON, or not an object", async () => {
    const answers = ["{", '"text"', "null", "[]"].map((text) => post(createEmulator(), "flight/fare_quote", text));
    expect((await Promise.all(answers)).map((response) => response.status)).toEqual([400, 400, 422, 422]);
  });
});
