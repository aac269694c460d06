import type { StandardSchemaV1 } from "@standard-schema/spec";
import { defineOperation, type OperationDefinition } from "../../src/operation.ts";

/** Any fields: what a made-up operation sends and receives. */
export type Fields = Record<string, unknown>;

/** A hand-written Standard Schema, like those of valibot or arktype. `problems` says what is wrong, by place. */
export function schemaOf<T>(problems: (value: T) => readonly StandardSchemaV1.Issue[] = () => []): StandardSchemaV1<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "by-hand",
      validate: (value) => {
        const issues = problems(value as T);
        return issues.length === 0 ? { value: value as T } : { issues };
      },
    },
  };
}

/** An operation that the document does not have. */
export function made(definition: Partial<OperationDefinition<Fields, Fields>> = {}) {
  return defineOperation<Fields, Fields>({
    name: "test.made",
    area: "flights",
    path: "made/up",
    params: schemaOf<Fields>(),
    body: schemaOf<Fields>(),
    ...definition,
  });
}

/** One operation for each class of retries (docs/assumptions.md, D5, D7 and D8). */
export const safe = made({ name: "test.safe", retry: "safe" });
export const ifNotProcessed = made({ name: "test.ifNotProcessed", retry: "ifNotProcessed" });
export const never = made({ name: "test.never", retry: "never" });
