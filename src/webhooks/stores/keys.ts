import { toHex } from "../../shared/bytes.ts";
import { sha256 } from "../../shared/sha256.ts";

/**
 * The references that stores keep as they are: short, and without lone surrogates and the control characters that
 * Postgres refuses. Neither class grows with Unicode, so that a reference keeps its key when the runtime is updated.
 */
const plain = /^[ -~\u00a0-\ud7ff\ue000-\u{10ffff}]{1,128}$/u;

/** Returns the key of a reference: the reference itself, or a digest of one that not every store can hold. */
export function payoutKey(reference: string): string | Promise<string> {
  return plain.test(reference) ? `payout:${reference}` : digestKey(reference);
}

/** Returns the reference in a key of {@link payoutKey}; undefined for a digest. */
export function referenceIn(key: string): string | undefined {
  return key.startsWith("payout:") ? key.slice("payout:".length) : undefined;
}

/** Its prefix keeps it apart from every plain reference. */
async function digestKey(reference: string): Promise<string> {
  return `payout#sha256:${toHex(await sha256(reference))}`;
}

/** Returns the key of a nonce. */
export function nonceKey(nonce: string): string {
  return `nonce:${nonce}`;
}
