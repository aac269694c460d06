/** Builds the application in `application/` with the Next.js of the project, starts it, and uses each of its routes. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert";
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "serviceapi/emulator";
import { hmac, sign } from "serviceapi/webhooks";
import { payout } from "../payouts.mjs";
import { ended, listening } from "../servers.mjs";
import { variant } from "../variants.mjs";

cpSync(join(import.meta.dirname, "application"), ".", { recursive: true });
const secret = "of this run alone";
const signature = hmac({ header: "x-signature", secrets: [secret] });
const emulator = await createEmulator({ pace: 0 }).listen();
const env = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: "1",
  SERVICEAPI_BASE_URL: emulator.url,
  SERVICEAPI_WEBHOOK_SECRET: secret,
};

let application;
let url;
await variant("build", async () => {
  const { code, output } = await ended(next("build"));
  strictEqual(code, 0, output);
  // What the edge build complains of, it only warns of.
  doesNotMatch(
    output,
    /not supported in the Edge Runtime|A Node\.js (?:API|module) is (?:used|loaded)|Module not found/,
  );
});
await variant("start", async () => {
  application = next("start", "--hostname", "127.0.0.1", "--port", "0");
  url = await listening(application, /(http:\/\/127\.0\.0\.1:\d+)[\s\S]*Ready/);
  match(await (await fetch(url)).text(), /6000000001/);
});

for (const runtime of ["node", "edge"]) {
  await variant(`${runtime}: a signed delivery`, async () => {
    const delivery = await sign(payout(`po-${runtime}`), signature);
    strictEqual(await deliver(runtime, { ...delivery, headers: { "x-signature": "00" } }), "FAILED");
    strictEqual(await deliver(runtime, { ...delivery, body: delivery.body.replace("1500.5", "9999.5") }), "FAILED");
    strictEqual(await deliver(runtime, delivery), "SUCCESS");
    strictEqual(await deliver(runtime, delivery), "DUPLICATE");
  });
  await variant(`${runtime}: a stream, relayed by toResponse()`, async () => {
    const body = JSON.stringify({ text: "नमस्ते" });
    const response = await fetch(`${url}/${runtime}/chat`, { method: "POST", body });
    match(response.headers.get("content-type"), /^text\/event-stream/);
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
    strictEqual(events.at(-1).event, "response_completed");
    match(events.at(-1).system.text, /> नमस्ते/);
  });
  await variant(`${runtime}: the emulator`, async () => {
    const { vpas, text } = await (await fetch(`${url}/${runtime}/emulator`)).json();
    deepStrictEqual([vpas, text.includes("> hello")], [3, true]);
  });
}
application?.kill();
await emulator.close();

function next(...args) {
  return spawn(process.execPath, ["node_modules/next/dist/bin/next", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function deliver(runtime, { headers, body }) {
  const response = await fetch(`${url}/${runtime}/hook`, { method: "POST", headers, body });
  return (await response.json()).status;
}
