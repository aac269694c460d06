/**
 * A name in capitals, without the accents of Latin letters, which airlines leave out: `José` and `JOSE` are one. The vowel signs
 * of other scripts stay: without them राम and रमा would be one.
 */
export function capitals(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}
