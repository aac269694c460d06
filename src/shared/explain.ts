import * as z from "zod/mini";
import type { ValidationIssue } from "../errors/base.ts";
import { IssueList, isUnexpected, toKey } from "./issue-list.ts";
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
  return new Explanation().explain(schema, value);
}

/**
 * Explains a value until the list of issues would keep no other one. zod itself collects every issue of a value before it
 * returns one, which takes gigabytes for a long list: here each field and each element is explained separately.
 */
class Explanation {
  readonly #issues = new IssueList();
  readonly #path: (string | number)[] = [];

  explain(schema: Schema<unknown>, value: unknown): readonly ValidationIssue[] {
    try {
      if (z.validate(zodOf(schema), value)) return [];
      this.#explainParts(partOf(schema), value);
    } catch {
      // A check or a getter that throws says nothing about the value, and must not cause the loss of a response.
    }
    if (this.#issues.size === 0) this.#issues.add({ path: [], message: "could not be checked", code: "not_checked" });
    return this.#issues.done();
  }

  #explainParts(part: Part, value: unknown): void {
    const { schema, fields, element } = part;
    if (element !== undefined && Array.isArray(value)) {
      for (let i = 0; i < value.length && !this.#isDone(element); i++) this.#explainWithin(i, element, value[i]);
      this.#explainOne(part, zodOf(schema, true), value);
    } else if (fields !== undefined && isObject(value)) {
      for (const [key, field] of fields) {
        if (this.#isDone(field)) fields.delete(key);
        else this.#explainWithin(key, field, value[key]);
      }
      this.#explainOne(part, zodOf(schema, true), value);
    } else this.#explainOne(part, zodOf(schema), value);
  }

  #explainWithin(key: string | number, part: Part, value: unknown): void {
    this.#path.push(key);
    this.#explainParts(part, value);
    this.#path.pop();
  }

  #explainOne(part: Part, rules: z.ZodMiniType, value: unknown): void {
    if ((this.#issues.isFull && part.isKnown) || z.validate(rules, value)) return;
    for (const found of z.safeParse(rules, value, { error: messageOf }).error?.issues ?? []) {
      const code = ("params" in found ? found.params?.code : undefined) ?? found.code ?? "custom";
      const issue = { path: [...this.#path, ...found.path.map(toKey)], message: found.message, code };
      this.#issues.add(issue);
      if (found.path.length === 0 && !isUnexpected(issue)) part.isKnown = true;
    }
  }

  /** Returns whether the list would keep no other issue of a value or of its parts. */
  #isDone({ isKnown, fields, element }: Part): boolean {
    return this.#issues.isFull && isKnown && !fields?.size && (element === undefined || this.#isDone(element));
  }
}

/** A schema with those of its parts. */
interface Part {
  readonly schema: Schema<unknown>;
  /** The fields of an object. One that is done is deleted. */
  readonly fields: Map<string, Part> | undefined;
  readonly element: Part | undefined;
  /** Whether the value itself has had an issue. */
  isKnown: boolean;
}

function partOf(schema: Schema<unknown>): Part {
  const { fields, element } = schema;
  return {
    schema,
    fields: fields && new Map(Object.entries(fields).map(([key, field]) => [key, partOf(field)])),
    element: element && partOf(element),
    isKnown: false,
  };
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
