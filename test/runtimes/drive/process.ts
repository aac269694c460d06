import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Output of a process. */
export interface Written {
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly written: { out: string; err: string };
}

/** Starts a process with nothing of this one's environment but its path, and collects its output. */
export function start(command: string, args: readonly string[], env: Record<string, string> = {}, fds = 3): Started {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
    stdio: Array.from({ length: fds }, (_, fd) => (fd === 0 ? "ignore" : "pipe")),
  });
  const written = { out: "", err: "" };
  child.stdout?.on("data", (chunk: Buffer) => (written.out += chunk));
  child.stderr?.on("data", (chunk: Buffer) => (written.err += chunk));
  return { child, written };
}

/** Runs a process to its end. The patience, in milliseconds, is longer than any runtime needs. */
export async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  patience = 60_000,
): Promise<Written> {
  const { child, written } = start(command, args, env);
  const timer = setTimeout(() => child.kill("SIGKILL"), patience);
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  if (code !== 0) {
    throw new Error(`${command} ended with ${code ?? signal}:\n${written.err}\n${written.out.slice(-2_000)}`);
  }
  return written;
}
