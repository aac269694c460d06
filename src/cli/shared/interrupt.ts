import { once } from "node:events";
import { exitCodes } from "./exit-codes.ts";

/**
 * Ctrl-C, and a container that is stopped. Not SIGHUP of a terminal that is closed: who listens to it overrides `nohup`,
 * which ignores it.
 */
const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs a command whose calls Ctrl-C aborts, so that it ends with their error and leaves nothing behind.
 *
 * @param run - Receives the signal that the first Ctrl-C aborts.
 * @param onSecond - Called by a second signal. @default ends the process as if nobody had listened
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>, onSecond?: () => void): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    for (const name of signals) process.off(name, take);
  };
  const take = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) controller.abort();
    else if (onSecond !== undefined) onSecond();
    else {
      stop();
      process.kill(process.pid, name);
    }
  };
  for (const name of signals) process.on(name, take);
  try {
    return await run(controller.signal);
  } finally {
    stop();
  }
}

/** Resolves on Ctrl-C, or when a container is stopped. */
export async function interrupted(): Promise<void> {
  const stop = new AbortController();
  await Promise.race(signals.map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
}

/** Ends a command that leaves nothing behind on one of them. */
export function exitOnInterrupt(): void {
  for (const name of signals) process.once(name, () => process.exit(exitCodes.interrupted));
}

/** Lets a command that has done its work end with its own exit code. */
export function ignoreInterrupts(): void {
  for (const name of signals) process.on(name, () => {});
}
