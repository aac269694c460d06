import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { basic, hmac, sign } from "../../../src/webhooks/index.ts";
import { type Running, serviceapi, start } from "../../support/command.ts";

const secret = "hunter2-hunter2";
const check = hmac({ header: "x-signature", secrets: [secret] });

async function listen(args: readonly string[] = [], given = secret): Promise<Running & { readonly url: string }> {
  const run = start(["webhook", "listen", "--port", "0", ...args], { SERVICEAPI_WEBHOOK_SECRET: given });
  await run.until(/Listening on \S+ /);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(run.output()) ?? [];
  return { ...run, url };
}

const post = async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) =>
  (await fetch(url, { method: "POST", headers, body })).json();

const event = {
  ...{ status: "SUCCESS", transactionId: "TXN900001", client_referenceId: "order-17", txn_amount: 8500 },
  ...{ utr: "412345678901", description: "Credited to asha@examplebank" },
};

describe("serviceapi webhook listen", { timeout: 60_000 }, () => {
  it.skipIf(process.platform === "win32")(
    "shows what comes, masked, each check and the acknowledgement, and ends at Ctrl-C",
    async () => {
      const run = await listen();
      const signed = await sign(event, check);
      expect(await post(`${run.url}/hook`, signed)).toMatchObject({
        status: "SUCCESS",
        client_referenceId: "order-17",
      });
      const first = await run.until(/acknowledged SUCCESS \(HTTP 200\)\n/);
      expect(run.output()).toMatch(/^POST \/hook {2}\d{4}-\d\d-\d\dT/m);
      expect(run.output()).toMatch(/^ {2}x-signature +[0-9a-f]{64}$/m);
      expect(run.output()).toContain("\n✔ hmac\n");
      expect(run.output()).not.toMatch(/412345678901|TXN900001|asha@/);
      await post(`${run.url}/hook`, signed);
      const second = await run.until(/acknowledged DUPLICATE/, first);
      await post(run.url, { headers: { "x-signature": "0".repeat(64) }, body: signed.body });
      await run.until(/acknowledged FAILED \(HTTP 200\)\n! signatureMismatch: .*\n/, second);
      expect(run.output().slice(second)).toContain("✖ hmac: ");
      run.kill("SIGINT");
      expect(await run.exit).toBe(0);
      expect(run.output()).not.toContain(secret);
    },
  );

  it("prints each delivery as a line of JSON, and what the service sends cannot reach the terminal", async () => {
    const run = await listen(["--json", "--auth", "none"]);
    const attack = `\u009b2J\u202e`;
    await post(`${run.url}/a`, { headers: {}, body: JSON.stringify({ ...event, description: attack }) });
    await run.until(/\}\n/);
    expect(run.output()).not.toMatch(/[\u0080-\u009f\u202e]/);
    const [line = ""] = run
      .output()
      .split("\n")
      .filter((text) => text.startsWith("{"));
    expect(JSON.parse(line)).toMatchObject({
      ...{ method: "POST", path: "/a", checks: [], problem: null },
      body: { client_referenceId: "order-17", txn_amount: 8500, utr: "41••••••••01", description: attack },
      acknowledgement: { httpStatus: 200, body: { status: "SUCCESS" } },
    });
  });

  it("shows every check of Basic Authentication with a timestamp, but no credentials", async () => {
    const auth = basic({ credentials: [{ username: "payouts", password: secret }] });
    const run = await listen(["--auth", "basic", "--timestamp-header", "x-t", "--show-pii"], `payouts:${secret}`);
    const { headers, body } = await sign(event, auth);
    await post(run.url, { headers: { ...headers, "x-t": "7" }, body });
    await run.until(/acknowledged FAILED/);
    expect(run.output()).toMatch(/\n✔ basic\n✖ freshness: /);
    expect(run.output()).toContain("412345678901");
    expect(run.output()).not.toContain(headers.authorization?.slice(6) ?? "none");
  });

  it("shows a body that is not JSON without its escape sequences, and refuses other methods", async () => {
    const run = await listen(["--auth", "none"]);
    await fetch(run.url, { method: "POST", body: "no \u001b]52;c;x\u0007JSON" });
    await run.until(/! notJson: /);
    expect(run.output()).toMatch(/^ {2}body +no JSON$/m);
    expect(run.output()).not.toContain("\u001b");
    expect((await fetch(run.url)).status).toBe(405);
    await run.until(/HTTP 405/);
  });

  it("receives what the emulator delivers", async () => {
    const run = await listen();
    const emulator = createEmulator({ webhook: { to: `${run.url}/hook`, auth: check } });
    expect(await emulator.payout({ client_referenceId: "order-18" })).toMatchObject({ state: "delivered" });
    await run.until(/"client_referenceId": "order-18"/);
  });

  it("ends with exit code 2 for a port in use, no secret, and checks that prove no sender", async () => {
    const run = await listen(["--auth", "none"]);
    const { port } = new URL(run.url);
    const runs: readonly (readonly [RegExp, ...string[]])[] = [
      [/Port \d+ is in use\./, "--port", port, "--auth", "none"],
      [/No secret/],
      [/proves who sent/, "--auth", "none", "--timestamp-header", "x-t"],
      [/an integer between 0 and 65535/, "--port", "many"],
    ];
    for (const [message, ...args] of runs) {
      const { stderr, code } = await serviceapi(["webhook", "listen", ...args]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });
});
