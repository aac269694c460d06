/** The processes of a run: the client on one core, the server on another, where `taskset` exists. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

export const cores = { client: 0, server: 1 } as const;

/** Whether processes can be bound to the cores. Without it the figures are noisier, and no different. */
export const isPinned = availableParallelism() > 1 && Object.values(cores).every(canPin);

function canPin(core: number): boolean {
  return spawnSync("taskset", ["-c", String(core), "true"]).status === 0;
}

/** Program and leading arguments that run Node on a core. */
export function nodeOn(core: number | "any", flags: readonly string[] = []): readonly [string, ...string[]] {
  return isPinned && core !== "any"
    ? ["taskset", "-c", String(core), process.execPath, ...flags]
    : [process.execPath, ...flags];
}

export interface ForkOptions {
  readonly core?: number | "any";
  readonly args?: readonly string[];
  readonly flags?: readonly string[];
}

/** Forks a module of bench/ on a core. */
export function forkOn(file: string, { core = cores.client, args = [], flags = [] }: ForkOptions = {}): ChildProcess {
  const [execPath, ...execArgv] = nodeOn(core, flags);
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { execPath, execArgv });
}

/** Runs a module of bench/ in a child process and returns the one message that it sends. */
export async function inChild<Message>(file: string, options: ForkOptions): Promise<Message> {
  const child = forkOn(file, options);
  const sent = once(child, "message");
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`${file} exited with ${code}`)));
  const [message] = await Promise.race([sent, failed]);
  failed.catch(() => {});
  child.kill();
  return message as Message;
}

/** Starts the server in its own process and returns its URL. */
export async function startServer(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = forkOn("server.ts", { core: cores.server });
  const [port] = (await once(server, "message")) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => server.disconnect() };
}
