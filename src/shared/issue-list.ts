import type { ValidationIssue } from "../errors/base.ts";

/** The transport adds a few issues (the trace of the request, the status), and fewer than 100 must reach the caller. */
const maxIssues = 95;

/** The code of the last issue of a list that left some out. It has no path. */
export const moreIssues = "more_issues";

/**
 * The codes of what is odd in a value of the right type: it contradicts a format that the document states, or another
 * value. The value can be used.
 */
export type UnexpectedCode = "unexpected_format" | "unexpected_value";

/** Returns whether an issue has one of these codes: it leaves the value usable. */
export function isUnexpected({ code }: ValidationIssue): boolean {
  return code === "unexpected_format" || code === "unexpected_value";
}

/**
 * Issues up to a limit. The first issue of each field is kept, so that a decision by field (whether something essential
 * is missing) does not depend on the number of other issues; `passengers[0].dob` and `passengers[1].dob` are one field.
 */
export class IssueList {
  readonly #issues: ValidationIssue[] = [];
  readonly #counts = new Map<string, number>();
  #leftOut = false;

  get size(): number {
    return this.#issues.length;
  }

  /** Whether an issue was left out: from now on only the first issue of a field is kept. */
  get isFull(): boolean {
    return this.#leftOut;
  }

  add(issue: ValidationIssue): void {
    const isLast = issue.code === moreIssues; // Of another list.
    this.#leftOut ||= isLast || this.#issues.length >= maxIssues;
    if (isLast || (this.#issues.length >= maxIssues && (this.#countOf(issue) > 0 || !this.#makeRoom()))) return;
    this.#issues.push(issue);
    this.#counts.set(fieldOf(issue), this.#countOf(issue) + 1);
  }

  /** Returns the issues that were kept, and a last one if some were left out. */
  done(): readonly ValidationIssue[] {
    if (!this.#leftOut) return this.#issues;
    const message = `has more issues; only the first ${this.#issues.length} are listed`;
    return [...this.#issues, { path: [], message, code: moreIssues }];
  }

  /** Drops the last issue of a field that has several. */
  #makeRoom(): boolean {
    const at = this.#issues.findLastIndex((issue) => this.#countOf(issue) > 1);
    const [dropped] = at < 0 ? [] : this.#issues.splice(at, 1);
    if (dropped === undefined) return false;
    this.#counts.set(fieldOf(dropped), this.#countOf(dropped) - 1);
    return true;
  }

  #countOf(issue: ValidationIssue): number {
    return this.#counts.get(fieldOf(issue)) ?? 0;
  }
}

function fieldOf(issue: ValidationIssue): string {
  return `${isUnexpected(issue)} ${issue.path.map((key) => (typeof key === "number" ? "[]" : key)).join(".")}`;
}

/** Returns a step of an issue's path, as a Standard Schema or zod has it, as a key. */
export function toKey(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "symbol" ? String(key) : key;
}
