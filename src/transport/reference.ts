/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A ULID: 48 bits of time and 80 of chance in 26 characters that sort by time.
 * Short enough for the 30 characters of §8. (The `ulid` package imports `node:crypto`, which the edge has not.)
 */
export function createReference(now = Date.now(), random = crypto.getRandomValues(new Uint8Array(16))): string {
  let text = "";
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text;
  for (const byte of random) text += alphabet.charAt(byte % 32);
  return text;
}
