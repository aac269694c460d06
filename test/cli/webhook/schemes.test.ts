import { describe, expect, it } from "vitest";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { basic, hmac, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { receiver } from "../../webhooks/support.ts";
import { secret, startReceiver, webhook } from "./support.ts";

describe("the scheme of serviceapi webhook fire, as the receiver is configured", () => {
  const seen: Record<string, string>[] = [];
  const ask = async (check: WebhookCheck, options: string[], given = secret, auth = "hmac") => {
    const { handler, ran } = receiver({}, { auth: [check], findOrder: "none" });
    seen.length = 0;
    const listener = nodeHandler(handler);
    const to = await startReceiver((request, response) => {
      seen.push(Object.fromEntries(Object.entries(request.headersDistinct).map(([name, all]) => [name, `${all}`])));
      void listener(request, response);
    });
    const { output, code } = await webhook(["fire", "--to", to, "--auth", auth, ...options], {
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
      ...{ timestampHeader: "x-t", timestampFormat: "milliseconds", nonceHeader: "x-n" },
    });
    const { handler, ran } = receiver({}, { auth: [check] });
    const to = await startReceiver(nodeHandler(handler));
    const signing = ["--encoding", "base64", "--signed", "nonce.timestamp.body", "--nonce-header", "x-n"];
    const timing = ["--timestamp-header", "x-t", "--timestamp-format", "milliseconds"];
    const options = ["fire", "--to", to, "--plan", "race", "--secret-stdin", ...signing, ...timing];
    const { output, code } = await webhook(options, {}, `${secret}\n`);
    expect([code, output]).toEqual([0, expect.stringMatching(/✔ the acknowledgements are valid/)]);
    expect(ran).toHaveLength(1);
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
    expect((await ask(check, ["--body", `@${temporaryFile("event.json", own)}`])).code).toBe(0);
    expect((await ask(check, ["--body", "no JSON"])).code).toBe(1);
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
    [["--auth", "none", "--nonce-header", "n"], /--nonce-header has no effect without --timestamp-header/],
    [["--timestamp-header", "t"], /does not cover the timestamp/],
    [["--signed", "everything"], /Allowed choices are body, timestamp\.body/],
    [
      ["--timestamp-header", "X-Signature", "--signed", "timestamp.body"],
      /--timestamp-header names the header of --header/,
    ],
    [["--header", "Content-Type"], /--header names the header of the content type/],
    [
      ["--auth", "none", "--timestamp-header", "x-t", "--nonce-header", "X-T"],
      /--nonce-header names the header of --time/,
    ],
    [["--auth", "basic", "--timestamp-header", "Authorization"], /names the header of the credentials/],
    [["--body", "{}", "--amount", "7"], /--amount has no effect with --body/],
    [["--body", "@/no/such/file"], /--body: the file \/no\/such\/file does not exist\. Check its name/],
    [["--body", "[]", "--plan", "conflict"], /JSON object/],
  ])("refuses %j with a message, not a stack", async (options, message) => {
    const { output, code } = await webhook(["fire", "--to", "http://127.0.0.1:1/", ...options], {
      SERVICEAPI_WEBHOOK_SECRET: `whsec_${btoa(secret)}`,
    });
    expect([code, output]).toEqual([2, expect.stringMatching(message)]);
    expect(output).not.toMatch(/\n\s+at /);
  });
});
