import { printNote } from "../shared/action.ts";

/** What Ctrl-C asks for: the first time an end after what is under way, the second time an end now. */
export interface Interrupts {
  /** Aborted by the first one: begin nothing more. */
  readonly signal: AbortSignal;
  /** Aborted by the second one. */
  readonly abort: AbortSignal;
  /** Stops watching. */
  stop(): void;
}

/** Watches for Ctrl-C, and for the end of a container. */
export function watchInterrupts(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const interrupt = () => {
    if (first.signal.aborted) second.abort();
    else printNote("Stopping after the requests under way. Press Ctrl-C again to stop now.");
    first.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, interrupt);
  return {
    signal: first.signal,
    abort: second.signal,
    stop() {
      for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, interrupt);
    },
  };
}
