import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hmac, sign } from "../../../src/webhooks/index.ts";
import { findPort } from "../../support/server.ts";
import { eventOf } from "../support.ts";

const secret = "the secret of the panel";
const check = hmac({ header: "x-signature", secrets: [secret] });
const modules = "test/runtimes/node_modules";
const directory = mkdtempSync(join(tmpdir(), "serviceapi-runtimes-"));
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * The command that runs the bundled example in each runtime; the binaries come with `npm --prefix test/runtimes ci`.
 */
const runtimes = {
  deno: {
    binary: `${modules}/@deno/linux-x64-glibc/deno`,
    example: "examples/webhooks-deno/server.ts",
    options: (file: string) => ["run", "--allow-net", "--allow-env", file],
  },
  bun: {
    binary: `${modules}/@oven/bun-linux-x64/bin/bun`,
    example: "examples/webhooks-bun/server.ts",
    options: (file: string) => ["run", file],
  },
  workerd: {
    binary: `${modules}/@cloudflare/workerd-linux-64/bin/workerd`,
    example: "examples/webhooks-workers/worker.ts",
    options: (file: string, port: number) => ["serve", writeWorkerdConfig(file, port)],
  },
};

describe.each(Object.entries(runtimes))(
  "the example for %s, on the real runtime",
  (name, { binary, example, options }) => {
    describe.skipIf(!existsSync(binary))("(left out without it: npm --prefix test/runtimes ci)", () => {
      let url: string;
      let stop: () => void;
      beforeAll(async () => {
        const outfile = join(directory, `${name}.mjs`);
        await build({
          entryPoints: [example],
          bundle: true,
          format: "esm",
          platform: "neutral",
          outfile,
          logLevel: "error",
        });
        const port = await findPort();
        url = `http://127.0.0.1:${port}/webhooks/payouts`;
        const child = spawn(binary, options(outfile, port), {
          env: { ...process.env, PORT: String(port), SERVICEAPI_WEBHOOK_SECRET: secret },
          stdio: "ignore",
        });
        stop = () => child.kill();
        const isListening = () =>
          fetch(url, { method: "POST" }).then(
            () => true,
            () => false,
          );
        while (!(await isListening())) expect(child.exitCode).toBeNull();
      });
      afterAll(() => stop());

      it("acknowledges SUCCESS, then DUPLICATE, and refuses a forgery", async () => {
        const { headers, body } = await sign(eventOf("SUCCESS", { description: "₹ नमस्ते" }), check);
        const post = async (sent: string) => {
          const response = await fetch(url, { method: "POST", headers, body: sent });
          return [response.status, ((await response.json()) as { status: string }).status];
        };
        expect(await post(body)).toEqual([200, "SUCCESS"]);
        expect(await post(body)).toEqual([200, "DUPLICATE"]);
        expect(await post(body.replace("1500.5", "9999.5"))).toEqual([200, "FAILED"]);
        expect(await post("x".repeat(65_537))).toEqual([200, "FAILED"]);
      });
    });
  },
);

/** No compatibility flag: the receiver needs no Node module. */
function writeWorkerdConfig(file: string, port: number): string {
  const config = join(directory, "config.capnp");
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${file.split("/").at(-1)}")],
  bindings = [(name = "SERVICEAPI_WEBHOOK_SECRET", text = "${secret}")],
  compatibilityDate = "2025-01-01",
);
`,
  );
  return config;
}
