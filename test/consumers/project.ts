import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Consumer, here, root } from "./consumers.ts";
import { type Ended, type Row, rowsOf } from "./variants.ts";

/** Longer than any consumer needs, on two busy cores. */
const patienceMs = 600_000;
const npm = process.env.npm_execpath ?? "";

/** Packs the package as it is published; `npm run test:consumers` has built it. */
export async function pack(folder: string): Promise<string> {
  if (!npm.endsWith(".js"))
    throw new Error("Run this with npm: npm run test:consumers, or npx node test/consumers/run.ts");
  const args = [npm, "pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: environment() });
  return join(folder, basename((JSON.parse(stdout) as [{ filename: string }])[0].filename));
}

/** Copies the project to where nothing of this repository is above it, installs the package there and runs its script. */
export async function testConsumer(consumer: Consumer, tarball: string, folder: string): Promise<readonly Row[]> {
  const project = join(folder, consumer.name);
  cpSync(join(here, consumer.name), project, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  cpSync(join(here, "shared"), join(project, "shared"), { recursive: true });
  const installed = await runNpm(["install", tarball, "--save-exact", "--no-fund", "--no-audit"], project, tarball);
  if (installed.code !== 0 || !existsSync(join(project, "node_modules/serviceapi/package.json"))) {
    return [
      { consumer, variant: "npm install", result: "failed", seconds: installed.seconds, output: installed.output },
    ];
  }
  return rowsOf(consumer, await runNpm(["run", "--silent", "test"], project, tarball));
}

async function runNpm(args: readonly string[], cwd: string, tarball: string): Promise<Ended> {
  const startedAt = performance.now();
  const env = { ...environment(), CI: "1", NO_COLOR: "1", SERVICEAPI_TARBALL: tarball };
  // A group of its own, so that a server that the script forgot ends with it.
  const child = spawn(process.execPath, [npm, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => killGroup(child.pid);
  process.once("exit", stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const timer = setTimeout(() => {
    output += `\nkilled after ${patienceMs / 1000} seconds`;
    stop();
  }, patienceMs);
  const [code] = (await once(child, "exit")) as [number | null];
  stop();
  await Promise.all([child.stdout, child.stderr].map((stream) => stream.readableEnded || once(stream, "end")));
  clearTimeout(timer);
  process.off("exit", stop);
  return { code: code ?? undefined, output, seconds: (performance.now() - startedAt) / 1000 };
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended, and with it all that it started.
  }
}

/** The caller's environment with this Node first, and without what `npm run` adds: that describes this package. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || /^npm_config_(?:cache|registry|userconfig)$/i.test(name),
  );
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.includes("node_modules"));
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...path].join(delimiter) };
}
