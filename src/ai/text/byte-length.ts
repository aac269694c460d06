/** Whether text takes more than `limit` bytes of UTF-8; it is encoded only where its length does not decide. */
export function byteLengthExceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  // One UTF-16 unit takes at most three bytes.
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
