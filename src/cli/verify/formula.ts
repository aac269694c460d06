/**
 * Puts a ' before what a spreadsheet would run as a formula, also behind characters that it ignores, and with signs of
 * full width. The middle of a cell is the start of one if a file is split at another delimiter than its own.
 */
export function withoutFormula(cell: string): string {
  const safe = cell.replaceAll(formula, (all: string, ignored: string, sign: string, offset: number) => {
    const isStart = offset === 0 && !ignored.endsWith("'");
    return isStart || /[,;|\t\r\n]/.test(ignored) ? `${ignored}'${sign}` : all;
  });
  return /^[\t\r\n]/.test(cell) ? `'${safe}` : safe;
}

// Without the look-behind, a long run of spaces would be read again from each of them.
const formula = /(?<![\s\p{Cf}\p{Cc},;|"'])([\s\p{Cf}\p{Cc},;|"']*)([=+\-@＝＋－＠])/gu;
