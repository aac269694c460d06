import { once } from "node:events";

/** Ctrl-C while a command works. */
export interface Interrupt {
  /** Aborted by the first Ctrl-C. A second one ends the process. */
  readonly signal: AbortSignal;
  /** Leaves Ctrl-C to the process again. */
  end(): void;
}

/** Watches for Ctrl-C until {@link Interrupt.end} is called. */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => process.off("SIGINT", abort) };
}

/** Resolves on Ctrl-C, or when a container is stopped. */
export async function interrupted(): Promise<void> {
  const stop = new AbortController();
  await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
}
