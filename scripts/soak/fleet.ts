/** The workers. A killed one is replaced, as by an orchestrator; the first two are never killed. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exit, Span } from "./accounts/truth.ts";
import { type Asked, orIfEnded, startProgram, untilReady } from "./asks.ts";
import type { Attempt } from "./calls.ts";
import type { Chance } from "./chance.ts";
import type { WorkerActs, WorkerSettings, WorkerState } from "./worker.ts";

export interface Fleet {
  /** Returns the URLs at which workers receive payouts now, first that of one that is never killed. */
  urls(): readonly string[];
  /** The processes that have ended. */
  readonly exits: readonly Exit[];
  /** Times in which a process was suspended. */
  readonly suspensions: readonly Span[];
  /** Lets one of the workers attempt an order. Returns whether it is booked: if the worker dies, it is not known to be. */
  attempt(attempt: Attempt): Promise<boolean>;
  /** Kills a worker. Returns the number of workers that died of it. */
  kill(): Promise<number>;
  /** Suspends a worker, as a machine that sleeps. Returns the number of workers that continued afterwards. */
  suspend(duration: number): Promise<number>;
  /** Changes the state of all workers. Returns their number. */
  become(change: Partial<WorkerState>): Promise<number>;
  /** Lets the calls end that were made, and makes no more. */
  stopCalls(): Promise<void>;
  /** Closes what the workers opened, and waits until they have ended. */
  end(): Promise<void>;
}

interface Member extends Asked<WorkerActs> {
  readonly process: string;
  /** The URL at which it receives payouts, while it is ready. */
  url: string | undefined;
  /** The kind of its end, if it ends now. */
  how: Exit["how"];
}

/** One with the `fetch` of `serviceapi/node`, and one with Node's: they live long enough to measure their memory. */
const lasting = 2;
/** Milliseconds in which a process has to end once it has closed everything. */
const endLimit = 10_000;

/** Milliseconds in which a process has to start, also on a slow machine. */
const startLimit = 60_000;

type Shared = Omit<WorkerSettings, "process" | "seed" | "state" | "isLasting" | "ownFetch">;

export async function startFleet(size: number, shared: Shared, chance: Chance): Promise<Fleet> {
  const members: Member[] = [];
  const exits: Exit[] = [];
  const suspensions: Span[] = [];
  let state: WorkerState = { ahead: 0, phase: "during" };
  let [started, isClosing] = [0, false];

  const start = async (slot: number): Promise<void> => {
    started += 1;
    const process = `w${slot}n${started}`;
    const isLasting = slot < lasting;
    const asked = startProgram<WorkerActs>("worker.ts", {
      ...{ ...shared, process, state, isLasting, ownFetch: slot % 2 === 0 },
      seed: Math.floor(chance.next() * 2 ** 31),
    } satisfies WorkerSettings);
    // The others kill themselves, too.
    const member: Member = { ...asked, process, url: undefined, how: isLasting ? "crashed" : "killed" };
    members[slot] = member;
    member.child.once("exit", (code, signal) => {
      member.url = undefined;
      exits.push({ process, at: Date.now(), how: endOf(member.how, code, signal) });
      if (!isClosing) void start(slot);
    });
    await untilReady(member);
    member.url = await orIfEnded(member.ask("url"), undefined);
  };
  await Promise.all(Array.from({ length: size }, (_, slot) => start(slot)));

  /** Waits until all are ready: on a slow machine none would be left. */
  const untilAllReady = async () => {
    const until = Date.now() + startLimit;
    while (members.some(({ url }) => url === undefined)) {
      if (Date.now() > until) throw new Error("A worker does not start.");
      await sleep(20);
    }
  };
  /** Returns one that may be killed. */
  const pick = async (): Promise<Member> => {
    await untilAllReady();
    const [first, ...others] = members.slice(lasting);
    if (first === undefined) throw new Error("a fleet has members that may be killed");
    return chance.pick([first, ...others]);
  };
  return {
    urls: () => members.flatMap(({ url }) => url ?? []),
    exits,
    suspensions,
    async attempt(attempt) {
      const [one, ...more] = members.filter(({ url }) => url !== undefined);
      if (one === undefined) return false;
      return orIfEnded(chance.pick([one, ...more]).ask("attempt", attempt), false);
    },
    async kill() {
      const { child } = await pick();
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      return child.signalCode === "SIGKILL" ? 1 : 0;
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
    async become(change) {
      state = { ...state, ...change };
      const connected = members.filter(({ child }) => child.connected);
      await Promise.all(connected.map(({ ask }) => orIfEnded(ask("become", state), undefined)));
      return connected.length;
    },
    async stopCalls() {
      await untilAllReady();
      isClosing = true;
      await Promise.all(members.map(({ ask }) => orIfEnded(ask("stopCalls"), undefined)));
    },
    async end() {
      isClosing = true;
      await Promise.all(
        members.map(async (member) => {
          if (member.child.exitCode !== null || member.child.signalCode !== null) return;
          const exited = once(member.child, "exit");
          member.how = "closed";
          void orIfEnded(member.ask("end"), undefined);
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
