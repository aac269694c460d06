/** A scenario or script that waits for its requests. */
export type Pending = PendingScenario | PendingScript;

interface Waiting {
  /** The number of requests that are still to meet it. */
  remaining: number;
  /** Whether a request met it. */
  used: boolean;
}

export interface PendingScenario extends Waiting {
  readonly scenario: string;
  /** The one operation that it is for. */
  readonly operation: string | undefined;
}

export interface PendingScript extends Waiting {
  readonly scenario: undefined;
  /** The operation that it is for. */
  readonly operation: string;
  /** A checked response, or the function that returns one. */
  readonly response: unknown;
  readonly delay: number;
  readonly eventDelay: number | undefined;
}

/** Returns the oldest with a limit first, then the latest without one. Those that are used up are left out. */
export function inOrder(pending: readonly Pending[]): readonly Pending[] {
  const isLimited = ({ remaining }: Pending) => remaining !== Number.POSITIVE_INFINITY;
  return [
    ...pending.filter((each) => isLimited(each) && each.remaining > 0),
    ...pending.filter((each) => !isLimited(each)).reverse(),
  ];
}

/** Counts a request. */
export function take(pending: Pending): void {
  pending.remaining -= 1;
  pending.used = true;
}

/** Returns whether no request met it, or fewer than its limit. */
export function isUnused({ remaining, used }: Pending): boolean {
  return remaining === Number.POSITIVE_INFINITY ? !used : remaining > 0;
}
