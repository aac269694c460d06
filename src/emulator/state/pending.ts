/** A scenario or script that waits for its requests. */
export type Pending = PendingScenario | PendingScript;

interface Waiting {
  /** The number of requests that are still to meet it, those in flight included. */
  remaining: number;
  /** The number of requests that are about to meet it: a script may still leave them to others. */
  inFlight: number;
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

/** Returns what waits for `times` requests. */
export function waitingFor<Kind extends object>(times: number, kind: Kind): Kind & Waiting {
  return { ...kind, remaining: times, inFlight: 0, used: false };
}

/** Returns the oldest with a limit first, then the latest without one. Those that are used up are left out. */
export function inOrder(pending: readonly Pending[]): readonly Pending[] {
  const isLimited = ({ remaining }: Pending) => remaining !== Number.POSITIVE_INFINITY;
  return [
    ...pending.filter((each) => isLimited(each) && left(each) > 0),
    ...pending.filter((each) => !isLimited(each)).reverse(),
  ];
}

/** Returns the number of requests that it is free for. */
export function left({ remaining, inFlight }: Waiting): number {
  return remaining - inFlight;
}

/** Counts a request that is about to meet it, until {@link settle}. */
export function take(pending: Pending): void {
  pending.inFlight += 1;
}

/** Counts a request that was taken as one that met it, or gives it back. */
export function settle(pending: Pending, isMet: boolean): void {
  pending.inFlight -= 1;
  if (!isMet) return;
  pending.remaining -= 1;
  pending.used = true;
}

/** Returns whether no request met it, or fewer than its limit. */
export function isUnused(pending: Pending): boolean {
  const { remaining, inFlight, used } = pending;
  return remaining === Number.POSITIVE_INFINITY ? !used && inFlight === 0 : left(pending) > 0;
}
