import type { ValidationIssue } from "./base.ts";

/**
 * Formats a path as one writes it in code: `passengers[0].dob`.
 *
 * @param whole - The name of the whole, whose path is empty.
 */
export function formatPath(path: ValidationIssue["path"], whole = "the body"): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("") || whole;
}

/** Returns an issue of a response as an error may show it. */
export function maskPath<Issue extends ValidationIssue>(issue: Issue): Issue {
  return { ...issue, path: issue.path.map((key) => (typeof key === "string" ? maskName(key) : key)) };
}

/** A name that a schema could have. Any other may be personal data: an e-mail address, a number. */
const fieldName = /^(?!.*\d{6})[\w$.-]{1,64}$/;

/** Returns a name of a body as a message, a report or the log may show it. */
export function maskName(name: string): string {
  return fieldName.test(name) ? name : `[name of ${name.length} characters]`;
}

/** Lists the first three issues, each as `format` returns it, and the number of the others: a message of one line. */
export function listIssues<I extends ValidationIssue>(issues: readonly I[], format: (issue: I) => string): string {
  const more = issues.length - 3;
  return [...issues.slice(0, 3).map(format), ...(more > 0 ? [`and ${more} more in \`issues\``] : [])].join("; ");
}

/** Formats issues for a terminal, one a line. */
export function prettyIssues(issues: readonly ValidationIssue[], whole: string): string {
  return issues.map((issue) => `✖ ${formatPath(issue.path, whole)}: ${issue.message}`).join("\n");
}
