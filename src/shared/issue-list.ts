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
export function isUnexpected({ code }: Pick<ValidationIssue, "code">): boolean {
  return code === "unexpected_format" || code === "unexpected_value";
}

/**
 * Issues up to a limit. The first issue of each field is kept, so that a decision by field (whether something essential
 * is missing) does not depend on the number of other issues; `passengers[0].dob` and `passengers[1].dob` are one field.
 */
export class IssueList {
  /** The first issue of each field. */
  readonly #firsts = new Map<string, ValidationIssue>();
  readonly #kept: ValidationIssue[] = [];
  #size = 0;
  #isCut = false;

  get size(): number {
    return this.#size;
  }

  /** Whether another issue of the value at a path may be kept. */
  keeps(path: ValidationIssue["path"]): boolean {
    return !this.#isCut || !this.#firsts.has(fieldOf({ path, code: "" }));
  }

  add(issue: ValidationIssue): void {
    this.#size++;
    if (issue.code === moreIssues) {
      this.#isCut = true; // Of another list.
      return;
    }
    const field = fieldOf(issue);
    const isFirst = !this.#firsts.has(field);
    if (this.#kept.length >= maxIssues) {
      this.#isCut = true;
      if (!isFirst || this.#firsts.size >= maxIssues) return;
      const other = this.#kept.findLastIndex((kept) => this.#firsts.get(fieldOf(kept)) !== kept);
      this.#kept.splice(other, 1);
    }
    if (isFirst) this.#firsts.set(field, issue);
    this.#kept.push(issue);
  }

  /** Returns the issues that were kept, and a last one if some were left out. */
  done(): readonly ValidationIssue[] {
    const issues = this.#kept;
    if (!this.#isCut) return issues;
    const message = `has more issues; only the first ${issues.length} are listed`;
    return [...issues, { path: [], message, code: moreIssues }];
  }
}

function fieldOf(issue: Pick<ValidationIssue, "path" | "code">): string {
  return `${isUnexpected(issue)} ${issue.path.map((key) => (typeof key === "number" ? "[]" : key)).join(".")}`;
}

/** Returns a step of an issue's path, as a Standard Schema or zod has it, as a key. */
export function toKey(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "symbol" ? String(key) : key;
}
