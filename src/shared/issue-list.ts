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
  readonly #fields = new Set<string>();
  /** The first issue of each field, and the others, each with its place in the list. */
  readonly #firsts: [place: number, issue: ValidationIssue][] = [];
  readonly #others: [place: number, issue: ValidationIssue][] = [];
  #size = 0;
  #isCut = false;

  get size(): number {
    return this.#size;
  }

  /** Whether an issue is left out: from now on only the first issue of a field is kept. */
  get isFull(): boolean {
    return this.#isCut || this.#size > maxIssues;
  }

  add(issue: ValidationIssue): void {
    if (issue.code === moreIssues)
      this.#isCut = true; // Of another list.
    else {
      const field = fieldOf(issue);
      const list = this.#fields.has(field) ? this.#others : this.#firsts;
      this.#size++;
      if (list.length >= maxIssues) return;
      this.#fields.add(field);
      list.push([this.#size, issue]);
    }
  }

  /** Returns the issues that were kept, and a last one if some were left out. */
  done(): readonly ValidationIssue[] {
    const kept = [...this.#firsts, ...this.#others].slice(0, maxIssues).sort(([a], [b]) => a - b);
    const issues = kept.map(([, issue]) => issue);
    if (!this.isFull) return issues;
    const message = `has more issues; only the first ${issues.length} are listed`;
    return [...issues, { path: [], message, code: moreIssues }];
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
