/** The signals that end a command: Ctrl-C, a stopped container, a closed terminal. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
