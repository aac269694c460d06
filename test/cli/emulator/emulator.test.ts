import { createHmac } from "node:crypto";
import { Command, CommanderError } from "commander";
import { describe, expect, it, vi } from "vitest";
import { addEmulator } from "../../../src/cli/emulator/emulator.ts";
import { webhookRules } from "../../../src/emulator/deliveries/deliveries.ts";
import { listenRules } from "../../../src/emulator/http/server.ts";
import { emulatorRules } from "../../../src/emulator/options.ts";
import { version } from "../../../src/version.ts";
import { start } from "../../support/command.ts";
import { startServer } from "../../support/server.ts";

/** The flags with other names than their options. `onRequest` is what the command prints. */
const otherFlags: Readonly<Record<string, string>> = {
  onRequest: "--json",
  strict: "--no-strict",
  pathPrefixes: "--path-prefix",
  webhook: "--webhook-url",
  to: "--webhook-url",
  auth: "--webhook-header",
  retrySchedule: "--webhook-retries",
  ackTimeout: "--webhook-ack-timeout",
  failedAcknowledgement: "--webhook-failed",
  resign: "--no-webhook-resign",
  allowedHosts: "--allow-host",
};

async function serve(args: readonly string[] = [], env: Record<string, string> = {}) {
  const emulator = start(["emulator", "--port", "0", ...args], env);
  await emulator.until(/Listening on http.*\n/);
  const [, url = ""] = /Listening on (http:\/\/[\d.]+:\d+)/.exec(emulator.output()) ?? [];
  return { ...emulator, url };
}

/** The header that a control route requires. */
const json = { "content-type": "application/json" };

const lookUp = (url: string, vpa_mobile: string) =>
  fetch(`${url}/verification/upimobile_multiple`, {
    method: "POST",
    headers: { "client-id": "demo-client", "client-secret": "a-secret-of-mine", ...json },
    body: JSON.stringify({ consent: "Y", vpa_mobile, clientData: { client_id: "c" } }),
  });

describe("serviceapi emulator", () => {
  it("serves, logs one line a request without secret and personal data, and ends cleanly on Ctrl-C", async () => {
    const { url, kill, until, exit, output } = await serve();
    expect((await lookUp(url, "9876543210")).status).toBe(200);
    await until(/^POST verification\.findVpas 200 \d+ ms$/m);
    expect((await lookUp(url, "9876540404")).status).toBe(404);
    await until(/^POST verification\.findVpas 404 \d+ ms$/m);
    await fetch(`${url}/mobiles/9876543210?secret=a-secret-of-mine`);
    await until(/^GET \/mobiles\/… 404 \d+ ms$/m);
    expect(output()).not.toMatch(/a-secret-of-mine|9876543210/);
    kill("SIGINT");
    expect(await exit).toBe(0);
  });

  it("takes every option of createEmulator() as a flag", async () => {
    const { url } = await serve([
      ...["--now", "2026-11-20T06:00:00Z", "--pace", "0", "--framing", "ndjson", "--no-strict"],
      ...["--session-lifetime", "1000", "--failure-status", "200", "--retry-after", "9000"],
      ...["--path-prefix", "ai=ai-api", "flights=v1/x", "--on", "rate_limited"],
    ]);
    const limited = await fetch(`${url}/v1/x/flight/fare_quote`, {
      method: "POST",
      headers: { "client-id": "c", "client-secret": "s", ...json },
      body: JSON.stringify({ trace_id: "t", token: "t", client_referenceId: "r" }),
    });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([200, "9"]);
    expect((await lookUp(url, "9876543210")).status).toBe(200);
    const clock = await fetch(`${url}/__emulator/clock`, { method: "POST", headers: json, body: "{}" });
    expect(await clock.json()).toEqual({ now: "2026-11-20T06:00:00.000Z" });
    const script = await fetch(`${url}/__emulator/rules`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ operation: "ai.stream", response: ["a"], times: 1 }),
    });
    expect(script.status).toBe(200);
    const stream = await fetch(`${url}/ai-api/ai/create-response`, {
      method: "POST",
      headers: { "client-id": "c", "client-secret": "s", ...json },
      body: JSON.stringify({ client_referenceId: "r", user: { text: "x" }, stream: true }),
    });
    expect(stream.headers.get("content-type")).toBe("application/x-ndjson");
    expect(await stream.text()).toContain('"text_chunk":"a"');
  });

  it("has a flag for every option", () => {
    const program = new Command();
    addEmulator(program);
    const flags = program.commands.flatMap(({ options }) => options.map(({ long }) => long));
    const flagOf = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const expected = [emulatorRules, webhookRules, listenRules]
      .flatMap(Object.keys)
      .map((name) => otherFlags[name] ?? flagOf(name));
    expect(expected.length).toBeGreaterThan(15);
    expect(expected.filter((flag) => !flags.includes(flag))).toEqual([]);
  });

  it("prints the start and each request as a line of JSON with --json, and its errors too", async () => {
    const emulator = start(["emulator", "--port", "0", "--json"]);
    await emulator.until(/\n/);
    const { listening } = JSON.parse(emulator.output());
    expect(listening).toEqual({ url: expect.any(String), trace_id: expect.any(String), token: expect.any(String) });
    await lookUp(listening.url, "9876543210");
    await fetch(`${listening.url}/a%1b[31m/9876543210`);
    await emulator.until(/"status":404.*\n/);
    const [, ...lines] = emulator.output().trim().split("\n");
    const requests = lines.map((line) => JSON.parse(line));
    expect(requests.map(({ method, operation, status }) => [method, operation, status])).toEqual([
      ["POST", "verification.findVpas", 200],
      ["GET", expect.stringMatching(/^\/a.*\/…$/), 404],
    ]);
    const failed = start(["emulator", "--on", "nonsense", "--json"]);
    expect(await failed.exit).toBe(2);
    expect(JSON.parse(failed.output())).toMatchObject({ error: { kind: "configuration" } });
  });

  it("takes a prefix for an area of your own, beside those of the document", async () => {
    const { url, kill, until, exit } = await serve(["--path-prefix", "payouts=v2/payouts", "verification=v1"]);
    expect((await lookUp(`${url}/v1`, "9876543210")).status).toBe(200);
    await until(/^POST verification\.findVpas 200 \d+ ms$/m);
    kill("SIGINT");
    expect(await exit).toBe(0);
  });

  it("shows the URL, credentials, a flight search and the test values", async () => {
    const { url, output, kill, exit } = await serve();
    for (const text of [`baseUrl       ${url}`, "wrong-secret", "PRICECHANGE", "/framing:<name>", "0404"]) {
      expect(output()).toContain(text);
    }
    const token = /token +(OB\S+)/.exec(output())?.[1];
    const trace_id = /trace_id +(\S+)/.exec(output())?.[1];
    expect(/^export .*$/m.exec(output())?.[0]).toBe(
      `export SERVICEAPI_BASE_URL=${url} SERVICEAPI_CLIENT_ID=demo-client SERVICEAPI_CLIENT_SECRET=demo-secret ` +
        `TRACE_ID=${trace_id} TOKEN='${token}'`,
    );
    const quote = await fetch(`${url}/flight/fare_quote`, {
      method: "POST",
      headers: { "client-id": "a", "client-secret": "b", ...json },
      body: JSON.stringify({ trace_id, token, client_referenceId: "r" }),
    });
    expect(await quote.json()).toMatchObject({ status: "SUCCESS" });
    kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  it("serves the console on loopback, and elsewhere only with --console", async () => {
    const get = async (args: readonly string[]) => {
      const { url, output } = await serve(args);
      const page = await fetch(`${url}/`);
      return [page.headers.get("content-type"), /^ +console +(.*)$/m.exec(output())?.[1]?.replace(url, "…")];
    };
    const html = "text/html; charset=utf-8";
    const none = ["application/json", "not served; --console serves it"];
    expect(
      await Promise.all([
        ...[get([]), get(["--host", "localhost"]), get(["--no-console"])],
        ...[get(["--host", "0.0.0.0"]), get(["--host", "0.0.0.0", "--console"])],
      ]),
    ).toEqual([
      [html, "…/ (open it in a browser)"],
      [html, "…/ (open it in a browser)"],
      none,
      none,
      [html, "…/ (open it in a browser)"],
    ]);
  });

  it("ends on Ctrl-C although the console is open", async () => {
    const { url, kill, exit } = await serve();
    const page = await fetch(`${url}/__emulator/events`);
    kill("SIGINT");
    expect(await exit).toBe(0);
    await expect(page.text()).rejects.toThrow("terminated");
  });

  it("writes no colours into a pipe, and none under NO_COLOR, but does with FORCE_COLOR", async () => {
    const colour = String.fromCharCode(27);
    const [plain, none, forced] = await Promise.all([
      serve(),
      serve([], { NO_COLOR: "1" }),
      serve([], { FORCE_COLOR: "1" }),
    ]);
    expect([plain, none, forced].map(({ output }) => output().includes(colour))).toEqual([false, false, true]);
  });

  it("responds to every request as --on says, and logs a dropped connection", async () => {
    const { url, until } = await serve(["--on", "reset"]);
    await expect(lookUp(url, "9876543210")).rejects.toThrow(TypeError);
    await until(/^POST verification\.findVpas dropped \d+ ms$/m);
  });

  it("delivers payouts to --webhook-url", async () => {
    const receiver = await serve();
    const { url } = await serve(["--webhook-url", `${receiver.url}/hook`]);
    const response = await fetch(`${url}/__emulator/payouts`, { method: "POST", body: "{}", headers: json });
    expect(await response.json()).toMatchObject({ attempts: [{ httpStatus: 404 }] });
    await receiver.until(/^POST \/hook 404 \d+ ms$/m);
  });

  it("states the problem in one sentence", async () => {
    const taken = await serve();
    const port = new URL(taken.url).port;
    const runs: [string[], string][] = [
      [["emulator", "--port", port], `Port ${port} is in use`],
      [["emulator", "--port", "many"], "an integer between 0 and 65535"],
      [["emulator", "--webhook-url", "nowhere"], "an http or https URL, such as http"],
      [["emulator", "--host", "192.0.2.1", "--port", "0"], "192.0.2.1 is not an address of this machine"],
      [["emulator", "--on", "nonsense"], 'no response "nonsense"'],
    ];
    await Promise.all(
      runs.map(async ([args, message]) => {
        const { exit, output } = start(args);
        expect(await exit).toBe(2);
        expect(output()).toContain(message);
        expect(output()).not.toContain("    at ");
      }),
    );
  });
});

/** Runs the command in this process, and returns what it says before it ends with exit code 2. */
async function refuse(args: readonly string[]): Promise<string> {
  let errors = "";
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    errors += text;
    return true;
  });
  try {
    const program = new Command().exitOverride();
    addEmulator(program);
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync(["emulator", ...args], { from: "user" }).catch((error: unknown) => {
      // As createProgram() ends the process.
      if (error instanceof CommanderError) process.exitCode = 2;
      else throw error;
    });
    expect(process.exitCode).toBe(2);
    return errors;
  } finally {
    process.exitCode = undefined;
    write.mockRestore();
  }
}

describe("on an address that other machines can reach", () => {
  it.each([
    [[], "can read the last requests in full."],
    [["--webhook-url", "http://127.0.0.1:9/hook", "--webhook-header", "x-signature"], "use a secret of tests alone."],
  ])("warns of what they can do: %j", async (flags, warning) => {
    const env = { SERVICEAPI_WEBHOOK_SECRET: "a secret of some length" };
    const { kill, exit, output } = await serve(["--host", "0.0.0.0", ...flags], env);
    expect(output()).toContain("--host 0.0.0.0: whoever can reach this port");
    expect(output()).toContain(warning);
    kill("SIGTERM");
    await exit;
  });

  it("and not on loopback", async () => {
    const { kill, exit, output } = await serve(["--host", "localhost"]);
    expect(output()).not.toContain("whoever");
    kill("SIGTERM");
    await exit;
  });
});

describe("the command in this process", () => {
  it("serves until it gets a signal, and leaves nothing behind", async () => {
    const listeners = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
    const before = listeners();
    let output = "";
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      output += text;
      return true;
    });
    try {
      const program = new Command().exitOverride();
      addEmulator(program);
      vi.stubEnv("SERVICEAPI_WEBHOOK_SECRET", "a secret of some length");
      const flags = ["--port", "0", "--webhook-url", "http://127.0.0.1:9/hook", "--webhook-header", "x-signature"];
      const done = program.parseAsync(["emulator", ...flags], { from: "user" });
      await expect.poll(() => output).toContain("Listening on ");
      const [url = ""] = /http:\/\/[\d.]+:\d+/.exec(output) ?? [];
      const statuses = [
        await lookUp(url, "9876543210"),
        await lookUp(url, "9876540404"),
        await fetch(`${url}/nothing`),
      ];
      expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404]);
      const headers = { "x-emulator-response": "html-502" };
      expect((await fetch(`${url}/flight/book`, { method: "POST", headers })).status).toBe(502);
      const dropped = fetch(`${url}/flight/book`, { method: "POST", headers: { "x-emulator-response": "reset" } });
      await expect(dropped).rejects.toThrow(TypeError);
      expect(await refuse(["--port", new URL(url).port])).toMatch(/Port \d+ is in use\./);
      process.emit("SIGTERM");
      await done;
      await expect(fetch(url)).rejects.toThrow(TypeError);
      // The signal that npx passes on of the same Ctrl-C is ignored for a moment.
      await expect.poll(listeners).toBe(before);
      expect(output).toMatch(/POST flights\.book 502 .*\nPOST flights\.book dropped/);
    } finally {
      write.mockRestore();
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ["hex", "", []],
    ["base64", "sha256=", ["--webhook-encoding", "base64", "--webhook-prefix", "sha256="]],
  ] as const)(
    "signs what it delivers, in %s after %j, with the secret of the environment",
    async (encoding, prefix, more) => {
      const receiver = await startServer((response) => response.end("{}"));
      const flags = ["--webhook-url", `${receiver.url}/hook`, "--webhook-header", "x-signature", ...more];
      const { url, kill, exit } = await serve(flags, { SERVICEAPI_WEBHOOK_SECRET: "a secret of some length" });
      await fetch(`${url}/__emulator/fire`, { method: "POST", headers: json });
      const [first] = receiver.requests;
      const digest = createHmac("sha256", "a secret of some length").update(`${first?.body}`).digest(encoding);
      expect(first?.headers["x-signature"]).toBe(`${prefix}${digest}`);
      kill("SIGINT");
      expect(await exit).toBe(0);
    },
  );

  it.each([
    [["--webhook-header", "x-signature"], "Set SERVICEAPI_WEBHOOK_SECRET"],
    [["--webhook-prefix", "sha256="], "has no effect without --webhook-header"],
    [["--path-prefix", "flights"], "It must be area=path, such as flights=v1/api."],
    [["--path-prefix", "payouts=../x"], "--path-prefix payouts must be a path below the base URL"],
    [["--path-prefix", "flight=x"], 'unknown option "flight" (did you mean "flights"?)'],
    [["--pace", "fast"], "It must be a number of milliseconds"],
    [["--framing", "xml"], "Allowed choices are sse"],
    [["--now", "soon"], "--now must be a time, such as"],
    [["--port", "1.5"], "an integer between 0 and 65535"],
    [["--webhook-url", "ftp://a.example"], "an http or https URL, such as"],
    [["--on", "html-503"], 'knows no response "html-503". Did you mean html-502'],
    [["--on", "nonsense"], "Every operation knows reset, reset-after, "],
    [["--host", "192.0.2.1", "--port", "0"], "is not an address of this machine"],
  ])("refuses %j", async (args, message) => {
    expect(await refuse(args)).toContain(message);
  });
});

describe("serviceapi", () => {
  it("prints its version and its commands", async () => {
    const [versionRun, helpRun] = [start(["--version"]), start(["--help"])];
    expect([await versionRun.exit, await helpRun.exit]).toEqual([0, 0]);
    expect(versionRun.output()).toBe(`${version}\n`);
    expect(helpRun.output()).toContain("emulator [options]");
    expect(helpRun.output()).toMatch(/^ {2}webhook /m);
  });
});
