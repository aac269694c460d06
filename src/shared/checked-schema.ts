import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ZodMiniType } from "zod/mini";

/**
 * Marks the schemas of this library, the only ones that may respond later: with the issues of a value that does not
 * pass.
 */
export const vendor = "serviceapi";

/**
 * Returns the Standard Schema of an operation: a generated check decides whether a value passes, and zod, which is
 * loaded when a value does not, explains why. A value that passes is never copied.
 *
 * @param check - The check that scripts/generate-checks.ts wrote from the zod schema.
 * @param load - Loads the zod schema.
 */
export function checkedSchema<T>(
  check: (value: unknown) => boolean,
  load: () => Promise<ZodMiniType<T, T>>,
): StandardSchemaV1<T> {
  return {
    "~standard": {
      version: 1,
      vendor,
      validate: (value) => (passes(check, value) ? { value: value as T } : explain(value, load)),
    },
  };
}

function passes(check: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return check(value);
  } catch {
    return false; // A getter of the caller's object threw. The explanation says that it could not be checked.
  }
}

/** zod checks the value again before it explains: its verdict counts, should the two ever differ. */
async function explain<T>(value: unknown, load: () => Promise<ZodMiniType<T, T>>): Promise<StandardSchemaV1.Result<T>> {
  const loading = Promise.all([import("./standard-schema.ts"), load()]);
  const parts = await loading.catch(() => undefined);
  // A deployment may lack the chunk, as after an update of the files beneath a running process.
  if (parts === undefined)
    return { issues: [{ path: [], message: "is not of the documented form; the explanation could not be loaded" }] };
  const [{ standardSchema }, schema] = parts;
  return standardSchema(schema)["~standard"].validate(value);
}
