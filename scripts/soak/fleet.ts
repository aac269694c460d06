/** The workers. A killed one is replaced, as by an orchestrator; the first two are never killed. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Exit, Hit } from "./accounts/truth.ts";
import type { Attempt } from "./calls.ts";
import type { Chance } from "./chance.ts";
import type { WorkerActs, WorkerSettings, WorkerState } from "./worker.ts";

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

interface Member {
  readonly process: string;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  /** The URL at which it receives payouts and does what it is asked for, while it is ready. */
  url: string | undefined;
  /** The kind of its end, if it ends now. */
  how: Exit["how"];
}

/** One with the `fetch` of `serviceapi/node`, and one with Node's: they live long enough to measure their memory. */
const lasting = 2;
/** Milliseconds in which a process has to end once it was killed or has closed everything. */
const endLimit = 10_000;
/** Milliseconds in which a process has to start, also on a slow machine. */
const startLimit = 60_000;

type Shared = Omit<WorkerSettings, "process" | "seed" | "state" | "isLasting" | "ownFetch">;

export async function startFleet(size: number, shared: Shared, chance: Chance) {
  const members: Member[] = [];
  const exits: Exit[] = [];
  let state: WorkerState = { ahead: 0, phase: "during" };
  let [started, isClosing] = [0, false];

  const start = (slot: number): void => {
    started += 1;
    const process = `w${slot}n${started}`;
    const isLasting = slot < lasting;
    const settings: WorkerSettings = {
      ...{ ...shared, process, state, isLasting, ownFetch: slot % 2 === 0 },
      seed: Math.floor(chance.next() * 2 ** 31),
    };
    const program = fileURLToPath(new URL("worker.ts", import.meta.url));
    const child = fork(program, [JSON.stringify(settings)], { execArgv: ["--expose-gc"] });
    // The others kill themselves, too.
    const how = isLasting ? "crashed" : "killed";
    const member: Member = { process, child, exited: once(child, "exit"), url: undefined, how };
    members[slot] = member;
    child.once("message", (url: string) => {
      member.url = url;
    });
    child.once("exit", (code, signal) => {
      member.url = undefined;
      exits.push({ process, at: Date.now(), how: endOf(member.how, code, signal) });
      if (!isClosing) start(slot);
    });
  };
  for (let slot = 0; slot < size; slot += 1) start(slot);

  const ready = () => members.filter(({ url }) => url !== undefined);
  /** Waits until all are ready: on a slow machine none would be left. */
  const untilAllReady = async () => {
    const until = Date.now() + startLimit;
    while (ready().length < size) {
      if (Date.now() > until) throw new Error("A worker does not start.");
      await sleep(20);
    }
  };
  await untilAllReady();
  /** Returns one that may be killed. */
  const pick = async (): Promise<Member> => {
    await untilAllReady();
    return chance.pick(members.slice(lasting));
  };
  return {
    /** Returns the URLs at which workers receive payouts now, first that of one that is never killed. */
    urls: () => ready().flatMap(({ url }) => url ?? []),
    /** The processes that have ended. */
    exits,
    /** Lets one of the workers attempt an order. Returns whether it is booked: if the worker dies, it is not known to be. */
    async attempt(attempt: Attempt): Promise<boolean> {
      if (ready().length === 0) return false;
      return (await ask(chance.pick(ready()), "attempt", attempt)) ?? false;
    },
    /** Kills a worker. Returns the number of workers that died of it. */
    async kill(): Promise<number> {
      const { child, exited } = await pick();
      child.kill("SIGKILL");
      await exited;
      return child.signalCode === "SIGKILL" ? 1 : 0;
    },
    /** Suspends a worker, as a machine that sleeps. It is hit if it continues afterwards. */
    async suspend(duration: number): Promise<Hit> {
      const { child, process } = await pick();
      const from = Date.now();
      child.kill("SIGSTOP");
      await sleep(duration);
      const continues = child.kill("SIGCONT");
      return { hits: continues ? 1 : 0, suspended: { process, from, to: Date.now() } };
    },
    /** Changes the state of all workers. Returns their number. */
    async become(change: Partial<WorkerState>): Promise<number> {
      state = { ...state, ...change };
      await untilAllReady();
      await Promise.all(members.map((member) => ask(member, "become", state)));
      return members.length;
    },
    /** Lets the calls end that were made, and makes no more. */
    async stopCalls(): Promise<void> {
      await untilAllReady();
      isClosing = true;
      await Promise.all(members.map((member) => ask(member, "stopCalls", null)));
    },
    /** Lets the workers close what they opened, and waits until they have ended. */
    async end(): Promise<void> {
      isClosing = true;
      const alive = members.filter(({ child }) => child.connected);
      for (const member of alive) {
        member.how = "closed";
        member.child.disconnect();
      }
      const overdue = setTimeout(() => {
        for (const member of alive) {
          member.how = "hung";
          member.child.kill("SIGKILL");
        }
      }, endLimit);
      await Promise.all(alive.map(({ exited }) => exited));
      clearTimeout(overdue);
    },
  };
}

/** Asks a worker for an act. Returns `undefined` if it ended first. */
async function ask<Name extends keyof WorkerActs>(
  { url, exited }: Member,
  name: Name,
  given: Parameters<WorkerActs[Name]>[0] | null,
): Promise<Awaited<ReturnType<WorkerActs[Name]>> | undefined> {
  try {
    const response = await fetch(`${url}/${name}`, { method: "POST", body: JSON.stringify(given) });
    return await response.json();
  } catch (error) {
    if ((await Promise.race([exited, sleep(endLimit)])) === undefined) throw error;
    return undefined;
  }
}

/** A process that ended otherwise than it was made to has crashed. */
export function endOf(how: Exit["how"], code: number | null, signal: NodeJS.Signals | null): Exit["how"] {
  if (how === "killed" && signal !== "SIGKILL") return "crashed";
  return how === "closed" && code !== 0 ? "crashed" : how;
}
