/**
 * Returns the mobile number of a cell without what spreadsheets and data tools add to a number: a `'` before it or
 * `="…"` around it, which mark it as text, and `.0` behind its ten digits.
 */
export function mobileOf(cell: string): string {
  const text = cell.trim().replace(/^="([^"]*)"$|^'/, "$1");
  return text.replace(/^(\+?\d{10,14})[.,]0{1,6}$/, "$1");
}
