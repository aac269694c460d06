import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { IssueList, isUnexpected, moreIssues, toKey } from "./issue-list.ts";
import { optionalPart } from "./load-parts.ts";
import { nonEmptyString } from "./options.ts";
import { ignoreRejection } from "./promises.ts";
import type { Schema } from "./schema.ts";

const vendor = "serviceapi";

/** Returns whether a schema was made by {@link checkedSchema}, of this copy of the package or another. */
export function isOwnSchema(schema: StandardSchemaV1): boolean {
  return schema["~standard"].vendor === vendor;
}

/**
 * Returns the Standard Schema of an operation: the schema decides at once whether a value passes, and zod, which is
 * loaded when one does not, explains why. A value that passes is never copied.
 */
export function checkedSchema<T>(schema: Schema<T>): StandardSchemaV1<T> {
  const validate = (value: unknown) => {
    try {
      if (schema.passes(value)) return { value };
    } catch {
      // A getter of the caller's object threw. The explanation says that it could not be checked.
    }
    return checkAgain(schema, value);
  };
  return { "~standard": { version: 1, vendor, validate } };
}

/** zod checks the value again before it explains: its verdict counts, should the two ever differ. */
async function checkAgain<T>(schema: Schema<T>, value: unknown): Promise<StandardSchemaV1.Result<T>> {
  const loaded = await optionalPart(import("./explain.ts"));
  if (loaded === undefined)
    return { issues: [{ path: [], message: "is not of the documented form; the explanation could not be loaded" }] };
  const issues = loaded.explain(schema, value);
  return issues.length > 0 ? { issues } : { value: value as T };
}

/**
 * Returns undefined at once if the value passes, or else its issues, up to a limit: the explanation may have to be loaded.
 *
 * @throws ConfigurationError for an asynchronous schema of the application, or the error that the schema itself throws.
 */
export function validate(
  schema: StandardSchemaV1,
  value: unknown,
  operation: string,
): Promise<readonly ValidationIssue[]> | undefined {
  const result = schema["~standard"].validate(value);
  if (!("then" in result)) return result.issues && Promise.resolve(issuesOf(result));
  if (isOwnSchema(schema)) return result.then(issuesOf);
  ignoreRejection(result);
  throw new ConfigurationError(`${operation}: the schema is asynchronous; use one that checks at once.`);
}

/** Returns the issues of the result of a schema, up to the limit of an {@link IssueList}. */
export function issuesOf({ issues: found = [] }: StandardSchemaV1.Result<unknown>): readonly ValidationIssue[] {
  const issues = new IssueList();
  for (const { path = [], message, ...rest } of found) {
    const code = "code" in rest && typeof rest.code === "string" ? rest.code : "custom";
    issues.add({ path: path.map(toKey), message, code });
  }
  return issues.done();
}

/**
 * Returns the issues at an essential field, or on the path to it: `data.result[].token` (`[]` means each),
 * `vpa|vpaList` (one of them is enough). An empty list if the response can be used.
 */
export function essentialIssues(
  essential: readonly string[],
  issues: readonly ValidationIssue[],
): readonly ValidationIssue[] {
  return essential.flatMap((alternatives) => {
    const broken = alternatives.split("|").map((path) => {
      const steps = path.replaceAll("[]", ".[]").split(".");
      return issues.filter((issue) => issue.code !== moreIssues && !isUnexpected(issue) && leadsTo(issue.path, steps));
    });
    return broken.every((found) => found.length > 0) ? broken.flat() : [];
  });
}

function leadsTo(path: ValidationIssue["path"], steps: readonly string[]): boolean {
  return (
    path.length <= steps.length &&
    path.every((key, i) => (steps[i] === "[]" ? typeof key === "number" : steps[i] === key))
  );
}

/** The vendor of the schemas that accept what no schema describes. */
export const noSchema = "none";

/** The schema of a body without one. */
export const anyBody = { "~standard": { version: 1, vendor: noSchema, validate: (value: unknown) => ({ value }) } };

/** The schema of params without one. A reference that is empty, or no string, could not be looked up. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: noSchema,
    validate(value: unknown) {
      const reference: unknown = Object(value).client_referenceId ?? undefined;
      const complaint = reference === undefined ? undefined : nonEmptyString(reference, "client_referenceId");
      return complaint === undefined ? { value } : { issues: [{ path: ["client_referenceId"], message: complaint }] };
    },
  },
};
