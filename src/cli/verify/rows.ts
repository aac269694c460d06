import { stringify } from "csv-stringify/sync";
import type { CsvInput } from "./input.ts";
import { resultColumns } from "./result-columns.ts";

/**
 * Formats one row of CSV. Results are quoted if the delimiter is not a comma, so that they stay whole in a program that
 * splits at commas as well.
 */
export function formatRow(fields: readonly string[], cells: readonly string[], delimiter: string): string {
  const isResult = (index: number) => index >= fields.length;
  const string = (value: string, { index }: { readonly index: number }) => ({ value, quoted: isResult(index) });
  return stringify([[...fields, ...cells]], {
    delimiter,
    quoted_match: "\r",
    ...(delimiter !== "," && { cast: { string } }),
  });
}

/** Returns the first line of the results. */
export function headerOf({ header, delimiter, hasBom }: CsvInput): string {
  return `${hasBom ? "\uFEFF" : ""}${formatRow(header, resultColumns(header), delimiter)}`;
}
