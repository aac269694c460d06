import { doesNotMatch, match, strictEqual } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createEmulator } from "serviceapi/emulator";
import { hmac, sign } from "serviceapi/webhooks";
import { payout } from "./shared/payouts.mjs";
import { ended, listening } from "./shared/servers.mjs";
import { variant } from "./shared/variants.mjs";

const secret = "of this run alone";
/** Sends nothing out of this machine, and writes nothing outside this folder. */
const quiet = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  XDG_CONFIG_HOME: resolve("config"),
};
const service = await createEmulator({ pace: 0 }).listen();
const setups = {
  "without nodejs_compat": { date: "2024-01-01", flags: [] },
  "with nodejs_compat": { date: "2026-11-01", flags: ["nodejs_compat"] },
};

for (const [name, { date, flags }] of Object.entries(setups)) {
  const config = `wrangler.${flags.length}.json`;
  const settings = { name: "consumer", main: "worker.js", compatibility_date: date, compatibility_flags: flags };
  const vars = { BASE_URL: service.url, WEBHOOK_SECRET: secret };
  writeFileSync(config, JSON.stringify({ ...settings, vars, send_metrics: false }));

  await variant(`${name}: deploy --dry-run`, async () => {
    const { code, output } = await ended(
      wrangler("deploy", "--dry-run", "--outdir", `out/${flags.length}`, "-c", config),
    );
    strictEqual(code, 0, output);
    doesNotMatch(output, /WARNING|ERROR/);
  });

  await variant(`${name}: wrangler dev`, async () => {
    const dev = wrangler("dev", "-c", config, "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0");
    try {
      await use(await listening(dev, /Ready on (http:\/\/127\.0\.0\.1:\d+)/), flags.length > 0);
    } finally {
      dev.kill();
      await once(dev, "close");
    }
  });
}
await service.close();

async function use(url, hasNode) {
  const delivery = await sign(payout("po-worker"), hmac({ header: "x-signature", secrets: [secret] }));
  const deliver = async ({ headers, body }) =>
    (await (await fetch(`${url}/hook`, { method: "POST", headers, body })).json()).status;
  strictEqual(await deliver({ ...delivery, headers: { "x-signature": "00" } }), "FAILED");
  strictEqual(await deliver(delivery), "SUCCESS");
  strictEqual(await deliver(delivery), "DUPLICATE");

  const chat = await fetch(`${url}/chat`, { method: "POST", body: JSON.stringify({ text: "नमस्ते" }) });
  match(chat.headers.get("content-type"), /^text\/event-stream/);
  match(await chat.text(), /event: response_completed\ndata: .*> नमस्ते/);

  const emulated = await (await fetch(`${url}/emulator`)).json();
  strictEqual(emulated.vpas, 3);
  match(emulated.text, /> hello/);
  strictEqual(emulated.listen, hasNode ? "listens" : "configuration");
}

function wrangler(...args) {
  const env = { ...process.env, ...quiet };
  const bin = "node_modules/wrangler/bin/wrangler.js";
  return spawn(process.execPath, [bin, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}
