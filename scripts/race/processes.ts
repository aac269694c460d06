/** The processes of a race. A killed one is replaced, as by an orchestrator. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export type Count = (what: string) => void;

/** The first message of a process, when it is ready: its URL, if it has one. Later ones name what they count. */
export interface Message {
  readonly url?: string;
  readonly count?: string;
}

export interface Processes {
  /** The IDs of those that were killed. */
  readonly killed: ReadonlySet<number>;
  /** Returns one that is ready, with its URL, as soon as there is one. */
  pick(): Promise<readonly [process: ChildProcess, url: string]>;
  /** Kills one of them, if all are ready: on a slow machine none would be left. */
  kill(): void;
  stop(): Promise<void>;
}

export async function startProcesses(
  program: URL,
  args: readonly string[],
  size: number,
  count: Count,
): Promise<Processes> {
  const all = new Set<ChildProcess>();
  const ready = new Map<ChildProcess, string>();
  const killed = new Set<number>();
  let isStopping = false;

  const start = async (): Promise<void> => {
    const child = fork(fileURLToPath(program), args);
    child.setMaxListeners(0);
    all.add(child);
    child.once("exit", (code, signal) => {
      all.delete(child);
      ready.delete(child);
      const end = endOf(code, signal, isStopping);
      if (end !== "stopped") count(`processes ${end}`);
      if (end === "killed") killed.add(child.pid ?? 0);
      if (!isStopping) void start();
    });
    child.on("message", ({ count: what }: Message) => {
      if (what !== undefined) count(what);
    });
    const isReady = once(child, "message").then(([message]: Message[]) => void ready.set(child, message?.url ?? ""));
    await Promise.race([isReady, once(child, "exit")]);
  };
  await Promise.all(Array.from({ length: size }, start));
  const any = () => [...ready][Math.floor(Math.random() * ready.size)];

  return {
    killed,
    async pick() {
      for (;;) {
        const found = any();
        if (found !== undefined) return found;
        await sleep(20);
      }
    },
    kill() {
      if (ready.size === size) any()?.[0].kill("SIGKILL");
    },
    async stop() {
      isStopping = true;
      // Those that are still starting have to stop as well.
      const exits = [...all].map((child) => once(child, "exit"));
      for (const child of all) child.kill("SIGKILL");
      await Promise.all(exits);
    },
  };
}

/** Returns how a process ended: other than by SIGKILL, it is a crash. */
export function endOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  isStopping: boolean,
): "killed" | "crashed" | "stopped" {
  if (isStopping && (code === 0 || signal === "SIGKILL")) return "stopped";
  return signal === "SIGKILL" ? "killed" : "crashed";
}

/** Runs tasks, at most a number of them at the same time. */
export async function runAll(tasks: Iterable<() => Promise<unknown>>, atOnce: number): Promise<void> {
  const left = tasks[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await next.value();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
