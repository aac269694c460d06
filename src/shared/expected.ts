import * as z from "zod/mini";
import type { UnexpectedCode } from "./issue-list.ts";

/**
 * Returns a rule that the document states for a value of the right type, such as the format of a time. A response that
 * breaks it can still be used: the issue is a warning, in essential fields too.
 */
export function expected<T>(
  test: (value: T) => boolean,
  error: string,
  { code = "unexpected_format", ...at }: { readonly code?: UnexpectedCode; readonly path?: string[] } = {},
): z.core.$ZodCheck<T> {
  return z.refine(test, { error, params: { code }, ...at });
}
