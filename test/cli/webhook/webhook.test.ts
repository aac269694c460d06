import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Command, CommanderError } from "commander";
import { describe, expect, it, vi } from "vitest";
import { findProblems } from "../../../src/cli/webhook/acknowledgement.ts";
import { registerWebhookCommands } from "../../../src/cli/webhook/webhook.ts";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { basic, hmac, standardWebhooks, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { listen } from "../../support/server.ts";
import { receiver } from "../../webhooks/support.ts";

const secret = "hunter2-hunter2";

/** Starts a receiver and returns the URL of its hook. */
async function startReceiver(listener: RequestListener): Promise<string> {
  return `${(await listen(listener)).url}/hook`;
}

interface Outcome {
  readonly output: string;
  readonly code: number;
}

/** The command in this process, with what it prints. */
async function cli(options: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const printed: unknown[] = [];
  const print = (chunk: unknown) => printed.push(chunk) > 0;
  vi.spyOn(process.stdout, "write").mockImplementation(print);
  vi.spyOn(process.stderr, "write").mockImplementation(print);
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.stubEnv("NO_COLOR", "1");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const program = new Command("serviceapi").exitOverride().configureOutput({ writeOut: print, writeErr: print });
  registerWebhookCommands(program);
  for (const command of program.commands.flatMap((group) => [group, ...group.commands])) {
    command.exitOverride().configureOutput({ writeOut: print, writeErr: print });
  }
  try {
    await program.parseAsync(["webhook", ...options], { from: "user" });
    return { output: printed.join("\n"), code: Number(process.exitCode ?? 0) };
  } catch (error) {
    // As createProgram() ends the process.
    if (error instanceof CommanderError) return { output: printed.join("\n"), code: error.exitCode === 0 ? 0 : 2 };
    throw error;
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
}

/** Runs the command in a separate process, with a secret on its standard input. */
async function spawned(options: string[], stdin: string): Promise<Outcome> {
  const child = spawn(process.execPath, ["dist/cli/main.js", "webhook", ...options], {
    // Windows needs more than PATH. Settings of this machine are left out.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:SERVICEAPI|NODE)_/i.test(name))),
  });
  child.stdin.end(stdin);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { output: output + errors, code };
}

describe("serviceapi webhook fire", () => {
  const receiving = (auth: WebhookCheck) => receiver({}, { auth: [auth], expectedPayout: () => 100 });

  it("sends a signed notification, and prints request, response, time and verdict", async () => {
    const { handler, ran } = receiving(hmac({ header: "x-signature", secrets: [secret] }));
    const to = await startReceiver(nodeHandler(handler));
    const options = ["fire", "--to", to, "--status", "SUCCESS", "--amount", "100", "--reference", "po-1"];
    const { output, code } = await cli(options, { SERVICEAPI_WEBHOOK_SECRET: secret });
    expect([code, ran]).toEqual([0, ["SUCCESS po-1"]]);
    expect(output).toMatch(
      /^Request\n {2}headers {2}content-type, x-signature\n {2}body {5}\{\n {13}"status": "SUCCESS",$/m,
    );
    expect(output).toMatch(/^ {13}"txn_amount": 100,$/m);
    expect(output).toMatch(/^Response\n {2}status {6}200\n {2}body {8}\{\n {16}"http_status": true,$/m);
    expect(output).toMatch(/^ {2}time taken {2}\d+ ms\n\n✔ the acknowledgement is valid\n$/m);
    expect(output.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(output).not.toContain(secret);
    expect((await cli(options, { SERVICEAPI_WEBHOOK_SECRET: secret })).output).toMatch(/DUPLICATE/);
  });

  it.each([
    ["standard-webhooks", standardWebhooks({ secrets: [`whsec_${btoa(secret)}`] }), `whsec_${btoa(secret)}`],
    ["basic", basic({ credentials: [{ username: "payouts", password: "a:b" }] }), "payouts:a:b"],
  ])("signs by %s, with the secret from standard input", async (scheme, check, given) => {
    const to = await startReceiver(nodeHandler(receiving(check).handler));
    const { output, code } = await spawned(
      ["fire", "--to", to, "--status", "FAILED", "--amount", "100", "--auth", scheme, "--secret-stdin"],
      `${given}\n`,
    );
    expect([code, output]).toEqual([0, expect.stringMatching(/valid/)]);
  });

  it("reports the problems of an acknowledgement, and exits with code 1", async () => {
    const to = await startReceiver((_, response) => void response.setHeader("X-Powered-By", "PHP/5").end("OK"));
    const { output, code } = await cli(["fire", "--to", to, "--auth", "none"]);
    expect(code).toBe(1);
    expect(output).toMatch(/^ {2}body {8}OK$/m);
    expect(output).toMatch(/^✖ .*not a JSON object/m);
    expect(output).not.toContain("hooks");
    expect(output).toMatch(/x-powered-by/);
  });

  it("ends a refusal with the hooks that are called with the reason", async () => {
    const { handler } = receiving(hmac({ header: "x-signature", secrets: ["another secret"] }));
    const to = await startReceiver(nodeHandler(handler));
    const { output, code } = await cli(["fire", "--to", to], { SERVICEAPI_WEBHOOK_SECRET: secret });
    expect(code).toBe(1);
    expect(output).toMatch(
      /\n✖ `status` is FAILED: .*\nThe receiver calls its hooks with the reason: onRefused, onError, onLateError\.\n$/,
    );
  });

  it("describes each option and secret, whether it is required, and its default", async () => {
    const { output, code } = await cli(["fire", "--help"]);
    expect(code).toBe(0);
    for (const text of ["(required)", "8500 for SUCCESS", "user:password", "whsec_", "SERVICEAPI_WEBHOOK_SECRET"]) {
      expect(output).toContain(text);
    }
  });

  it("reports that no response came", async () => {
    const { output, code } = await cli(["fire", "--to", "http://127.0.0.1:1/", "--auth", "none"]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^✖ No response came: .*(ECONNREFUSED|bad port)/m)]);
    expect(output).toMatch(/^Response\n {2}status {6}none\n {2}body {8}none\n/m);
  });

  it.each([
    [["--to", "ftp://x"], /http or https/],
    [["--to", "http://x", "--amount", "much"], /must be a number/],
    [["--to", "http://x"], /SERVICEAPI_WEBHOOK_SECRET/],
    [["--to", "http://x", "--auth", "none", "--status", "NO_SUCH"], /NO_SUCH/],
    [["--to", "http://x", "--auth", "basic"], /user:password, but the colon is missing/, "hunter2"],
    [["--to", "http://x", "--auth", "basic"], /user name or password is missing/, "payouts:"],
  ])("refuses %j", async (options, message, given = "") => {
    const { output, code } = await cli(["fire", ...options], { SERVICEAPI_WEBHOOK_SECRET: given });
    expect(output).not.toContain("hunter2");
    expect([code, output]).toEqual([2, expect.stringMatching(message)]);
    expect(output).not.toMatch(/\n\s+at /);
  });
});

describe("the problems of an acknowledgement (§6.3)", () => {
  const right = { http_status: true, status: "SUCCESS", client_referenceId: "a", statusCode: "200", acknowledged: "1" };
  const verdict = (changes: object, answer: object = {}) =>
    findProblems({ duration: 5, status: 200, text: JSON.stringify({ ...right, ...changes }), ...answer }, "a");

  it("finds nothing wrong with the documented body", () => {
    expect(verdict({})).toEqual([]);
    expect(verdict({ status: "DUPLICATE", statusCode: "208" })).toEqual([]);
  });

  it.each([
    [{ http_status: "true" }, {}, /http_status/],
    [{ status: "OK" }, {}, /SUCCESS, FAILED or DUPLICATE/],
    [{ statusCode: 200 }, {}, /the string "200" for SUCCESS/],
    [{ statusCode: "208" }, {}, /the string "200" for SUCCESS/],
    [{ client_referenceId: "b" }, {}, /echo/],
    [{ acknowledged: 1 }, {}, /"1"/],
    [{ status: "FAILED", statusCode: "400" }, {}, /FAILED/],
    [{}, { status: 201 }, /must always be 200/],
    [{}, { duration: 7_001 }, /7 s/],
    [{}, { text: "[]" }, /not a JSON object/],
    [{}, { headers: new Headers({ "x-powered-by": "PHP" }) }, /x-powered-by/],
    [{}, { failure: "ECONNRESET" }, /No response came: ECONNRESET/],
  ])("%j %j", (changes, answer, message) => {
    expect(verdict(changes, answer)).toEqual([expect.stringMatching(message)]);
  });
});

describe("serviceapi webhook fire, as the receiver is configured", () => {
  const seen: Record<string, string>[] = [];
  const ask = async (check: WebhookCheck, options: string[], given = secret, auth = "hmac") => {
    const { handler, ran } = receiver({}, { auth: [check], expectedPayout: "none" });
    seen.length = 0;
    const listener = nodeHandler(handler);
    const to = await startReceiver((request, response) => {
      seen.push(Object.fromEntries(Object.entries(request.headersDistinct).map(([name, all]) => [name, `${all}`])));
      void listener(request, response);
    });
    const { output, code } = await cli(["fire", "--to", to, "--auth", auth, ...options], {
      SERVICEAPI_WEBHOOK_SECRET: given,
    });
    return { output, code, ran };
  };

  it("signs timestamp and nonce as the guide shows", async () => {
    const header = "x-signature";
    const check = hmac({
      ...{ header, secrets: [secret], prefix: "sha256=", signed: "timestamp.nonce.body" },
      ...{ timestampHeader: "x-t", nonceHeader: "x-n", timestampFormat: "iso" },
    });
    const options = ["--prefix", "sha256=", "--signed", "timestamp.nonce.body", "--timestamp-header", "x-t"];
    const { output, code } = await ask(check, [...options, "--timestamp-format", "iso", "--nonce-header", "x-n"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/✔ the acknowledgement is valid/)]);
  });

  it("does so in separate processes at the same time, with a new nonce for each", async () => {
    const check = hmac({
      ...{ header: "x-signature", secrets: [secret], encoding: "base64", signed: "nonce.timestamp.body" },
      ...{ timestampHeader: "x-t", timestampUnit: "milliseconds", nonceHeader: "x-n" },
    });
    const { handler, ran } = receiver({}, { auth: [check] });
    const to = await startReceiver(nodeHandler(handler));
    const signing = ["--encoding", "base64", "--signed", "nonce.timestamp.body", "--nonce-header", "x-n"];
    const timing = ["--timestamp-header", "x-t", "--timestamp-unit", "milliseconds"];
    const options = ["fire", "--to", to, "--plan", "race", "--secret-stdin", ...signing, ...timing];
    const { output, code } = await spawned(options, `${secret}\n`);
    expect([code, output]).toEqual([0, expect.stringMatching(/✔ the acknowledgements are valid/)]);
    expect(ran).toHaveLength(1);
    const refused = await spawned(["fire", "--to", to, "--plan", "thrice"], "");
    expect([refused.code, refused.output]).toEqual([2, expect.stringMatching(/Allowed choices are once, twice/)]);
  });

  it("puts everything into one header", async () => {
    const fields = { signature: "v1", timestamp: "t" };
    const check = hmac({ header: "x-signature", secrets: [secret], fields, signed: "timestamp.body" });
    const { code } = await ask(check, ["--fields", "signature=v1,timestamp=t", "--signed", "timestamp.body"]);
    expect([code, seen[0]?.["x-signature"]]).toEqual([0, expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/)]);
  });

  it("adds a timestamp to basic", async () => {
    const check = basic({ credentials: [{ username: "payouts", password: "x" }] });
    const options = ["--timestamp-header", "x-t", "--timestamp-format", "YYYY-MM-DD HH:mm:ss"];
    const { code } = await ask(check, options, "payouts:x", "basic");
    expect([code, seen[0]?.["x-t"]]).toEqual([0, expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)]);
  });

  it("sends a body of your own, byte for byte, from the command line or a file", async () => {
    const check = hmac({ header: "x-signature", secrets: [secret] });
    const own = '{ "status": "DUPLICATE",  "client_referenceId": "own-1" }';
    expect((await ask(check, ["--body", own])).code).toBe(0);
    expect(seen[0]?.["content-length"]).toBe(`${own.length}`);
    const directory = mkdtempSync(join(tmpdir(), "serviceapi-fire-"));
    writeFileSync(join(directory, "event.json"), own);
    expect((await ask(check, ["--body", `@${join(directory, "event.json")}`])).code).toBe(0);
    rmSync(directory, { recursive: true });
    expect((await ask(check, ["--body", "no JSON"])).code).toBe(1);
  });

  it.each([
    ["twice", 0],
    ["race", 0],
    ["conflict", 0],
  ])("--plan %s: a receiver that lets each payout take effect once is valid", async (plan, code) => {
    const { output, ran, ...rest } = await ask(hmac({ header: "x-signature", secrets: [secret] }), ["--plan", plan]);
    expect([rest.code, ran.length]).toEqual([code, 1]);
    expect(output).toMatch(/^Request 2$/m);
    expect(output).toMatch(/✔ the acknowledgements are valid/);
  });

  it.each(["twice", "race", "conflict"])("--plan %s: one that always says SUCCESS is not", async (plan) => {
    const to = await startReceiver(async (request, response) => {
      const { client_referenceId } = JSON.parse(await text(request));
      const fields = { http_status: true, status: "SUCCESS", statusCode: "200", acknowledged: "1" };
      response.end(JSON.stringify({ ...fields, client_referenceId }));
    });
    const { output, code } = await cli(["fire", "--to", to, "--auth", "none", "--plan", plan]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^✖ .*may have taken effect twice/m)]);
  });

  it("takes a `Server` header, which proxies add automatically, as a warning", async () => {
    const { handler } = receiver();
    const listener = nodeHandler(handler);
    const to = await startReceiver((request, response) => {
      response.setHeader("server", "nginx");
      void listener(request, response);
    });
    const { output, code } = await cli(["fire", "--to", to, "--auth", "none"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/^! The header "server" reveals/m)]);
  });

  it("prints deliveries, responses, problems and warnings as JSON with --json", async () => {
    const to = await startReceiver(
      (_, response) => void response.setHeader("server", "nginx").end('{"status":"SUCCESS","x":"\u009b2J"}'),
    );
    const { output, code } = await cli(["fire", "--to", to, "--auth", "none", "--json", "--plan", "twice"]);
    const report = JSON.parse(output);
    expect([code, report.valid, report.problems]).toEqual([1, false, [expect.stringMatching(/taken effect twice/)]]);
    expect(report.deliveries).toHaveLength(2);
    expect(report.deliveries[0]).toMatchObject({
      request: { headers: ["content-type"], body: expect.stringContaining("client_referenceId") },
      response: { status: 200, body: '{"status":"SUCCESS","x":"\u009b2J"}', duration: expect.any(Number) },
      problems: expect.arrayContaining([expect.stringMatching(/http_status/)]),
      warnings: [expect.stringMatching(/"server" reveals/)],
    });
    expect(output).not.toContain("\u009b");
    const none = await cli(["fire", "--to", "http://127.0.0.1:1/", "--auth", "none", "--json"]);
    expect(JSON.parse(none.output).deliveries[0].response).toMatchObject({ status: null, body: null });
    const refused = await cli(["fire", "--to", to, "--json"], { SERVICEAPI_WEBHOOK_SECRET: "" });
    expect([refused.code, JSON.parse(refused.output).error.kind]).toEqual([2, "configuration"]);
  });

  it("shows the response of a receiver without its escape sequences", async () => {
    const to = await startReceiver((_, response) => void response.end("no \u001b]52;c;x\u0007JSON\u009b2J"));
    const { output } = await cli(["fire", "--to", to, "--auth", "none"]);
    expect(output).toMatch(/^ {2}body {8}no JSON$/m);
  });

  it("takes the first of several secrets, and none of comments", async () => {
    const check = hmac({ header: "x-signature", secrets: [secret] });
    expect((await ask(check, [], `${secret}\nan older one`)).code).toBe(0);
    const { output, code } = await ask(check, [], `# the new one\n${secret}`);
    expect([code, output]).toEqual([2, expect.stringMatching(/as a comment does, but every line is a secret/)]);
  });

  it.each([
    [["--auth", "none", "--prefix", "a"], /--prefix has no effect with --auth none/],
    [["--auth", "standard-webhooks", "--timestamp-header", "t"], /--timestamp-header has no effect/],
    [["--auth", "none", "--nonce-header", "n"], /--timestamp-header is missing/],
    [["--timestamp-header", "t"], /does not cover the timestamp/],
    [["--signed", "everything"], /everything/],
    [["--fields", "v1"], /--fields must be a list such as/],
    [["--fields", "timestamp=t"], /`signature` must be a valid header name/],
    [["--fields", "signatur=t"], /did you mean "signature"/],
    [["--timestamp-offset", "IST", "--timestamp-header", "t", "--signed", "timestamp.body"], /UTC offset/],
    [["--body", "{}", "--amount", "7"], /--amount has no effect with --body/],
    [["--body", "@/no/such/file"], /could not be read/],
    [["--body", "[]", "--plan", "conflict"], /JSON object/],
    [["--plan", "thrice"], /thrice/],
  ])("refuses %j with a message, not a stack", async (options, message) => {
    const { output, code } = await cli(["fire", "--to", "http://127.0.0.1:1/", ...options], {
      SERVICEAPI_WEBHOOK_SECRET: `whsec_${btoa(secret)}`,
    });
    expect([code, output]).toEqual([2, expect.stringMatching(message)]);
    expect(output).not.toMatch(/\n\s+at /);
  });
});

describe("serviceapi webhook check-url", () => {
  it("accepts and refuses, with the exit code to match", async () => {
    const good = await cli(["check-url", "https://pay.example.in/hook", "--brand", "example.in"]);
    expect([good.code, good.output]).toEqual([0, expect.stringMatching(/accepted/)]);
    expect(good.output).toMatch(/! not checked: .*--website/);
    expect(good.output).toMatch(/! not checked: .*--live/);
    const bad = await cli(["check-url", "http://a.b.example.in", "--brand", "example.in", "--website", "example.in"]);
    expect([bad.code, bad.output]).toEqual([1, expect.stringMatching(/notHttps/)]);
    const json = await cli(["check-url", "http://a.b.example.in", "--brand", "example.in", "--json"]);
    expect([json.code, JSON.parse(json.output)]).toMatchObject([
      1,
      { ok: false, unchecked: ["websiteDomain", "connection"] },
    ]);
    const odd = await cli(["check-url", "https://example.in", "--brand", "in", "--live"]);
    expect([odd.code, odd.output]).toEqual([2, expect.stringMatching(/brandDomain/)]);
  });
});
