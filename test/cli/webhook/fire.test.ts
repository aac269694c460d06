import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { basic, hmac, standardWebhooks, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { deadAddress } from "../../support/server.ts";
import { receiver } from "../../webhooks/support.ts";
import { secret, startReceiver, webhook } from "./support.ts";

describe("serviceapi webhook fire", () => {
  const receiving = (auth: WebhookCheck) => receiver({}, { auth: [auth], findOrder: () => 100 });

  it("sends a signed notification, and prints request, response, time and verdict", async () => {
    const { handler, ran } = receiving(hmac({ header: "x-signature", secrets: [secret] }));
    const to = await startReceiver(nodeHandler(handler));
    const options = ["fire", "--to", to, "--status", "SUCCESS", "--amount", "100", "--reference", "po-1"];
    const { output, code } = await webhook(options, { SERVICEAPI_WEBHOOK_SECRET: secret });
    expect([code, ran]).toEqual([0, ["SUCCESS po-1"]]);
    expect(output).toMatch(
      /^Request\n {2}headers {2}content-type, x-signature\n {2}body {5}\{\n {13}"status": "SUCCESS",$/m,
    );
    expect(output).toMatch(/^ {13}"txn_amount": 100,$/m);
    expect(output).toMatch(/^Response\n {2}status {6}200\n {2}body {8}\{\n {16}"http_status": true,$/m);
    expect(output).toMatch(/^ {2}time taken {2}\d+ ms\n\n✔ the acknowledgement is valid\n$/m);
    expect(output.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(output).not.toContain(secret);
    expect((await webhook(options, { SERVICEAPI_WEBHOOK_SECRET: secret })).output).toMatch(/DUPLICATE/);
  });

  it.each([
    ["standard-webhooks", standardWebhooks({ secrets: [`whsec_${btoa(secret)}`] }), `whsec_${btoa(secret)}`],
    ["basic", basic({ credentials: [{ username: "payouts", password: "a:b" }] }), "payouts:a:b"],
  ])("signs by %s, with the secret from standard input", async (scheme, check, given) => {
    const to = await startReceiver(nodeHandler(receiving(check).handler));
    const args = ["fire", "--to", to, "--status", "FAILED", "--amount", "100", "--auth", scheme, "--secret-stdin"];
    const { output, code } = await webhook(args, {}, `${given}\n`);
    expect([code, output]).toEqual([0, expect.stringMatching(/valid/)]);
  });

  it("reports the problems of an acknowledgement, and exits with code 1", async () => {
    const to = await startReceiver((_, response) => void response.setHeader("X-Powered-By", "PHP/5").end("OK"));
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none"]);
    expect(code).toBe(1);
    expect(output).toMatch(/^ {2}body {8}OK$/m);
    expect(output).toMatch(/^✖ .*not a JSON object/m);
    expect(output).not.toContain("hooks");
    expect(output).toMatch(/x-powered-by/);
  });

  it("reports a response that comes later than the service waits", async () => {
    const { handler } = receiver();
    const listener = nodeHandler(handler);
    const to = await startReceiver((request, response) => void setTimeout(() => listener(request, response), 7_050));
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none"]);
    expect([code, output.match(/^✖ .*$/gm)]).toEqual([1, ["✖ It took longer than the 7 s that the service waits."]]);
  }, 30_000);

  it("ends a refusal with the hooks that are called with the reason", async () => {
    const { handler } = receiving(hmac({ header: "x-signature", secrets: ["another secret"] }));
    const to = await startReceiver(nodeHandler(handler));
    const { output, code } = await webhook(["fire", "--to", to], { SERVICEAPI_WEBHOOK_SECRET: secret });
    expect(code).toBe(1);
    expect(output).toMatch(
      /\n✖ `status` is FAILED: .*\nIf it refused the sender, compare the secret and --auth with .*\nThe receiver calls its hook onFailure with the reason\.\n$/,
    );
  });

  it("describes each option and secret, whether it is required, and its default", async () => {
    const { output, code } = await webhook(["fire", "--help"]);
    expect(code).toBe(0);
    for (const text of ["(required)", "(default: 8500)", "user:password", "whsec_", "SERVICEAPI_WEBHOOK_SECRET"]) {
      expect(output).toContain(text);
    }
  });

  it("reports that no response came", async () => {
    const { output, code } = await webhook(["fire", "--to", "http://127.0.0.1:1/", "--auth", "none"]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^✖ No response came: .*(ECONNREFUSED|bad port)/m)]);
    expect(output).toMatch(/^Response\n {2}status {6}none\n {2}body {8}none\n/m);
  });

  it("ends with exit code 6 if nobody listens, and says what to start", async () => {
    const { output, code } = await webhook(["fire", "--to", `${deadAddress}/hook`, "--auth", "none"]);
    expect([code, output]).toEqual([
      6,
      expect.stringMatching(/^Start npx serviceapi webhook listen, or check the URL\.$/m),
    ]);
  });

  it.each([
    [["--to", "ftp://x"], /http or https/],
    [["--to", "http://x", "--amount", "much"], /must be a number/],
    [["--to", "http://x"], /SERVICEAPI_WEBHOOK_SECRET/],
    [["--to", "http://x", "--auth", "none", "--status", "NO_SUCH"], /Allowed choices are SUCCESS, FAILED/],
    [["--to", "http://x", "--auth", "none", "--plan", "thrice"], /Allowed choices are once, twice/],
    [["--to", "http://x", "--auth", "none", "--plan", "race", "--status", "DUPLICATE"], /nothing else takes effect/],
    [
      ["--to", "http://x", "--auth", "none", "--plan", "twice", "--body", '{"status":"REVERSED"}'],
      /SUCCESS, FAILED or/,
    ],
    [["--to", "http://x", "--auth", "basic"], /user:password, but the colon is missing/, "hunter2"],
    [["--to", "http://x", "--auth", "basic"], /password is missing or empty/, "payouts:"],
  ])("refuses %j", async (options, message, given = "") => {
    const { output, code } = await webhook(["fire", ...options], { SERVICEAPI_WEBHOOK_SECRET: given });
    expect(output).not.toContain("hunter2");
    expect([code, output]).toEqual([2, expect.stringMatching(message)]);
    expect(output).not.toMatch(/\n\s+at /);
  });

  it.each(["twice", "race", "conflict"])(
    "--plan %s: a receiver that lets each payout take effect once is valid",
    async (plan) => {
      const { handler, ran } = receiver();
      const to = await startReceiver(nodeHandler(handler));
      const { output, code } = await webhook(["fire", "--to", to, "--auth", "none", "--plan", plan]);
      expect([code, ran.length]).toEqual([0, 1]);
      expect(output).toMatch(/^Request 2$/m);
      expect(output).toMatch(/✔ the acknowledgements are valid/);
      expect(output.includes("onConflict")).toBe(plan === "conflict");
    },
  );

  it("--plan conflict: contradicts a status in lower case, too", async () => {
    const { handler, told } = receiver();
    const to = await startReceiver(nodeHandler(handler));
    const body = JSON.stringify({ status: "failed", client_referenceId: "r-1", transactionId: "T1", txn_amount: 5 });
    const { code } = await webhook(["fire", "--to", to, "--auth", "none", "--plan", "conflict", "--body", body]);
    expect([code, told]).toEqual([0, [{ hook: "onConflict", event: "FAILED then SUCCESS" }]]);
  });

  it.each(["twice", "race", "conflict"])("--plan %s: one that always says SUCCESS is not", async (plan) => {
    const to = await startReceiver(async (request, response) => {
      const { client_referenceId } = JSON.parse(await text(request));
      const fields = { http_status: true, status: "SUCCESS", statusCode: "200", acknowledged: "1" };
      response.end(JSON.stringify({ ...fields, client_referenceId }));
    });
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none", "--plan", plan]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^✖ .*may have taken effect twice/m)]);
  });

  it("takes a `Server` header, which proxies add automatically, as a warning", async () => {
    const { handler } = receiver();
    const listener = nodeHandler(handler);
    const to = await startReceiver((request, response) => {
      response.setHeader("server", "nginx");
      void listener(request, response);
    });
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/^! The header "server" reveals/m)]);
  });

  it("prints deliveries, responses, problems and warnings as JSON with --json", async () => {
    const to = await startReceiver(
      (_, response) => void response.setHeader("server", "nginx").end('{"status":"SUCCESS","x":"\u009b2J"}'),
    );
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none", "--json", "--plan", "twice"]);
    const report = JSON.parse(output);
    expect([code, report.ok, report.problems]).toEqual([1, false, [expect.stringMatching(/taken effect twice/)]]);
    expect(report.deliveries).toHaveLength(2);
    expect(report.deliveries[0]).toMatchObject({
      request: { headers: ["content-type"], body: expect.stringContaining("client_referenceId") },
      response: { status: 200, body: '{"status":"SUCCESS","x":"\u009b2J"}', duration: expect.any(Number) },
      problems: expect.arrayContaining([expect.stringMatching(/http_status/)]),
      warnings: [expect.stringMatching(/"server" reveals/)],
    });
    expect(output).not.toContain("\u009b");
    const none = await webhook(["fire", "--to", "http://127.0.0.1:1/", "--auth", "none", "--json"]);
    expect(JSON.parse(none.output).deliveries[0].response).toMatchObject({ status: null, body: null });
    const refused = await webhook(["fire", "--to", to, "--json"], { SERVICEAPI_WEBHOOK_SECRET: "" });
    expect([refused.code, JSON.parse(refused.output).error.kind]).toEqual([2, "configuration"]);
  });

  it("shows the response of a receiver without its escape sequences", async () => {
    const to = await startReceiver((_, response) => void response.end("no \u001b]52;c;x\u0007JSON\u009b2J"));
    const { output } = await webhook(["fire", "--to", to, "--auth", "none"]);
    expect(output).toMatch(/^ {2}body {8}no JSON$/m);
  });

  it("reads the start of a body that never ends, and hangs up", async () => {
    const hungUp = Promise.withResolvers<void>();
    const to = await startReceiver((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
      };
      response.on("drain", more).on("close", hungUp.resolve);
      more();
    });
    const { output, code } = await webhook(["fire", "--to", to, "--auth", "none"]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^Response\n {2}status {6}200\n {2}body {8}x+\n/m)]);
    expect(output).toMatch(/^✖ .*not a JSON object/m);
    await hungUp.promise;
  });
});
