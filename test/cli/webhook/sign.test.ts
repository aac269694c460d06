import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hmac, standardWebhooks, Webhooks } from "../../../src/webhooks/index.ts";
import { serviceapi } from "../../support/command.ts";
import { startServer } from "../../support/server.ts";
import { temporaryFile } from "../../support/temporary-file.ts";

const secret = "hunter2-hunter2";
const env = { SERVICEAPI_WEBHOOK_SECRET: secret };
const at = "2026-11-20T06:00:00Z";

describe("serviceapi webhook sign", () => {
  it.skipIf(process.platform === "win32")("prints a curl command that sends the delivery, byte for byte", async () => {
    const server = await startServer((response) => response.end("{}"));
    const body = `{"status":"SUCCESS",  "client_referenceId":"it's @1", "description":"$HOME \`id\`\\n"}\n`;
    const { stdout, stderr, code } = await serviceapi(
      ["webhook", "sign", "--to", `${server.url}/hook`, "--body", `@${temporaryFile("body.json", body)}`],
      { env },
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^curl -sS \\\n {2}--header 'content-type: application\/json' \\\n {2}--header 'x-signature: /,
    );
    await promisify(execFile)("sh", ["-c", stdout]);
    const [request] = server.requests;
    expect([request?.body, request?.path]).toEqual([body, "/hook"]);
    const webhooks = new Webhooks({ auth: [hmac({ header: "x-signature", secrets: [secret] })] });
    await expect(webhooks.verify({ headers: request?.headers ?? {}, body })).rejects.toMatchObject({
      kind: "webhook_payload", // it is authentic, and lacks fields
    });
  });

  it("prints headers and body as JSON, the same for the same time and identifier", async () => {
    const args = ["--auth", "standard-webhooks", "--now", at, "--id", "msg_1", "--body", "{}", "--json"];
    const given = { SERVICEAPI_WEBHOOK_SECRET: `whsec_${btoa(secret)}` };
    const { stdout, code } = await serviceapi(["webhook", "sign", ...args], { env: given });
    const check = standardWebhooks({ secrets: [`whsec_${btoa(secret)}`] });
    const expected = await new Webhooks().sign("{}", check, { now: Date.parse(at), id: "msg_1" });
    expect([code, JSON.parse(stdout)]).toEqual([0, expected]);
    const again = await serviceapi(["webhook", "sign", ...args], { env: given });
    expect(again.stdout).toBe(stdout);
  });

  it("says that a header holds credentials", async () => {
    const { stdout, stderr } = await serviceapi(["webhook", "sign", "--auth", "basic", "--secret-stdin", "--json"], {
      stdin: "user:password\n",
    });
    expect(JSON.parse(stdout).headers.authorization).toBe(`Basic ${btoa("user:password")}`);
    expect(stderr).toBe("The header authorization holds the user name and the password.\n");
  });

  it("refuses what would do nothing and what counts as a comment, with exit code 2", async () => {
    const runs: readonly (readonly [RegExp, string, ...string[]])[] = [
      [/now has no effect/, secret, "--auth", "none", "--now", at],
      [/--prefix has no effect with --auth none/, secret, "--auth", "none", "--prefix", "a"],
      [/--now has no effect without --timestamp-header/, secret, "--now", at],
      [/--id has no effect without --nonce-header/, secret, "--id", "msg_1"],
      [
        /--id has no effect/,
        secret,
        "--timestamp-header",
        "x-time",
        "--signed",
        "timestamp.body",
        "--now",
        at,
        "--id",
        "msg_1",
      ],
      [/It must be a time/, secret, "--now", "soon"],
      [/as a comment does/, `# the new one\n${secret}`],
      [/No secret/, ""],
      [/has no effect with --body/, secret, "--body", "{}", "--status", "FAILED"],
    ];
    for (const [message, given, ...args] of runs) {
      const { stderr, code } = await serviceapi(["webhook", "sign", ...args], {
        env: { SERVICEAPI_WEBHOOK_SECRET: given },
      });
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
      expect(stderr).not.toContain(secret);
    }
  });
});
