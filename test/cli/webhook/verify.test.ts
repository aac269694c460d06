import { describe, expect, it } from "vitest";
import { hmac, sign, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { serviceapi } from "../../support/command.ts";
import { temporaryFile } from "../../support/temporary-file.ts";

const secret = "hunter2-hunter2";
const event = {
  ...{ status: "SUCCESS", statusCode: "200", transactionId: "TXN900001", client_referenceId: "order-17" },
  ...{ txn_amount: 8500, acknowledged: "1", utr: "412345678901", description: "Credited to asha@examplebank" },
};
const plain = hmac({ header: "x-signature", secrets: [secret] });

/** Writes a delivery into files. */
async function keep(check: WebhookCheck, more: { readonly end?: string; readonly now?: number } = {}) {
  const { headers, body } = await sign(event, check, { now: more.now });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const files = {
    body: temporaryFile("body.json", body + (more.end ?? "")),
    headers: temporaryFile("headers.txt", ["POST /hook HTTP/1.1", ...lines, "", ""].join("\r\n")),
  };
  return { ...files, lines, text: body };
}

const verify = (args: readonly string[], { stdin = "", secrets = secret } = {}) =>
  serviceapi(["webhook", "verify", ...args], { stdin, env: { SERVICEAPI_WEBHOOK_SECRET: secrets } });

describe("serviceapi webhook verify", () => {
  it("accepts a delivery in files, and masks what may be personal", async () => {
    const { body, headers } = await keep(plain);
    const { stdout, code } = await verify([body, "-H", `@${headers}`]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^✔ accepted\n\{\n {2}"status": "SUCCESS",$/m)]);
    expect(stdout).toContain('"client_referenceId": "order-17"');
    expect(stdout).not.toMatch(/412345678901|TXN900001|asha@/);
    expect((await verify([body, "-H", `@${headers}`, "--show-pii"])).stdout).toContain("412345678901");
  });

  it("accepts one from standard input, with any of several secrets", async () => {
    const { text, lines } = await keep(plain);
    const args = lines.flatMap((line) => ["-H", line]);
    const { stdout, code } = await verify([...args, "--json", "--show-pii"], {
      ...{ stdin: text, secrets: `the new one\n${secret}` },
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, { ok: true, event }]);
  });

  it("refuses another secret, another body and no signature, with the reason and exit code 1", async () => {
    const { body, headers, lines, text } = await keep(plain);
    const runs = [
      await verify([body, "-H", `@${headers}`], { secrets: "another secret" }),
      await verify(
        lines.flatMap((line) => ["-H", line]),
        { stdin: text.replace("8500", "9500") },
      ),
      await verify([body, "-H", "x-a: b"]),
      await verify([body, "-H", "x-a: b", "--auth", "basic"], { secrets: "user:password" }),
    ];
    expect(runs.map(({ code, stdout }) => [code, /^✖ (\w+): /.exec(stdout)?.[1]])).toEqual([
      [1, "signatureMismatch"],
      [1, "signatureMismatch"],
      [1, "signatureMissing"],
      [1, "credentialsMissing"],
    ]);
    const { stdout, code } = await verify(["-H", lines[1] ?? "", "--json"], { stdin: "{}" });
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, reason: "signatureMismatch" }]);
  });

  it("finds the newline that an editor added", async () => {
    const { body, headers } = await keep(plain, { end: "\r\n" });
    const { stdout, code } = await verify([body, "-H", `@${headers}`]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/\n! Without the newline at its end, the body would be accepted\./),
    ]);
  });

  it("accepts a delivery with a nonce, which this check does not use up", async () => {
    const headersOfTime = { timestampHeader: "x-t", nonceHeader: "x-n", signed: "timestamp.nonce.body" } as const;
    const { body, headers } = await keep(hmac({ header: "x-signature", secrets: [secret], ...headersOfTime }));
    const flags = ["--signed", "timestamp.nonce.body", "--timestamp-header", "x-t", "--nonce-header", "x-n"];
    const runs = [1, 2].map(() => verify([body, "-H", `@${headers}`, ...flags]));
    for (const { stdout, code } of await Promise.all(runs))
      expect([code, stdout.slice(0, 10)]).toEqual([0, "✔ accepted"]);
  });

  it("checks a timestamp at --now, within --tolerance", async () => {
    const sent = Date.parse("2026-11-20T06:00:00Z");
    const options = { header: "x-signature", signed: "timestamp.body", timestampHeader: "x-t" } as const;
    const { body, headers } = await keep(hmac({ ...options, secrets: [secret] }), { now: sent });
    const args = [body, "-H", `@${headers}`, "--signed", "timestamp.body", "--timestamp-header", "x-t"];
    const late = await verify(args);
    expect([late.code, late.stdout]).toEqual([1, expect.stringMatching(/^✖ timestampOutOfRange: /)]);
    expect((await verify([...args, "--now", "2026-11-20T06:04:00Z"])).code).toBe(0);
    expect((await verify([...args, "--now", "2026-11-20T06:04:00Z", "--tolerance", "1000"])).code).toBe(1);
  });

  it("refuses an authentic body that is not an event", async () => {
    const { headers, body } = await sign("{}", plain);
    const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const { stdout, code } = await verify(lines, { stdin: body });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^✖ missingField: /)]);
  });

  it("ends with exit code 2 for what it cannot read", async () => {
    const runs: readonly (readonly [RegExp, ...string[]])[] = [
      [/The file \/no\/such\/body does not exist\./, "/no/such/body", "-H", "x-a: b"],
      [/-H \(--request-header\): the file \/no\/such does not exist/, "-H", "@/no/such"],
      [/must be "name: value"/, "-H", "x-signature"],
      [/the body must be in a file/, "--secret-stdin", "-H", "x-a: b"],
      [/pass -H @headers\.txt/, "package.json"],
      [/proves who sent/, "--auth", "none", "--timestamp-header", "x-t"],
    ];
    for (const [message, ...args] of runs) {
      const { stderr, code } = await verify(args);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });
});
