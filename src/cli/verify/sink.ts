import { once } from "node:events";
import { cleanJson, cleanLine } from "../shared/clean-text.ts";
import type { OutputFlags } from "../shared/output-flags.ts";
import { noCautions } from "./cautions.ts";
import { noRows } from "./counts.ts";
import type { VerifyFlags } from "./flags.ts";
import { withoutFormula } from "./formula.ts";
import type { CsvInput } from "./input.ts";
import { type CsvOutput, openOutput } from "./output.ts";
import { cellsOf, maskResult, maskRow, type RowResult } from "./result-columns.ts";
import { formatRow, headerOf } from "./rows.ts";

/** Receives the rows of the results, in the order of the input. */
export interface Sink extends Omit<CsvOutput, "write"> {
  /** Writes a row; `index` is its place in the input. */
  write(fields: readonly string[], result: RowResult, index: number): Promise<void>;
}

/** Opens the file of `--out`, or standard output. */
export async function openSink(input: CsvInput, flags: VerifyFlags): Promise<Sink> {
  const { out, json, keepFormulas } = flags;
  const cells = (result: RowResult) => (keepFormulas ? cellsOf(result) : cellsOf(result).map(withoutFormula));
  if (out !== undefined) {
    const output = await openOutput(out, input, flags);
    return { ...output, write: (fields, result, index) => output.write(index, fields, cells(result)) };
  }
  const show = json ? jsonOf : csvOf;
  if (!json) process.stdout.write(headerOf(input));
  return {
    ...{ start: 0, again: new Map(), before: noRows(), cautions: noCautions },
    async write(given, found, index) {
      const { fields, result } = masked(given, found, input, flags);
      if (!process.stdout.write(show(fields, result, index))) await once(process.stdout, "drain");
    },
    async close() {},
  };

  function csvOf(fields: readonly string[], result: RowResult): string {
    const shown = process.stdout.isTTY ? cleanLine : (cell: string) => cell;
    return formatRow(fields.map(shown), cells(result).map(shown), input.delimiter);
  }

  function jsonOf(fields: readonly string[], result: RowResult, index: number): string {
    const row = Object.fromEntries(input.header.map((name, column) => [name, fields[column] ?? ""]));
    return `${cleanJson(JSON.stringify({ row: index + 1, input: row, ...result }))}\n`;
  }
}

function masked(
  fields: readonly string[],
  result: RowResult,
  { mobileIndex }: CsvInput,
  { showPii }: OutputFlags,
): { readonly fields: readonly string[]; readonly result: RowResult } {
  return showPii ? { fields, result } : { fields: maskRow(fields, mobileIndex), result: maskResult(result) };
}
