import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build as bundle } from "esbuild";
import { workerdPort } from "../../support/workerd-port.ts";
import { build, here, modules } from "./paths.ts";
import { start, type Written } from "./process.ts";
import type { Program } from "./program.ts";

/**
 * workerd as it runs in production, without flags, except that it may reach this machine. The date decides what there
 * is: of late Node's modules and `process`, early in 2025 neither, nor a `FinalizationRegistry`.
 */
export type CompatibilityDate = "2026-11-01" | "2025-01-01";

const config = (
  date: CompatibilityDate,
  authorities: readonly string[],
): string => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${date}",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"], 
      tlsOptions = (trustBrowserCas = true, trustedCertificates = ${JSON.stringify(authorities)}))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
  v8Flags = ["--expose-gc"],
);
`;

export async function runInWorkerd(date: CompatibilityDate, program: Program): Promise<Written> {
  const { worker, requests, authority } = program;
  await mkdir(build, { recursive: true });
  const folder = await mkdtemp(join(build, `workerd-${date}-`));
  const authorities = authority === undefined ? [] : [await readFile(authority, "utf8")];
  await writeFile(join(folder, "config.capnp"), config(date, authorities));
  await bundleWorker(worker, join(folder, "worker.js"));

  const command = join(modules, "@cloudflare/workerd-linux-64/bin/workerd");
  const { child, written } = start(command, ["serve", "--control-fd=3", join(folder, "config.capnp")], {}, 4);
  try {
    const port = await workerdPort(child.stdio[3] as Readable);
    let out = "";
    for (const path of requests) {
      const response = await fetch(`http://127.0.0.1:${port}/${path}`);
      const lines = await response.text();
      if (!response.ok) throw new Error(`workerd answered ${path} with ${response.status}: ${lines}\n${written.err}`);
      out += `${lines}\n`;
    }
    return { out: out + written.out, err: written.err };
  } finally {
    child.kill();
    await once(child, "close");
    await rm(folder, { recursive: true, force: true });
  }
}

/** The worker is one file, as wrangler makes it. */
async function bundleWorker(contents: string, outfile: string): Promise<void> {
  await bundle({
    stdin: { contents, resolveDir: here },
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker"],
    logLevel: "error",
  });
}
