/** The workers. A killed one is replaced on the same port, as by an orchestrator; the first two are never killed. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findPort } from "../store-servers.ts";
import type { Exit, Span } from "./accounts/truth.ts";
import type { Chance } from "./chance.ts";
import type { WorkerSettings } from "./worker-settings.ts";

export interface Fleet {
  /** The URLs at which the workers receive payouts. */
  readonly urls: readonly [string, ...string[]];
  /** The processes that have ended. */
  readonly exits: readonly Exit[];
  /** Times in which a process was suspended. */
  readonly suspensions: readonly Span[];
  /** Kills a worker. Returns the number of workers that died of it. */
  kill(): Promise<number>;
  /** Suspends a worker, as a machine that sleeps. Returns the number of workers that continued afterwards. */
  suspend(duration: number): Promise<number>;
  /** Sets the clocks of the workers. Returns their number. */
  setAhead(milliseconds: number): number;
  /** Lets the calls end that were made, and makes no more. */
  stopCalls(): Promise<void>;
  /** Closes what the workers opened, and waits until they have ended. */
  end(): Promise<void>;
}

interface Member {
  readonly child: ChildProcess;
  readonly process: string;
  isReady: boolean;
  /** The kind of its end, if it ends now. */
  how: Exit["how"];
}

const size = 4;
/** One with the `fetch` of `serviceapi/node`, and one with Node's: they live long enough to measure their memory. */
const lasting = 2;
/** Milliseconds in which a process has to end once it has closed everything. */
const endLimit = 10_000;

type Shared = Omit<WorkerSettings, "process" | "port" | "seed" | "ahead" | "ownFetch">;

export async function startFleet(shared: Shared, chance: Chance): Promise<Fleet> {
  const members: Member[] = [];
  const exits: Exit[] = [];
  const suspensions: Span[] = [];
  const ports: number[] = [];
  let [ahead, started, isClosing] = [0, 0, false];

  const start = async (slot: number): Promise<void> => {
    started += 1;
    const process = `w${slot}n${started}`;
    const settings: WorkerSettings = {
      ...shared,
      ...{ process, ahead, port: ports[slot] ?? 0, seed: Math.floor(chance.next() * 2 ** 31) },
      ownFetch: slot % 2 === 0,
    };
    const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [JSON.stringify(settings)], {
      execArgv: ["--expose-gc"],
    });
    const member: Member = { child, process, isReady: false, how: "crashed" };
    members[slot] = member;
    child.once("exit", (code, signal) => {
      exits.push({ process, at: Date.now(), how: endOf(member.how, code, signal) });
      if (!isClosing) void start(slot);
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
    member.isReady = true;
  };
  for (let slot = 0; slot < size; slot += 1) ports.push(await findPort());
  await Promise.all(ports.map((_, slot) => start(slot)));

  /** Returns one that may be killed, as soon as one is ready. */
  const pick = async (): Promise<Member> => {
    for (;;) {
      const [first, ...others] = members.slice(lasting).filter(({ isReady, child }) => isReady && child.connected);
      if (first !== undefined) return chance.pick([first, ...others]);
      await sleep(20);
    }
  };
  const [first = 0, ...others] = ports;
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  return {
    urls: [urlOf(first), ...others.map(urlOf)],
    exits,
    suspensions,
    async kill() {
      const member = await pick();
      const exited = once(member.child, "exit");
      member.how = "killed";
      member.child.kill("SIGKILL");
      await exited;
      return member.child.signalCode === "SIGKILL" ? 1 : 0;
    },
    async suspend(duration) {
      const { child, process } = await pick();
      const from = Date.now();
      child.kill("SIGSTOP");
      await sleep(duration);
      const continues = child.kill("SIGCONT");
      suspensions.push({ name: process, from, to: Date.now() });
      return continues ? 1 : 0;
    },
    setAhead(milliseconds) {
      ahead = milliseconds;
      const connected = members.filter(({ child }) => child.connected);
      for (const { child } of connected) child.send({ ahead });
      return connected.length;
    },
    async stopCalls() {
      while (members.some(({ isReady }) => !isReady)) await sleep(50);
      isClosing = true;
      await Promise.all(members.map(({ child }) => askFor(child, "stopCalls")));
    },
    async end() {
      isClosing = true;
      await Promise.all(
        members.map(async (member) => {
          if (member.child.exitCode !== null) return;
          const exited = once(member.child, "exit");
          member.how = "closed";
          member.child.send({ step: "end" });
          const overdue = setTimeout(() => {
            member.how = "hung";
            member.child.kill("SIGKILL");
          }, endLimit);
          await exited;
          clearTimeout(overdue);
        }),
      );
    },
  };
}

/** A process that ended otherwise than it was made to has crashed. */
export function endOf(how: Exit["how"], code: number | null, signal: NodeJS.Signals | null): Exit["how"] {
  if (how === "killed" && signal !== "SIGKILL") return "crashed";
  return how === "closed" && code !== 0 ? "crashed" : how;
}

async function askFor(child: ChildProcess, step: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    child.on("message", (message: { readonly ended?: string }) => {
      if (message.ended === step) resolve();
    });
    child.once("exit", () => resolve());
  });
  child.send({ step });
  await ended;
}
