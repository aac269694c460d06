import * as z from "zod/mini";
import type { Issue } from "../errors/base.ts";
import { IssueList, isUnexpected, toKey } from "./issue-list.ts";
import { isObject, isObjectOrList } from "./json.ts";

type Explain = (issue: z.core.$ZodRawIssue) => string;
type Path = (string | number)[];

/**
 * Returns the issues of a value, up to the limit of an {@link IssueList}. zod itself collects every issue before
 * it returns one, which takes gigabytes for a long list. Therefore elements and fields are explained one at a time
 * here, and those whose issues the list would not keep are passed over.
 */
export function explainIssues(schema: z.core.$ZodType, value: unknown, explain: Explain): readonly Issue[] {
  const issues = new IssueList();
  try {
    const part = partOf(schema);
    explainPart(issues, part, value, [], explain);
    if (issues.size === 0) explainWhole(issues, part, schema, value, [], explain);
  } catch {
    // A check that throws says nothing about the value, and must not cause the loss of a response.
  }
  if (issues.size === 0) issues.add({ path: [], message: "could not be checked", code: "not_checked" });
  return issues.done();
}

/** A schema with those of its parts. */
interface Part {
  readonly schema: z.core.$ZodType;
  /** The schema of an object's or a list's own rules, such as that of its length; absent if there are none. */
  readonly own?: z.core.$ZodType | undefined;
  /** The fields of an object. One that is done is deleted. */
  readonly fields?: Map<string, Part>;
  /** The elements of a list. */
  readonly element?: Part;
  /** Whether the list has had an issue of this value itself. */
  isKnown: boolean;
}

function partOf(schema: z.core.$ZodType): Part {
  const { def } = withoutWrappers(schema)._zod;
  if (def.type === "array") {
    const own = def.checks && z.array(z.unknown()).check(...(def.checks as z.core.$ZodCheck<unknown[]>[]));
    return { schema, own, element: partOf(def.element), isKnown: false };
  }
  if (def.type !== "object") return { schema, isKnown: false };
  const keys = def.catchall?._zod.def.type === "never" ? keysOf(def.shape) : undefined;
  const own = def.checks ? (keys ?? z.looseObject({})).check(...(def.checks as z.core.$ZodCheck<unknown>[])) : keys;
  const fields = new Map(Object.entries(def.shape).map(([key, field]) => [key, partOf(field)]));
  return { schema, own, fields, isKnown: false };
}

function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodTypes {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "optional" || def.type === "nullable"
    ? withoutWrappers(def.innerType)
    : (schema as z.core.$ZodTypes);
}

/** A schema of the names of the fields alone. */
function keysOf(shape: z.core.$ZodShape): z.ZodMiniType {
  return z.strictObject(Object.fromEntries(Object.keys(shape).map((key) => [key, z.optional(z.unknown())])));
}

/** Returns whether the list would keep no other issue of this part or within it. */
function isDone(issues: IssueList, { isKnown, fields, element }: Part): boolean {
  return issues.isFull && isKnown && !fields?.size && (element === undefined || isDone(issues, element));
}

function explainPart(issues: IssueList, part: Part, value: unknown, path: Path, explain: Explain): void {
  const { schema, own, fields, element } = part;
  if (element !== undefined && Array.isArray(value)) {
    for (let i = 0; i < value.length && !isDone(issues, element); i++) {
      path.push(i);
      explainPart(issues, element, value[i], path, explain);
      path.pop();
    }
  } else if (fields !== undefined && isObject(value)) {
    for (const [key, field] of fields) {
      const within = value[key];
      if (isDone(issues, field)) fields.delete(key);
      else if (issues.isFull && field.isKnown && !isObjectOrList(within)) continue;
      else if (key in value || field.schema._zod.optin === undefined) {
        path.push(key);
        explainPart(issues, field, within, path, explain);
        path.pop();
      }
    }
  } else {
    explainWhole(issues, part, schema, value, path, explain);
    return;
  }
  if (own !== undefined) explainWhole(issues, part, own, value, path, explain);
}

/** Adds the issues of a value that has no parts, or by the rules for the whole. */
function explainWhole(
  issues: IssueList,
  part: Part,
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
  explain: Explain,
): void {
  if ((issues.isFull && part.isKnown) || z.validate(schema, value)) return;
  const result = z.safeParse(schema, value, { error: explain });
  for (const found of result.error?.issues ?? []) {
    const { path: within, message } = found;
    const code = ("params" in found ? found.params?.code : undefined) ?? found.code ?? "custom";
    issues.add({ path: [...path, ...within.map(toKey)], message, code });
    if (within.length === 0 && !isUnexpected({ path, message, code })) part.isKnown = true;
  }
}
