import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { assumptions } from "../../../src/cli/doctor/live/assumptions.ts";
import { dialects } from "./dialects.ts";
import { doctor, eventsOf, type JsonReport, replaced, report, seenAs, serve, states } from "./support.ts";

const mobile = "9876540002";

/** Runs every call against a service. */
async function runAll(service: Awaited<ReturnType<typeof serve>>, flags: readonly string[] = []) {
  const { env, trace_id, token } = service;
  const calls = ["--refusal", "--verify", mobile, "--consent", "Y", "--ask", "--quote", trace_id, token, "--rules"];
  return report(["--live", ...calls, ...flags], env);
}

function evidenceOf(json: JsonReport, id: string): readonly string[] {
  return (json.assumptions ?? []).filter((each) => each.id === id).flatMap(({ evidence }) => evidence);
}

describe("serviceapi doctor --live", () => {
  it("finds every assumption kept by the emulator, each call made once, and none of them a booking", async () => {
    const service = await serve();
    const { code, json, stderr } = await runAll(service);
    expect(seenAs(json, "broken")).toEqual([]);
    expect(seenAs(json, "notSeen")).toEqual(["D6.retryAfter", "V5.pending"]);
    expect([code, json.ok]).toEqual([0, true]);
    expect(json.calls?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      ...["refusal refused", "verify accepted", "ask accepted", "stream accepted", "quote accepted", "rules accepted"],
    ]);
    const sent = service.server.requests.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(sent).toEqual([
      ...["/verification/upimobile_multiple", "/verification/upimobile_multiple"],
      ...["/api/serviceapi-prod/api/ai/create-response", "/api/serviceapi-prod/api/ai/create-response"],
      ...["/flight/fare_quote", "/flight/fare_rule"],
    ]);
    // The list of the calls precedes them, and masks the number.
    expect(stderr).toMatch(/each once[\s\S]*verifies 98••••••02; costs one verification[\s\S]*books nothing/);
    expect(states(json)).toMatchObject({ credentials: "ok", "IP address": "ok" });
  });

  it.each(Object.entries(dialects))("names exactly what is broken: %s", async (_, { dialect, flags, breaks }) => {
    const service = await serve(dialect);
    const { code, json, stdout, stderr } = await runAll(service, flags);
    expect(seenAs(json, "broken")).toEqual([...breaks].sort());
    expect([code, json.ok]).toEqual([1, false]);
    for (const secret of [mobile, "secret-of-mine", "client-of-mine", service.token, "@", "ASHA"]) {
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it("breaks each assumption in one of these services", () => {
    const broken = new Set(Object.values(dialects).flatMap(({ breaks }) => breaks));
    expect(Object.keys(assumptions).filter((key) => !broken.has(key))).toEqual([]);
  });

  it("shows types, names and shapes as evidence", async () => {
    const style = await runAll(await serve(dialects["one style for all, with other fields"]?.dialect));
    expect(evidenceOf(style.json, "A4").join()).toMatch(/findVpas: there; .*description: is missing/);
    expect(evidenceOf(style.json, "A8")).toEqual(["verification.findVpas: header x-acme-request-id"]);
    const other = dialects["the second path, another stream and other times"];
    const { json } = await runAll(await serve(other?.dialect), other?.flags);
    expect(evidenceOf(json, "I1")).toEqual(["ai.stream: application/x-ndjson, one JSON object on each line"]);
    expect(evidenceOf(json, "I2")).toEqual(["ai.stream: begins at 4"]);
    expect(evidenceOf(json, "I6").join()).toContain('"ctx_" and letters or digits');
    expect(evidenceOf(json, "F4")).toEqual(['flights.fareQuote: "9999999999"']);
    const unknown = await report(["--live", "--ask", "--path-prefix", "ai=other"], (await serve()).env);
    expect(evidenceOf(unknown.json, "T1")).toEqual(["HTTP 404, and no response of the service (2 operations)"]);
  });

  it.each([
    ["wrong-secret", "a-client", "credentials", "IP address"],
    ["a-secret", "blocked-ip", "IP address", "credentials"],
  ])("finds out that the service refuses %s of %s", async (secret, client, name, other) => {
    const { url } = await serve();
    const env = { SERVICEAPI_BASE_URL: url, SERVICEAPI_CLIENT_ID: client, SERVICEAPI_CLIENT_SECRET: secret };
    const { code, json } = await report(["--live", "--refusal"], env);
    expect([code, states(json)[name]]).toEqual([1, "failed"]);
    // The call was made: to make it again at once would not help.
    expect(json.checks.find((check) => check.name === other)).toMatchObject({
      ...{ state: "notChecked", detail: `the service refused the ${name}` },
      advice: "Correct that first, and make the call again.",
    });
    expect(seenAs(json, "broken")).toEqual([]);
  });

  it("does not say that a call without a usable response shows what is accepted", async () => {
    const { env } = await serve({ refusal: replaced(502, "<h1>Bad Gateway</h1>") });
    const { code, json } = await report(["--live", "--refusal"], env);
    expect(code).toBe(1);
    for (const name of ["credentials", "IP address"]) {
      expect(json.checks.find((check) => check.name === name)).toMatchObject({
        ...{ state: "notChecked", detail: "no call had a response that shows it" },
      });
    }
  });

  it.each([
    [
      "the service, which looks it up",
      { status: "failed", statusCode: "404", message: "No UPI ID found linked to the mobile number" },
      "A5.rules",
    ],
    [
      "another server, which does not know the path",
      { statusCode: 404, message: "Cannot POST /verification/upimobile_multiple", error: "Not Found" },
      "T1.path",
    ],
  ])("does not take a 404 for a malformed number for accepted credentials: %s", async (_, body, id) => {
    const { env } = await serve({ refusal: replaced(404, body) });
    const { code, json } = await report(["--live", "--refusal"], env);
    expect([code, states(json)]).toMatchObject([1, { credentials: "notChecked", "IP address": "notChecked" }]);
    expect(seenAs(json, "broken")).toEqual([id]);
  });

  it("leaves a stream that never ends, and goes on", async () => {
    const { env, trace_id, token } = await serve({
      stream(reply, response) {
        const [initiated, output] = eventsOf(reply);
        const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.writeHead(200, reply.headers);
        send(initiated);
        const timer = setInterval(() => send(output), 50);
        response.on("close", () => clearInterval(timer));
        return undefined;
      },
    });
    const flags = ["--live", "--ask", "--stream-timeout", "1000", "--quote", trace_id, token];
    const { code, json } = await report(flags, env);
    expect([code, json.calls?.map(({ state, kind }) => kind ?? state)]).toEqual([
      1,
      ["accepted", "stream_stalled", "accepted"],
    ]);
    // It had no pause.
    expect(seenAs(json, "kept")).toContain("D3.pauses");
  });

  it("takes the page of a gateway with HTTP 403 for an IP address that is not registered", async () => {
    const { env } = await serve({ refusal: replaced(403, "<h1>Forbidden</h1>") });
    const { code, json } = await report(["--live", "--refusal"], env);
    expect([code, states(json)]).toMatchObject([1, { credentials: "notChecked", "IP address": "failed" }]);
    expect(json.calls).toMatchObject([{ state: "failed", kind: "unexpected_response" }]);
  });

  it("tells a stream that breaks off from one that the service calls failed, and names the compression", async () => {
    const { env } = await serve({
      ask({ text, headers }, response) {
        response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(gzipSync(text));
        return undefined;
      },
      stream: (reply) => ({ ...reply, text: reply.text.slice(0, reply.text.indexOf("\n\n") + 2) }),
    });
    const { json } = await report(["--live", "--ask"], env);
    expect(json.calls).toMatchObject([{ state: "accepted" }, { state: "failed", kind: "stream_truncated" }]);
    expect(evidenceOf(json, "D4").join()).toMatch(/ai\.createResponse: 1 KiB, gzip/);
    const failing = await report(["--live", "--ask", "/fail Hello"], (await serve()).env);
    expect(failing.json.calls).toMatchObject([{ state: "refused" }, { state: "refused", kind: "stream_failed" }]);
    // Nothing was generated, which is not healthy.
    expect([failing.code, seenAs(failing.json, "broken")]).toEqual([1, []]);
  });

  it("makes no call if a check fails", async () => {
    const { url, server } = await serve();
    const env = { SERVICEAPI_BASE_URL: url, SERVICEAPI_CLIENT_ID: "a", SERVICEAPI_CLIENT_SECRET: " b" };
    const { code, json, stderr } = await report(["--live", "--refusal"], env);
    expect([code, json.calls, states(json).credentials]).toEqual([1, undefined, "notChecked"]);
    expect(stderr).toContain("No call is made, because a check failed");
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("prints a table for an issue, which names neither host nor settings", async () => {
    const { env } = await serve();
    const { code, stdout } = await doctor(["--live", "--refusal"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}no\. {2,}seen {2,}we assume {2,}what was seen$/m);
    expect(stdout).toMatch(
      /^ {2}A5 +✔ kept +the service refuses a request .*\n +that breaks a rule of the .*\n +document .*$/m,
    );
    expect(stdout).toMatch(/^– not seen: T7, T8, /m);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain("127.0.0.1");
  });

  it.each([
    [["--live"], /Allow at least one/],
    [["--ask"], /--ask has no effect without --live/],
    [["--live", "--verify", mobile], /--verify needs --consent Y/],
    [["--live", "--verify", mobile, "--consent", "N"], /--verify needs --consent Y/],
    [["--live", "--refusal", "--verify", "12345", "--consent", "Y"], /--verify must be an Indian mobile number/],
    [["--live", "--ask", " "], /--ask: the text must not be empty/],
    [["--live", "--refusal", "--consent", "Y"], /--consent has no effect without --verify/],
    [["--live", "--rules"], /--rules has no effect without --quote/],
    [["--live", "--quote", "only-a-trace"], /--quote needs two values/],
    [["--live", "--ask", "--stream-timeout", "soon"], /milliseconds/],
    [["--live", "--refusal", "--stream-timeout", "1000"], /--stream-timeout has no effect without --ask/],
    [["--stream-timeout", "1000"], /--stream-timeout has no effect without --live/],
  ])("refuses %j with exit code 2, and sends nothing", async (args, message) => {
    const { env, server } = await serve();
    const { code, stdout, stderr } = await doctor(args, env);
    expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(server.requests).toEqual([]);
    expect(stdout + stderr).not.toContain(mobile);
  });
});
