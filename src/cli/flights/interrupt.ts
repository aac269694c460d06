/** The signals that end a command: Ctrl-C, a stopped container, a closed terminal. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A command that can be interrupted, until it is disposed. */
export interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  [Symbol.dispose](): void;
}

/**
 * Lets Ctrl-C abort the calls of a command, so that it ends with their error and leaves nothing behind.
 *
 * @param onSecond - Called by a second signal. @default ends the process as if nobody had listened
 */
export function listenForInterrupt(onSecond?: () => void): Interrupt {
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
  return { signal: controller.signal, [Symbol.dispose]: stop };
}
