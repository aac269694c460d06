import * as z from "zod/mini";
import type { ValidationIssue } from "../errors/base.ts";
import { IssueList, toKey } from "./issue-list.ts";
import { isObject } from "./json.ts";
import type { Schema } from "./schema.ts";
import { unknownFields } from "./unknown-names.ts";
import * as zod from "./zod.ts";

/** Each schema as zod has it, whole and shallow. */
const known = { whole: new WeakMap<object, z.ZodMiniType>(), shallow: new WeakMap<object, z.ZodMiniType>() };

/** Returns a schema as zod has it; with `isShallow`, any field or element passes. */
export function zodOf(schema: Schema<unknown>, isShallow = false): z.ZodMiniType {
  const made = known[isShallow ? "shallow" : "whole"];
  const found = made.get(schema) ?? schema.toZod(zod, isShallow);
  made.set(schema, found);
  return found;
}

/**
 * Returns why a value does not pass; an empty list if it does. Every issue has our message (that of zod/mini is "Invalid
 * input"), and there are no more than an {@link IssueList} keeps.
 */
export function explain(schema: Schema<unknown>, value: unknown): readonly ValidationIssue[] {
  const issues = new IssueList();
  try {
    if (z.validate(zodOf(schema), value)) return [];
    explainAt([], schema, value, issues);
  } catch {
    // A check or a getter that throws says nothing about the value, and must not cause the loss of a response.
  }
  if (issues.size === 0) issues.add({ path: [], message: "could not be checked", code: "not_checked" });
  return issues.done();
}

/**
 * Adds the issues of a value, unless the list would keep none of them. zod itself collects every issue of a value before
 * it returns one, which takes gigabytes for a long list: here each field and each element is explained separately.
 */
function explainAt(path: (string | number)[], schema: Schema<unknown>, value: unknown, issues: IssueList): void {
  const { fields, element } = schema;
  /** Returns false if the list would keep no issue of the part. */
  const explainPart = (key: string | number, part: Schema<unknown>, whole: object): boolean => {
    path.push(key);
    const isOpen = part.fields !== undefined || part.element !== undefined || issues.keeps(path);
    if (isOpen) explainAt(path, part, Reflect.get(whole, key), issues);
    path.pop();
    return isOpen;
  };
  let hasParts = true;
  if (element !== undefined && Array.isArray(value)) {
    for (let i = 0; i < value.length && explainPart(i, element, value); i++);
  } else if (fields !== undefined && isObject(value)) {
    for (const [name, field] of Object.entries(fields)) explainPart(name, field, value);
  } else hasParts = false;
  const rules = zodOf(schema, hasParts);
  if (!issues.keeps(path) || z.validate(rules, value)) return;
  for (const found of z.safeParse(rules, value, { error: messageOf }).error?.issues ?? []) {
    const code = ("params" in found ? found.params?.code : undefined) ?? found.code ?? "custom";
    issues.add({ path: [...path, ...found.path.map(toKey)], message: found.message, code });
  }
}

export function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is missing"
        : `must be ${withArticle(issue.expected)}, is ${nameOf(issue.input)}`;
    case "unrecognized_keys":
      return unknownFields(issue.keys);
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      if (issue.origin === "array") return `must have at least ${issue.minimum} element`;
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum} ${issue.origin === "string" ? "characters" : ""}`.trimEnd();
    default:
      return "is not of the documented form";
  }
}

const articles: Record<string, string> = { array: "an array", object: "an object", int: "a whole number" };

function withArticle(type: string): string {
  return articles[type] ?? `a ${type}`;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return withArticle(typeof value);
}
