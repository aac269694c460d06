/** The processes that share a store. A killed process is replaced, as by an orchestrator. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Lab, StoreName } from "./lab.ts";
import { createReceiver } from "./receiver.ts";

export interface Fleet {
  /** Returns the URL of one of the processes. */
  pick(): string;
  /** The IDs of the processes that were killed. */
  readonly killed: ReadonlySet<number>;
  stop(): Promise<void>;
}

export async function startFleet(
  name: StoreName,
  url: string,
  lab: Lab,
  count: (what: string) => void,
): Promise<Fleet> {
  return name === "memory" ? startOne(lab, count) : startEight(name, url, count);
}

/** The memory store serves one process: this one. */
async function startOne(lab: Lab, count: (what: string) => void): Promise<Fleet> {
  const server = createReceiver(lab, false, count).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { pick: () => address, killed: new Set(), stop: async () => void server.close().closeAllConnections() };
}

async function startEight(name: StoreName, url: string, count: (what: string) => void): Promise<Fleet> {
  const members = new Map<ChildProcess, string>();
  const killed = new Set<number>();
  let isStopping = false;

  const start = async (): Promise<void> => {
    const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [name, url]);
    child.once("exit", (code, signal) => {
      members.delete(child);
      const end = endOf(code, signal, isStopping);
      if (end !== "stopped") count(`processes ${end}`);
      if (end === "killed") killed.add(child.pid ?? 0);
      if (!isStopping) void start();
    });
    const ready = new Promise<void>((resolve) => {
      child.on("message", (message: { readonly port?: number; readonly count?: string }) => {
        if (message.count !== undefined) count(message.count);
        if (message.port === undefined) return;
        members.set(child, `http://127.0.0.1:${message.port}/`);
        resolve();
      });
    });
    await Promise.race([ready, once(child, "exit")]);
    // A process that started while the others were stopping has to stop as well.
    if (isStopping && child.connected) child.disconnect();
  };
  await Promise.all(Array.from({ length: 8 }, start));

  return {
    killed,
    pick() {
      const addresses = [...members.values()];
      return addresses[Math.floor(Math.random() * addresses.length)] ?? "http://127.0.0.1:1/";
    },
    async stop() {
      isStopping = true;
      const exits = [...members.keys()].map(async (child) => {
        const exited = once(child, "exit");
        if (child.connected) child.disconnect();
        await exited;
      });
      await Promise.all(exits);
    },
  };
}

/** Returns how a process ended. Workers kill themselves with SIGKILL, so any other end before the stop is a crash. */
export function endOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  isStopping: boolean,
): "killed" | "crashed" | "stopped" {
  if (isStopping && (code === 0 || signal === "SIGKILL")) return "stopped";
  return signal === "SIGKILL" ? "killed" : "crashed";
}
