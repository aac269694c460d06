import type * as types from "./types.ts";

/** A scenario or script as it was set. */
export type Given = GivenScenario | GivenScript;

interface GivenScenario {
  readonly scenario: string;
  /** The one operation that it is for. */
  readonly operation: string | undefined;
}

/** A script as it was set. */
export interface GivenScript {
  readonly scenario: undefined;
  /** The operation that it is for. */
  readonly operation: string;
  /** A checked response, or the function that returns one. */
  readonly response: unknown;
  readonly delay: number;
  readonly eventDelay: number | undefined;
}

/** A scenario or script, and the requests that it waits for. Its own properties are what a test may look at. */
export class ActiveScenario implements types.ActiveScenario {
  readonly id: number;
  readonly operation: string | undefined;
  readonly scenario: string | undefined;
  /** Without those that are about to meet it. */
  remaining: number;
  readonly #given: Given;
  readonly #onWithdraw: () => void;
  /** The number of requests that are about to meet it: a script may still leave them to others. */
  #inFlight = 0;
  #isUsed = false;
  #isWithdrawn = false;

  constructor(id: number, given: Given, times: number, onWithdraw: () => void) {
    this.id = id;
    this.operation = given.operation;
    this.scenario = given.scenario;
    this.remaining = times;
    this.#given = given;
    this.#onWithdraw = onWithdraw;
  }

  get given(): Given {
    return this.#given;
  }

  /** Whether a request can meet it. */
  get isActive(): boolean {
    return this.remaining > 0;
  }

  /** Whether no request can meet it any more, not even after those in flight were left to others. */
  get isOver(): boolean {
    return !this.isActive && this.#inFlight === 0;
  }

  /** Whether no request met it, or fewer than its limit. */
  get isUnused(): boolean {
    const isUnlimited = this.remaining === Number.POSITIVE_INFINITY;
    return isUnlimited ? !this.#isUsed && this.#inFlight === 0 : this.isActive;
  }

  /** Counts a request that is about to meet it, until {@link settle}. */
  take(): void {
    this.#inFlight += 1;
    this.remaining -= 1;
  }

  /** Counts a request that was taken as one that met it, or gives it back. */
  settle(isMet: boolean): void {
    this.#inFlight -= 1;
    if (isMet) this.#isUsed = true;
    else if (!this.#isWithdrawn) this.remaining += 1;
  }

  withdraw(): void {
    this.#isWithdrawn = true;
    this.remaining = 0;
    this.#onWithdraw();
  }

  [Symbol.dispose](): void {
    this.withdraw();
  }

  /** JSON has no `Infinity`: without a limit there is no number. */
  toJSON(): object {
    const { id, operation, scenario, remaining } = this;
    return { id, operation, scenario, ...(Number.isFinite(remaining) && { remaining }) };
  }
}
