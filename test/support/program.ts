import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The project's folder: there, `serviceapi/…` is the package as it was built. */
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The outcome of a program. */
export interface ProgramResult {
  readonly exitCode: number | null;
  /** Everything that it printed, errors included. */
  readonly output: string;
}

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a TypeScript program in a separate process, at most two at a time, with nothing of the service in its
 * environment but `env`.
 */
export async function runProgram(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  if (running >= 2) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    const result = await run(file, args, env);
    return isBugOfV8(result) ? await run(file, args, env) : result;
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** V8 of Node 24 now and then ends a process with WebAssembly (PGlite) so, whatever the program does. */
function isBugOfV8({ exitCode, output }: ProgramResult): boolean {
  return exitCode === null && output.includes("# Check failed: jit_page.has_value()");
}

function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProgramResult> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SERVICEAPI_|TRACE_ID$|TOKEN$|VITEST|NODE_OPTIONS$|FORCE_COLOR$)/.test(name),
  );
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, output }));
  });
}
