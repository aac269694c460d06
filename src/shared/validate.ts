import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { vendor } from "./checked-schema.ts";
import { IssueList, isUnexpected, moreIssues, toKey } from "./issue-list.ts";
import { ignoreRejection } from "./promises.ts";

/**
 * Returns all differences of `value` from the schema, up to a limit. A schema of this library responds later if there
 * are any, because it loads the explanation first.
 *
 * @throws ConfigurationError for any other asynchronous schema, or the error that the schema itself throws.
 */
export function validate(schema: StandardSchemaV1, value: unknown, operation: string): Issues {
  const result = schema["~standard"].validate(value);
  if (!("then" in result)) return issuesOf(result);
  if (schema["~standard"].vendor === vendor) return result.then(issuesOf);
  ignoreRejection(result);
  throw new ConfigurationError(`${operation}: the schema is asynchronous; use one that checks at once.`);
}

/** Issues that are known, or that are being explained. */
export type Issues = readonly Issue[] | Promise<readonly Issue[]>;

/** Returns the issues of the result of a schema. */
export function issuesOf(result: StandardSchemaV1.Result<unknown>): readonly Issue[] {
  if (result.issues === undefined) return none;
  const issues = new IssueList();
  for (const found of result.issues) {
    const issue = toIssue(found);
    if (issue.code === moreIssues) return result.issues.map(toIssue); // Has been through a list already.
    issues.add(issue);
  }
  return issues.done();
}

const none: readonly Issue[] = [];

/**
 * Returns the issues at an essential field, or on the path to it: `data.result[].token` (`[]` means each),
 * `vpa|vpaList` (one of them is enough). An empty list if the response can be used.
 */
export function essentialIssues(essential: readonly string[], issues: readonly Issue[]): readonly Issue[] {
  if (issues.length === 0) return none;
  return essential.flatMap((alternatives) => {
    const broken = alternatives.split("|").map((path) => {
      const steps = path.replaceAll("[]", ".[]").split(".");
      return issues.filter((issue) => issue.code !== moreIssues && !isUnexpected(issue) && leadsTo(issue.path, steps));
    });
    return broken.every((found) => found.length > 0) ? broken.flat() : [];
  });
}

function leadsTo(path: Issue["path"], steps: readonly string[]): boolean {
  return (
    path.length <= steps.length &&
    path.every((key, i) => (steps[i] === "[]" ? typeof key === "number" : steps[i] === key))
  );
}

function toIssue(issue: StandardSchemaV1.Issue & { readonly code?: unknown }): Issue {
  const code = typeof issue.code === "string" ? issue.code : "custom";
  return { path: (issue.path ?? []).map(toKey), message: issue.message, code };
}
