/** The workers. A killed one is replaced on the same port, as by an orchestrator; the first is never killed. */
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
  kill(): void;
  /** Suspends a worker, as a machine that sleeps. */
  suspend(duration: number): Promise<void>;
  /** Sets the clocks of the workers. */
  setAhead(milliseconds: number): void;
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
/** Milliseconds in which a process has to end once it has closed everything. */
const endLimit = 10_000;

type Shared = Omit<WorkerSettings, "process" | "port" | "seed" | "ahead" | "ownFetch" | "isMeasured">;

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
      ...{ ownFetch: slot % 2 === 0, isMeasured: slot === 0 },
    };
    const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [JSON.stringify(settings)], {
      execArgv: ["--expose-gc"],
    });
    const member: Member = { child, process, isReady: false, how: "crashed" };
    members[slot] = member;
    child.once("exit", (code) => {
      exits.push({ process, at: Date.now(), how: member.how === "closed" && code !== 0 ? "crashed" : member.how });
      if (!isClosing) void start(slot);
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
    member.isReady = true;
  };
  for (let slot = 0; slot < size; slot += 1) ports.push(await findPort());
  await Promise.all(ports.map((_, slot) => start(slot)));

  /** Returns one that may be killed; undefined while it is being replaced. */
  const pick = (): Member | undefined => {
    const member = members[1 + Math.floor(chance.next() * (size - 1))];
    return member?.isReady && member.child.connected ? member : undefined;
  };
  const [first = 0, ...others] = ports;
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  return {
    urls: [urlOf(first), ...others.map(urlOf)],
    exits,
    suspensions,
    kill() {
      const member = pick();
      if (member === undefined) return;
      member.how = "killed";
      member.child.kill("SIGKILL");
    },
    async suspend(duration) {
      const member = pick();
      if (member === undefined) return;
      const from = Date.now();
      member.child.kill("SIGSTOP");
      await sleep(duration);
      member.child.kill("SIGCONT");
      suspensions.push({ name: member.process, from, to: Date.now() });
    },
    setAhead(milliseconds) {
      ahead = milliseconds;
      for (const { child } of members) if (child.connected) child.send({ ahead });
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
