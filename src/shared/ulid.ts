/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A ULID: 48 bits of time and 80 of chance in 26 characters that sort by time.
 * Short enough for the 30 characters of §8. (The `ulid` package imports `node:crypto`, which the edge has not.)
 */
export function createReference(now = Date.now(), random = takeRandom(now)): string {
  let text = "";
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text;
  for (const byte of random) text += alphabet.charAt(byte % 32);
  return text;
}

const bytesEach = 16;
let pool = new Uint8Array(0);
let filledAt = 0;

/**
 * Chance is drawn for 64 references at a time: one draw costs as much as all else that is done for a small call. It is
 * used for a second at most, so that two machines woken from one snapshot do not go on with the same.
 */
function takeRandom(now: number): Uint8Array {
  if (pool.length < bytesEach || Math.abs(now - filledAt) > 1_000) {
    pool = crypto.getRandomValues(new Uint8Array(64 * bytesEach));
    filledAt = now;
  }
  const taken = pool.subarray(0, bytesEach);
  pool = pool.subarray(bytesEach);
  return taken;
}
