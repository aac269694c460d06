import { limits } from "../state/limits.ts";
import { type GivenRule, Rule } from "./rule.ts";

/** The rules of an emulator, within `limits`. */
export class Rules {
  /** Oldest first. */
  #all: readonly Rule[] = [];
  /** Goes on after `clear()`: an id that was kept then withdraws nothing else. */
  #lastId = 0;

  /** Adds a rule for `times` requests. */
  add(given: GivenRule, times: number | undefined): Rule {
    this.#lastId += 1;
    const rule = new Rule(this.#lastId, given, times);
    // Those that are over go first.
    this.#all = [...this.#all.filter(({ isOver }) => !isOver), rule].slice(-limits.entries);
    return rule;
  }

  /** The rules that further requests can meet, oldest first. */
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
