/** Processes that do what they are asked for by message. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The acts that a program can be asked for, by name. */
type Acts = Readonly<Record<string, (given: never) => unknown>>;

export interface Asked<Known extends Acts> {
  readonly child: ChildProcess;
  /** Rejects if the act fails, or the process ends first. */
  ask<Name extends keyof Known>(
    name: Name,
    ...given: Parameters<Known[Name]>
  ): Promise<Awaited<ReturnType<Known[Name]>>>;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** The process ended before it had done what it was asked for. */
class Ended extends Error {}

/** Starts a program of this folder, with its settings as JSON. It may not be ready yet. */
export function startProgram<Known extends Acts>(name: string, settings: object): Asked<Known> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = fork(program, [JSON.stringify(settings)], { execArgv: ["--expose-gc"] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  child.on("message", ({ id, result, error }: Reply) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(`${name}: ${error}`));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Ended(`${name} ended.`));
  });
  let last = 0;
  return {
    child,
    ask(act, given?: unknown) {
      last += 1;
      const reply = Promise.withResolvers<unknown>();
      waiting.set(last, reply);
      child.send({ id: last, act, given }, (error) => error && reply.reject(new Ended(error.message)));
      return reply.promise as Promise<never>;
    },
  };
}

/** Returns another value if the process ended first. */
export async function orIfEnded<T>(reply: Promise<T>, otherwise: T): Promise<T> {
  return reply.catch((error: unknown) => {
    if (error instanceof Ended) return otherwise;
    throw error;
  });
}

/** Resolves when the process has said that it is ready, or has ended. */
export async function untilReady({ child }: Pick<Asked<Acts>, "child">): Promise<void> {
  await Promise.race([once(child, "message"), once(child, "exit")]);
}

/** Returns the settings of this process. */
export const settingsOf = <Settings>(): Settings => JSON.parse(process.argv[2] ?? "");

/** Says that this process is ready, and does from now on what it is asked for. */
export function serveAsks(acts: Acts): void {
  process.on("message", async ({ id, act, given }: { id: number; act: string; given: never }) => {
    const reply = await (async () => acts[act]?.(given))().then(
      (result) => ({ result }),
      (error) => ({ error: String(error) }),
    );
    if (process.connected) process.send?.({ id, ...reply });
  });
  process.send?.({ id: 0 });
}
