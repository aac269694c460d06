import { limits } from "../state/limits.ts";
import type * as types from "./types.ts";

export interface GivenRule extends Pick<types.RuleOptions, "delay" | "eventDelay"> {
  readonly operation: string;
  /** A checked response, or the function that returns one. */
  readonly response: unknown;
}

/** A rule, and the requests that it waits for. Its own properties are what a test may look at. */
export class Rule implements types.Rule {
  readonly id: number;
  readonly operation: string;
  readonly name: string | undefined;
  /** Without those that are about to meet it. */
  remaining: number;
  readonly #given: GivenRule;
  /** The number of requests that are about to meet it: a function may still leave them to other rules. */
  #inFlight = 0;
  #isUsed = false;
  #isWithdrawn = false;

  constructor(id: number, given: GivenRule, times = Number.POSITIVE_INFINITY) {
    this.id = id;
    this.operation = given.operation;
    this.name = typeof given.response === "string" ? given.response : undefined;
    this.remaining = times;
    this.#given = given;
  }

  get given(): GivenRule {
    return this.#given;
  }

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
  }

  [Symbol.dispose](): void {
    this.withdraw();
  }

  /** JSON has no `Infinity`: without a limit there is no number. */
  toJSON(): object {
    const { id, operation, name, remaining } = this;
    return { id, operation, name, ...(Number.isFinite(remaining) && { remaining }) };
  }
}

/** The rules of an emulator, within `limits`. */
export class Rules {
  /** Oldest first. */
  #all: readonly Rule[] = [];
  /** Goes on after `clear()`: an id that was kept then withdraws nothing else. */
  #lastId = 0;

  /** Adds a checked rule for `times` requests. */
  add({ times, ...given }: GivenRule & types.RuleOptions): Rule {
    this.#lastId += 1;
    const rule = new Rule(this.#lastId, given, times);
    // Those that are over go first.
    this.#all = [...this.#all.filter(({ isOver }) => !isOver), rule].slice(-limits.entries);
    return rule;
  }

  get active(): readonly Rule[] {
    return this.#all.filter(({ isActive }) => isActive);
  }

  /** The same in the order in which a request meets them: the oldest with a limit first, then the latest without one. */
  get inOrder(): readonly Rule[] {
    const isLimited = ({ remaining }: Rule) => Number.isFinite(remaining);
    const { active } = this;
    return [...active.filter(isLimited), ...active.filter((rule) => !isLimited(rule)).reverse()];
  }

  get unused(): readonly Rule[] {
    return this.#all.filter(({ isUnused }) => isUnused);
  }

  clear(): void {
    this.#all = [];
  }
}
