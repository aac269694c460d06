import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { watchOutput } from "./leaks/found.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The output of a command, and its exit code or the signal that ended it. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Launched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** The environment and input of a run. */
export interface RunOptions {
  /** Standard input; null leaves it open. @default "" */
  readonly stdin?: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node. */
  readonly nodeArgs?: readonly string[];
  /** The user who runs it, which needs root. @default the user of the tests */
  readonly uid?: number | undefined;
}

/** Runs `serviceapi` as a process whose standard streams are pipes. */
export async function serviceapi(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return await launch(args, options).ended;
}

/** Starts it, for tests that send signals or close pipes. */
export function launch(args: readonly string[], { nodeArgs = [], ...options }: RunOptions = {}): Launched {
  // After `--` Node leaves `--dotenv` to the program; otherwise a file that is missing is Node's own exit code 9.
  return launchProgram(process.execPath, [...nodeArgs, "--", main, ...args], options);
}

/** Starts another program in the same way, such as a shell that starts `serviceapi`. */
export function launchProgram(
  program: string,
  args: readonly string[],
  { stdin = "", env = {}, uid }: Omit<RunOptions, "nodeArgs"> = {},
): Launched {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(program, args, { cwd: root, env: environment(env), ...user });
  killAfterTest(child);
  child.stdin.on("error", () => {});
  if (stdin !== null) child.stdin.end(stdin);
  const ended = Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]).then(
    ([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal }),
  );
  return { child, ended };
}

/** Returns what was read until the end, or until the test closed the pipe. */
async function readAll(stream: Readable): Promise<string> {
  let output = "";
  stream.setEncoding("utf8").on("data", (part: string) => (output += part));
  await once(stream, "close");
  return output;
}

/** A `serviceapi` that runs until it is stopped. */
export interface Running {
  readonly output: () => string;
  /** Resolves once the output from a position on matches, with the position behind the match. */
  until(pattern: RegExp, from?: number): Promise<number>;
  write(text: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly exit: Promise<number | null>;
}

/** Starts `serviceapi` in a pseudo-terminal (script(1) of util-linux): colours, keys, Ctrl-C as `\u0003`. */
export function openTerminal(
  args: readonly string[],
  {
    env = {},
    columns = 60,
    rows = 24,
  }: { env?: Readonly<Record<string, string>>; columns?: number; rows?: number } = {},
): Running {
  const quoted = [process.execPath, main, ...args].map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(" ");
  const command = `stty cols ${columns} rows ${rows}; exec ${quoted}`;
  const given = environment({ TERM: "xterm-256color", SHELL: "/bin/sh", ...env });
  return observe(spawn("script", ["-qec", command, "/dev/null"], { cwd: root, env: given }));
}

/** Starts `serviceapi` as a process whose standard streams are pipes. */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return observe(spawn(process.execPath, [main, ...args], { cwd: root, env: environment(env) }));
}

function observe(child: ChildProcess): Running {
  killAfterTest(child);
  let output = "";
  const parts = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part) => {
      output += part;
      parts.emit("part");
    });
  }
  const exit = once(child, "close").then(([code]): number | null => code);
  // It rejects if the process cannot be started: that fails the test that waits for it, and no other.
  exit.catch(() => {});
  return {
    output: () => output,
    exit,
    write: (text) => void child.stdin?.write(text),
    kill: (signal) => void child.kill(signal),
    until: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output.slice(from));
          if (match === null) return;
          parts.off("part", look);
          resolve(from + match.index + match[0].length);
        };
        parts.on("part", look);
        exit.then(() => reject(new Error(`ended before ${pattern}: ${JSON.stringify(output.slice(from))}`)), reject);
        look();
      }),
  };
}

function killAfterTest(child: ChildProcess): void {
  watchOutput(child);
  onTestFinished(() => void child.kill("SIGKILL"));
}

/** Settings of this machine are left out. Windows needs more than PATH. */
function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:SERVICEAPI_|NODE_|VITEST|XDG_|COLUMNS$|(?:NO|FORCE)_COLOR$|CI$|(?:https?|all|no)_proxy$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ...env };
}
