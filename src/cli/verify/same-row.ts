import { normalizeMobile } from "../../verification/rules.ts";
import { withoutFormula } from "./formula.ts";
import type { CsvInput } from "./input.ts";
import { mobileOf } from "./mobile-cell.ts";
import { writtenCell } from "./result-columns.ts";

/**
 * Whether a row of the results begins with the row of the input, and has the result of its number. A spreadsheet that
 * saves the results again may spell the number in another way.
 */
export function isSameRow(fields: readonly string[], row: readonly string[], input: CsvInput): boolean {
  const number = row[input.mobileIndex] ?? "";
  const lookedUp = writtenCell("looked_up", fields, input.header);
  const isOfNumber = lookedUp === withoutFormula(number) || isSameNumber(lookedUp, number);
  return isOfNumber && differingColumn(fields, row, input) === undefined;
}

/** Returns the first column of the input in which a row of the results differs from it; undefined if there is none. */
export function differingColumn(
  fields: readonly string[],
  row: readonly string[],
  { header, mobileIndex }: CsvInput,
): string | undefined {
  const isSame = (field: string, index: number) =>
    index === mobileIndex ? isNumberOf(fields[index] ?? "", field) : field === fields[index];
  return header[row.findIndex((field, index) => !isSame(field, index))];
}

/** Whether a cell is a number, or what a spreadsheet shows of it, such as `9.16E+11`; `looked_up` has it in full. */
function isNumberOf(cell: string, number: string): boolean {
  const [, fraction] = /^\d(?:[.,](\d{1,14}))?E\+\d{1,2}$/i.exec(cell.trim()) ?? [];
  const digits = mobileOf(number).replace(/^\+/, "");
  const isShortened = fraction !== undefined && /^\d{11,14}$/.test(digits);
  return isShortened
    ? Number(cell.replace(",", ".")) === Number(Number(digits).toExponential(fraction.length))
    : isSameNumber(cell, number);
}

/** Whether two cells are the same request. */
export function isSameNumber(one: string, other: string): boolean {
  return one === other || normalizeMobile(mobileOf(one)) === normalizeMobile(mobileOf(other));
}
