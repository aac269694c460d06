/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Returns a ULID: 48 bits of time and 80 random bits in 26 characters that sort by time, within the 30 characters of
 * §8. (The `ulid` package imports `node:crypto`, which edge runtimes lack.)
 */
export function createReference(now = Date.now(), random = randomBytes(now)): string {
  let text = "";
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text;
  for (const byte of random) text += alphabet.charAt(byte % 32);
  return text;
}

const bytesPerReference = 16;
let pool = new Uint8Array(0);
let filledAt = 0;

/**
 * Random bytes are drawn for 64 references at a time, because one draw costs as much as the rest of a small call. They
 * are used for a second at most, so that two machines restored from one snapshot do not continue with the same ones.
 */
function randomBytes(now: number): Uint8Array {
  if (pool.length < bytesPerReference || Math.abs(now - filledAt) > 1_000) {
    pool = crypto.getRandomValues(new Uint8Array(64 * bytesPerReference));
    filledAt = now;
  }
  const taken = pool.subarray(0, bytesPerReference);
  pool = pool.subarray(bytesPerReference);
  return taken;
}
