import type { Issue } from "../errors/base.ts";

/** With what the transport adds (the request's own trace, the status) it stays under 100 on every error and warning. */
const most = 95;

/** The code of the last issue of a list that left some out. It stands for no place. */
export const moreIssues = "more_issues";

/**
 * Issues up to a limit. The first issue of each field stays, so that what is decided by fields (is something essential
 * missing?) does not depend on how many other issues there are; `passengers[0].dob` and `passengers[1].dob` are one field.
 */
export class IssueList {
  readonly #issues: (Issue & { readonly field: string })[] = [];
  readonly #counts = new Map<string, number>();
  #leftOut = false;

  get size(): number {
    return this.#issues.length;
  }

  /** Whether an issue at this place would be kept. */
  wants(path: Issue["path"]): boolean {
    const isWanted = this.#issues.length < most || !this.#counts.has(fieldOf(path));
    if (!isWanted) this.#leftOut = true;
    return isWanted;
  }

  add(issue: Issue): void {
    if (!this.wants(issue.path)) return;
    const field = fieldOf(issue.path);
    if (this.#issues.length >= most && !this.#makeRoom()) return;
    this.#issues.push({ ...issue, field });
    this.#counts.set(field, (this.#counts.get(field) ?? 0) + 1);
  }

  /** What was kept, and a last issue if something was left out. */
  done(): readonly Issue[] {
    const issues = this.#issues.map(({ field: _, ...issue }) => issue);
    if (!this.#leftOut) return issues;
    const message = `has more issues; only the first ${issues.length} are listed`;
    return [...issues, { path: [], message, code: moreIssues }];
  }

  /** Drops the last issue of a field that has several. */
  #makeRoom(): boolean {
    this.#leftOut = true;
    const at = this.#issues.findLastIndex(({ field }) => (this.#counts.get(field) ?? 0) > 1);
    const [dropped] = at < 0 ? [] : this.#issues.splice(at, 1);
    if (dropped === undefined) return false;
    this.#counts.set(dropped.field, (this.#counts.get(dropped.field) ?? 0) - 1);
    return true;
  }
}

function fieldOf(path: Issue["path"]): string {
  return path.map((key) => (typeof key === "number" ? "[]" : key)).join(".");
}
