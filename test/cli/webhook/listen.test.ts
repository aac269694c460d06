import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { basic, hmac, sign } from "../../../src/webhooks/index.ts";
import { type Running, serviceapi, start } from "../../support/command.ts";

const secret = "hunter2-hunter2";
const check = hmac({ header: "x-signature", secrets: [secret] });

async function listen(args: readonly string[] = [], given = secret): Promise<Running & { readonly url: string }> {
  const run = start(["webhook", "listen", "--port", "0", ...args], { SERVICEAPI_WEBHOOK_SECRET: given });
  await run.until(/127\.0\.0\.1:\d+.*\n/);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(run.output()) ?? [];
  return { ...run, url };
}

const post = async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) =>
  (await fetch(url, { method: "POST", headers, body })).json();

const event = {
  ...{ status: "SUCCESS", transactionId: "TXN900001", client_referenceId: "order-17", txn_amount: 8500 },
  ...{
    utr: "412345678901",
    description: "Credited to ASHA EXAMPLE, asha@examplebank",
    beneficiaryName: "Asha Example",
  },
};

describe("serviceapi webhook listen", () => {
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
      expect(run.output()).not.toMatch(/412345678901|TXN900001|asha@|EXAMPLE|Example/);
      await post(`${run.url}/hook`, signed);
      const second = await run.until(/acknowledged DUPLICATE/, first);
      await post(run.url, { headers: { "x-signature": "0".repeat(64) }, body: signed.body });
      await run.until(/✖ hmac\nacknowledged FAILED \(HTTP 200\)\n! signatureMismatch: .*\n/, second);
      const refused = run.output().slice(second);
      const [, reason = "none"] = /! signatureMismatch: (.*)/.exec(refused) ?? [];
      expect(refused.split(reason)).toHaveLength(2);
      run.kill("SIGINT");
      expect(await run.exit).toBe(0);
      expect(run.output()).not.toContain(secret);
    },
  );

  it("prints each delivery as a line of JSON, and what the service sends cannot reach the terminal", async () => {
    const run = await listen(["--json", "--auth", "none"]);
    const attack = `\u009b2J\u202e`;
    await post(`${run.url}/a`, { headers: {}, body: JSON.stringify({ ...event, description: attack }) });
    await run.until(/"path".*\n/);
    expect(run.output()).not.toMatch(/[\u0080-\u009f\u202e]/);
    const [start = "", line = ""] = run.output().split("\n");
    expect(JSON.parse(start)).toEqual({ listening: { url: run.url } });
    expect(JSON.parse(line)).toMatchObject({
      ...{ method: "POST", path: "/a", checks: [], conflict: null, problem: null },
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
    expect(run.output()).toMatch(/\n✔ basic\n✖ freshness\n/);
    expect(run.output()).toContain("412345678901");
    expect(run.output()).not.toContain(headers.authorization?.slice(6) ?? "none");
  });

  it("hides a query, what may be secret in a path, and headers that are credentials", async () => {
    const [run, plain] = await Promise.all([
      listen(["--auth", "none"]),
      listen(["--auth", "none", "--show-pii", "--json"]),
    ]);
    const headers = {
      authorization: "Bearer s3cret-1",
      "x-api-key": "s3cret-2",
      cookie: "sid=s3cret-3",
      "x-trace": "t-1",
      // As gateways and browsers copy it.
      "x-original-uri": "/hook/s3Cr-7f?key=s3cret-6",
      referer: "https://asha@example.com/hook/s3Cr-7f?s3cret-7",
    };
    const target = "/v1/payout-hook/9876540001/s3Cr-7f?token=s3cret-4&to=asha&s3cret-5&czNjcmV0==&s3cret-8=1";
    const letters = "/hook/qkzwpfjxmvt/open-sesame";
    for (const { url } of [run, plain]) await post(url + target, { headers, body: JSON.stringify(event) });
    await post(run.url + letters, { headers: {}, body: JSON.stringify(event) });
    await Promise.all([run.until(/acknowledged DUPLICATE/), plain.until(/"path".*\n/)]);
    expect(run.output()).toMatch(/^POST \/hook\/••••\/•••• /m);
    expect(run.output()).toMatch(/^POST \/v1\/••••\/••••\/••••\?•••• /m);
    expect(run.output()).toMatch(/^ {2}x-original-uri +\/hook\/••••\?••••$/m);
    expect(run.output()).toMatch(/^ {2}x-trace +t-1$/m);
    expect(run.output()).not.toMatch(/ $/m);
    expect(run.output()).not.toMatch(/s3cret|9876540001|s3Cr|asha|czNj/);
    expect(plain.output()).toContain('"path":"/v1/payout-hook/9876540001/s3Cr-7f?••••"');
    expect(plain.output()).not.toMatch(/s3cret|czNj/);
  });

  it("shows a conflict: another status for a payout that took effect", async () => {
    const [run, json] = await Promise.all([listen(["--auth", "none"]), listen(["--auth", "none", "--json"])]);
    const { utr: _, ...failed } = { ...event, status: "FAILED" };
    for (const { url } of [run, json]) {
      for (const body of [event, failed]) await post(url, { headers: {}, body: JSON.stringify(body) });
    }
    await run.until(/acknowledged DUPLICATE \(HTTP 200\)\n! conflict: FAILED after SUCCESS\. The first status stays/);
    await json.until(/"conflict":\{"status":"FAILED","first":"SUCCESS"\}/);
  });

  it("shows JSON that nests deeper than the stack, and survives a sender that hangs up", async () => {
    const runs = await Promise.all([
      listen(["--auth", "none"]),
      listen(["--auth", "none", "--json"]),
      listen(["--auth", "none", "--show-pii"]),
      listen(["--auth", "none", "--json", "--show-pii"]),
    ]);
    const nested = "[".repeat(20_000) + "]".repeat(20_000);
    const deep = `{"status":"SUCCESS","client_referenceId":"deep-1","description":${nested}}`;
    for (const { url, until } of runs) {
      for (const body of [deep, nested, "[".repeat(5_000)]) {
        expect(await post(url, { headers: {}, body })).toMatchObject({ status: "FAILED" });
      }
      const request = httpRequest(url, { method: "POST", headers: { "content-length": "100" } });
      const hungUp = once(request, "error");
      request.write("{", () => request.destroy());
      await hungUp;
      await post(`${url}/end`, { headers: {}, body: JSON.stringify(event) });
      await until(/\/end/);
    }
    // The levels below the twelfth are left out.
    expect(runs.map(({ output }) => output().match(/"…"/g)?.length)).toEqual([2, 2, 2, 2]);
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
