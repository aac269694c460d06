import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build as bundle } from "esbuild";
import { workerdPort } from "../../support/workerd-port.ts";
import type { Settings } from "../program/context.ts";
import { parts } from "../program/run.ts";
import type { PackageUnderTest } from "./package-under-test.ts";
import { build, here, modules } from "./paths.ts";
import { start, type Written } from "./process.ts";

/**
 * workerd as it runs in production, without flags, except that it may reach this machine. The date decides what there
 * is: of late Node's modules and `process`, early in 2025 neither, nor a `FinalizationRegistry`.
 */
export type CompatibilityDate = "2026-11-01" | "2025-01-01";

const config = (date: CompatibilityDate): string => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${date}",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
  v8Flags = ["--expose-gc"],
);
`;

export async function runInWorkerd(
  date: CompatibilityDate,
  files: PackageUnderTest,
  settings: Settings,
): Promise<Written> {
  const folder = join(build, `workerd-${date}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.capnp"), config(date));
  await bundleWorker(files, settings, join(folder, "worker.js"));

  const command = join(modules, "@cloudflare/workerd-linux-64/bin/workerd");
  const { child, written } = start(command, ["serve", "--control-fd=3", join(folder, "config.capnp")], {}, 4);
  try {
    const port = await workerdPort(child.stdio[3] as Readable);
    let out = "";
    for (const part of Object.keys(parts)) {
      const response = await fetch(`http://127.0.0.1:${port}/${part}`);
      const lines = await response.text();
      if (!response.ok) throw new Error(`workerd answered ${part} with ${response.status}: ${lines}\n${written.err}`);
      out += `${lines}\n`;
    }
    return { out: out + written.out, err: written.err };
  } finally {
    child.kill();
    await once(child, "close");
  }
}

/** The worker is one file, as wrangler makes it. */
async function bundleWorker(files: PackageUnderTest, settings: Settings, outfile: string): Promise<void> {
  const entry = `
    import * as serviceapi from ${JSON.stringify(files.serviceapi)};
    import * as webhooks from ${JSON.stringify(files.webhooks)};
    import { createWorker } from "./program/worker.ts";
    export default createWorker({ serviceapi, webhooks }, ${JSON.stringify(settings)});`;
  await bundle({
    stdin: { contents: entry, resolveDir: here },
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker"],
    logLevel: "error",
  });
}
