let unprintable: RegExp | undefined;

/**
 * Returns whether a string has no control or format characters, nothing unassigned or private, and no lone surrogate.
 */
export function isPrintable(text: string): boolean {
  // biome-ignore lint/complexity/useRegexLiterals: a literal is parsed with its module, and this class costs 0.3 ms
  unprintable ??= new RegExp("\\p{C}", "u");
  return !unprintable.test(text);
}
