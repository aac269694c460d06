/** The clock of one delivery: when its answer must leave, and when its work must stop (policy 43). */
export interface Deadline {
  /** Resolves when the answer must leave. */
  readonly expired: Promise<void>;
  /** True from then on. */
  readonly isLate: boolean;
  /** Milliseconds until the answer must leave. */
  remaining(): number;
  /** Milliseconds since the delivery came. */
  elapsed(): number;
  /** Lets go of the timer. */
  stop(): void;
}

/** Starts the clock of a delivery that has just come. */
export function startDeadline(ackDeadline: number): Deadline {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, ackDeadline);
  });
  return {
    expired,
    get isLate() {
      return isLate;
    },
    remaining: () => ackDeadline - elapsed(),
    elapsed,
    stop: () => clearTimeout(timer),
  };
}

/** Waits. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
