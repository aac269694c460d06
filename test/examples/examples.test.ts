import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as errors from "../../src/errors/index.ts";
import { runProgram } from "../support/program.ts";
import { operations } from "../support/service-operations.ts";

const folder = fileURLToPath(new URL("../../examples/", import.meta.url));

/** A part of the output of each example. */
const tells: Readonly<Record<string, RegExp>> = {
  "book.ts": /^PNR \w{6}; issue the ticket before \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m,
  "create-response.ts": /What is written on this boarding pass\?[\s\S]*Now in one sentence\./,
  "fare-quote.ts": /^[A-Z]{3}-[A-Z]{3} {2}INR \d+(\.\d+)? {2}(not )?refundable\n[A-Z]{3}-[A-Z]{3} {2}INR /m,
  "fare-rule.ts": /^[A-Z]{3}-[A-Z]{3} with \w{2}: /m,
  "find-many.ts": /^0 6000000001@\w+ usable$[\s\S]*^2 notFound [\s\S]*^4 invalid [^\n]*ten digits/m,
  "find-vpas.ts": /60000\w*@\w+, .*@[\s\S]*can be paid to/,
  "receive-webhook.ts":
    /^delivery 1: acknowledged SUCCESS\ndelivery 2: acknowledged DUPLICATE\norder-17 credited with ₹8500$/m,
  "stream-response.ts": /Plan a day in Pune[\s\S]*\n\(\d+ characters\)$/m,
  "your-own-operation.ts":
    /^POST \/v2\/payout\/status [\s\S]*^fields: status, statusCode, utr$[\s\S]*26 characters of reference, UTR 000000000001$/m,
};

describe("the examples", { concurrent: true, timeout: 120_000 }, () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && name !== "connect.ts");

  it("are all listed here", () => {
    expect(files.sort()).toEqual(Object.keys(tells));
  });

  it("have a program for each operation", () => {
    const programs = files.map((file) => readFileSync(`${folder}${file}`, "utf8")).join("\n");
    expect(operations.filter(({ name }) => !programs.includes(`api.${name}(`))).toEqual([]);
  });

  it.each(files)("%s runs unchanged, without a service and without printing a secret", async (file) => {
    const { exitCode, output } = await runProgram(`${folder}${file}`);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringMatching(tells[file] ?? /^$/) });
    expect(output).not.toContain("demo-secret");
  });

  it("find-vpas.ts says so when no UPI ID is linked", async () => {
    const { exitCode, output } = await runProgram(`${folder}find-vpas.ts`, ["6000000404"]);
    expect({ exitCode, output: output.trim() }).toEqual({
      exitCode: 0,
      output: "No UPI ID is linked to this number.",
    });
  });
});

describe("the pages among the examples", { concurrent: true, timeout: 60_000 }, () => {
  it.each([
    { folder: "chat", shows: /<textarea|<input/ },
    { folder: "shop", shows: /Pay INR 7480/ },
  ])("$folder starts without credentials and serves its page", async ({ folder: name, shows }) => {
    const child = spawn(process.execPath, ["--import", "tsx", `${folder}${name}/main.ts`], {
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    try {
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      const [url = ""] = /http:\S+/.exec(String(line)) ?? [];
      expect(await (await fetch(url)).text()).toMatch(shows);
    } finally {
      child.kill();
      await ended;
    }
  });
});

describe("examples/opentelemetry", { timeout: 120_000 }, () => {
  it("prints the spans of two calls, one of which was retried, and their metrics", async () => {
    const { exitCode, output } = await runProgram(`${folder}opentelemetry/main.ts`);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toMatch(/^show the UPI IDs\n {2}verification\.findVpas\n {4}POST 503 503\n {4}POST 200$/m);
    expect(output).toMatch(/^verification\.findVpas not_found\n {2}POST 404 404$/m);
    expect(output).toMatch(/^serviceapi\.call\.retries \{.*"error\.type":"unavailable"\}$/m);
    expect(output).not.toContain("demo-secret");
  });
});

describe("the tests of examples/testing-node", { timeout: 120_000 }, () => {
  it("pass as they stand", async () => {
    // A reporter with one form on all versions of Node.
    const args = ["--test", "--test-reporter=tap", `${folder}testing-node/payee.test.ts`];
    const { exitCode, output } = await runProgram(args[0] ?? "", args.slice(1));
    expect({ exitCode, output }).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^# pass 6$/m) });
    expect(output).toMatch(/^# fail 0$/m);
  });
});

describe("the demo", { timeout: 120_000 }, () => {
  it("shows the main job and an error of each kind, in plain text in a pipe, and no secret", async () => {
    const { exitCode, output } = await runProgram(`${folder}demo/main.ts`);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });

    expect(output).toMatch(/✓ PNR \w{6}, booking \d+, INR \d/);
    expect(output).toMatch(/chained to {2}the response above/);
    expect(output).toMatch(/first delivery {2}acknowledged SUCCESS in \d+ ms/);
    expect(output).toMatch(/redelivery {6}acknowledged DUPLICATE in \d+ ms/);
    expect(output).toContain("credited once: demo-order-17 ₹8500");

    const shown = new Set(
      [...output.matchAll(/^ {2}(\w+Error) outcome (?:rejected|notSent|unknown)$/gm)].map(([, name = ""]) => name),
    );
    expect([...shown].filter((name) => !Object.hasOwn(errors, name))).toEqual([]);
    expect([...shown]).toEqual(expect.arrayContaining(errorsOfTheDemo));

    expect(output).not.toMatch(/demo-secret|wrong-secret/);
    expect(output).not.toContain("\u001b");
  });
});

/** One of each family. */
const errorsOfTheDemo = [
  "ConfigurationError",
  "RequestValidationError",
  "NotFoundError",
  "AuthenticationError",
  "ConnectionError",
  "TimeoutError",
  "AbortError",
  "UnexpectedResponseError",
  "ResponseValidationError",
  "StreamTruncatedError",
  "BookingOutcomeUnknownError",
  "WebhookPayloadError",
];
