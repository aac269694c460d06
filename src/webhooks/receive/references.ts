import { toHex } from "../../shared/bytes.ts";
import type { Rule } from "../../shared/options.ts";

/**
 * 1 to 1,024 characters, opaque. Lone surrogates are refused because a store's encoding would make two references one;
 * white space at either end, because a padded column would.
 */
const pattern = /^(?!\s)[^\p{Cs}]{1,1024}(?<!\s)$/u;

/**
 * The references that stores keep as they are: short, and without the control characters that Postgres refuses. Neither
 * class of characters grows with Unicode, so that a reference keeps its key when the runtime is updated.
 */
const plain = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

/** True for a string that can serve as a `client_referenceId`. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}

/** A rule for options kits: a `client_referenceId`. */
export const reference: Rule = (value) =>
  isReference(value) ? undefined : "must be a string of 1 to 1024 characters without white space at either end";

/** The key of a reference in the store: the reference itself, or a digest of one that not every store can hold. */
export function payoutKey(reference: string): string | Promise<string> {
  return plain.test(reference) ? `payout:${reference}` : digestKey(reference);
}

/** The reference in a key of {@link payoutKey}; undefined for a digest. */
export function referenceIn(key: string): string | undefined {
  return key.startsWith("payout:") ? key.slice("payout:".length) : undefined;
}

/** Its prefix keeps it apart from every plain reference. */
async function digestKey(reference: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(reference));
  return `payout#sha256:${toHex(new Uint8Array(digest))}`;
}

/** The key of a nonce in the store. */
export function nonceKey(nonce: string): string {
  return `nonce:${nonce}`;
}
