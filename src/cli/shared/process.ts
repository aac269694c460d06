import { exitCodes } from "./errors.ts";
import { printError } from "./print.ts";

/**
 * Ctrl-C, and a container that is stopped. Not SIGHUP of a terminal that is closed: a listener would override
 * `nohup`, which ignores it.
 */
const signals = ["SIGINT", "SIGTERM"] as const;

/** Listens to them, and returns what stops that. While nobody listens, a signal ends the process. */
function onSignals(listener: (name: NodeJS.Signals) => void): () => void {
  for (const name of signals) process.on(name, listener);
  return () => {
    for (const name of signals) process.off(name, listener);
  };
}

/**
 * Milliseconds in which further signals count as the same Ctrl-C: a terminal sends it to npx and to the command, and npx
 * passes its own on.
 */
const sameInterrupt = 100;

/** Runs a command whose calls Ctrl-C aborts, so that it ends with their error and leaves nothing behind. */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>, onSecond?: () => void): Promise<T> {
  const controller = new AbortController();
  let firstAt = Number.NEGATIVE_INFINITY;
  const stop = onSignals((name) => {
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      controller.abort();
    } else if (performance.now() < firstAt + sameInterrupt) return;
    else if (onSecond !== undefined) onSecond();
    else {
      stop();
      process.kill(process.pid, name);
    }
  });
  try {
    return await run(controller.signal);
  } finally {
    // What belongs to the Ctrl-C that was just acted on must not end the process before its own end. In this order: a
    // signal in between would end it, too.
    const left = firstAt + sameInterrupt - performance.now();
    if (left > 0) setTimeout(ignoreInterrupts(), left).unref();
    stop();
  }
}

export function interrupted(): Promise<void> {
  return interruptible((signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
}

/** Ends a command that leaves nothing behind on one of them. */
export function exitOnInterrupt(): void {
  onSignals(() => process.exit(exitCodes.interrupted));
}

/** Lets a command that has done its work end with its own exit code. */
export function ignoreInterrupts(): () => void {
  return onSignals(() => {});
}

/** Whether the command goes on although nobody reads what it prints. */
let mustFinish = false;

/** Says that the command must not end early: it may book, and its exit code is the news. */
export function finishWithoutReader(): void {
  mustFinish = true;
}

/** Ends the process if a reader such as `head` has stopped before the end. Called once, at the start. */
export function endWithoutReader(): void {
  // Notes that nobody reads end nothing: the results are elsewhere.
  process.stderr.on("error", () => {});
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (mustFinish) return;
    if (code === "EPIPE") process.exit(process.exitCode ?? exitCodes.done);
    printError(`The output could not be written (${code}).`);
    process.exit(exitCodes.failed);
  });
}
