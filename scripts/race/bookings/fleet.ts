/** The processes of the shop, which share a journal. A killed process is replaced, as by an orchestrator. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endOf } from "../fleet.ts";

export interface Task {
  readonly id: number;
  readonly order: string;
  readonly client: number;
}

/** The response of the shop to a client. */
export interface Attempted {
  /** `booked`, or the name of the error. */
  readonly what: string;
  /** True if the order is booked, by this client or another. */
  readonly isBooked: boolean;
}

export interface Fleet {
  /** Makes one of the processes attempt an order. */
  attempt(order: string, client: number): Promise<Attempted>;
  /** Kills one of the processes, if all are running. */
  kill(): void;
  stop(): Promise<void>;
}

const size = 4;
/** The row of the processes that ended otherwise than by SIGKILL. */
export const crashes = "PROCESSES CRASHED";

export async function startFleet(args: readonly string[], count: (what: string) => void): Promise<Fleet> {
  const members = new Set<ChildProcess>();
  const all = new Set<ChildProcess>();
  let isStopping = false;
  let tasks = 0;

  const start = async (): Promise<void> => {
    const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), args);
    child.setMaxListeners(0);
    all.add(child);
    child.once("exit", (code, signal) => {
      members.delete(child);
      all.delete(child);
      const end = endOf(code, signal, isStopping);
      if (end !== "stopped") count(end === "killed" ? "processes killed" : crashes);
      if (!isStopping) void start();
    });
    const ready = once(child, "message").then(() => void members.add(child));
    await Promise.race([ready, once(child, "exit")]);
  };
  await Promise.all(Array.from({ length: size }, start));
  const pick = async (): Promise<ChildProcess> => {
    for (;;) {
      const member = [...members][Math.floor(Math.random() * members.size)];
      if (member !== undefined) return member;
      await sleep(20);
    }
  };

  return {
    async attempt(order, client) {
      const child = await pick();
      tasks += 1;
      const id = tasks;
      return new Promise((resolve) => {
        const done = (result: Attempted) => {
          child.off("message", onMessage).off("exit", onExit);
          resolve(result);
        };
        const onMessage = (message: Attempted & { readonly id?: number }) => {
          if (message.id === id) done(message);
        };
        const onExit = () => done({ what: "the process died", isBooked: false });
        child.on("message", onMessage).on("exit", onExit);
        child.send({ id, order, client } satisfies Task, (error) => error && onExit());
      });
    },
    kill() {
      // On a slow machine, no process would be left.
      if (members.size === size) [...members][Math.floor(Math.random() * size)]?.kill("SIGKILL");
    },
    async stop() {
      isStopping = true;
      // Processes that are still starting have to stop as well.
      const exits = [...all].map((child) => once(child, "exit"));
      for (const child of all) child.kill("SIGKILL");
      await Promise.all(exits);
    },
  };
}
