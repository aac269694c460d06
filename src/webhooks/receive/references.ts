import { field, parseJson } from "../../shared/json.ts";
import type { Rule } from "../../shared/options.ts";
import { isPrintable } from "../../shared/printable.ts";

/**
 * 1 to 1,024 characters, opaque (docs/assumptions.md, W20). Lone surrogates are refused because a store's encoding
 * would make two references one; white space at either end, because a padded column would.
 */
const pattern = /^(?!\s)[^\ud800-\udfff]{1,1024}(?<!\s)$/u;

const must = "must be a string of 1 to 1024 characters without white space at either end";

/** A rule for a `client_referenceId`. */
export const referenceRule: Rule = (value) => (isReference(value) ? undefined : must);

/** Whether a value can serve as a `client_referenceId`. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}

/**
 * Returns the reference in a body that was refused before it was parsed, if it has one that can be printed: anybody may
 * have written it, and it goes into logs (docs/assumptions.md, W14).
 */
export function findReference(body: Uint8Array | undefined): string | undefined {
  const reference = body && field(parseJson(new TextDecoder().decode(body)), "client_referenceId");
  return isReference(reference) && isPrintable(reference) ? reference : undefined;
}
