import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { workerdPort } from "./workerd-port.ts";

/** Comes with `npm --prefix test/runtimes ci`. */
const binary = "test/runtimes/node_modules/@cloudflare/workerd-linux-64/bin/workerd";
export const hasWorkerd = existsSync(binary);

/**
 * Serves a worker by a real workerd while the tests of a file run.
 *
 * @param source - The worker, whose imports are relative to the repository.
 * @param settings - Further settings of the worker: text of its configuration.
 * @returns A function that returns the URL, from `beforeAll` on.
 */
export function serveWorker(source: string, settings = ""): () => string {
  const directory = mkdtempSync(join(tmpdir(), "serviceapi-worker-"));
  let url = "";
  let stop = async () => {};
  beforeAll(async () => {
    await build({
      stdin: { contents: source, resolveDir: "." },
      external: ["cloudflare:workers"],
      bundle: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      outfile: join(directory, "worker.mjs"),
      logLevel: "error",
    });
    writeFileSync(join(directory, "config.capnp"), configOf(directory, settings));
    const child = spawn(binary, ["serve", "--control-fd=3", join(directory, "config.capnp")], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    stop = async () => {
      child.kill();
      await once(child, "close");
    };
    url = `http://127.0.0.1:${await workerdPort(child.stdio[3] as Readable)}`;
  }, 60_000);
  afterAll(async () => {
    await stop();
    rmSync(directory, { recursive: true });
  });
  return () => url;
}

const configOf = (directory: string, settings: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "${directory}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
  ${settings}
);`;
