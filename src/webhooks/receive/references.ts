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

/** Bytes: twice the longest reference in UTF-8. Longer bodies cost a stranger little to send, and us milliseconds to parse. */
const maxSearched = 8_192;

/**
 * Returns the reference of a delivery. If it was refused before it was parsed, its body is parsed for that once, and
 * only if it is short. The reference must be one that can be printed: anybody may have written it, and it goes into logs
 * (docs/assumptions.md, W14).
 */
export function findReference(state: SearchedDelivery): string | undefined {
  const { body, event } = state;
  if (event !== undefined || body === undefined) return event?.client_referenceId;
  state.found ??= { reference: body.length > maxSearched ? undefined : search(body) };
  return state.found.reference;
}

/** A delivery, as far as it was read. */
export interface SearchedDelivery {
  body?: Uint8Array;
  event?: { readonly client_referenceId: string };
  /** The result of the search, which is made once. */
  found?: { readonly reference: string | undefined };
}

function search(body: Uint8Array): string | undefined {
  const reference = field(parseJson(new TextDecoder().decode(body)), "client_referenceId");
  return isReference(reference) && isPrintable(reference) ? reference : undefined;
}
