import type { FindManyResult } from "../../verification/many/options.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../shared/mask.ts";
import { jsonLine } from "../shared/print.ts";
import { contradictionsOf } from "./contradictions.ts";
import { explain, explainUnusable } from "./explain.ts";

/** The result of a row, as the output has it; a field that does not apply is null. */
export interface RowResult {
  /** The number, as the input has it. */
  readonly looked_up: string;
  readonly status: Status;
  readonly vpa: string | null;
  readonly vpa_list: readonly string[];
  readonly name: string | null;
  readonly account_status: string | null;
  readonly error: string | null;
}

/** The status of a row. */
export type Status = FindManyResult["kind"];

/** Returns the result of a row. */
export function resultOf(found: FindManyResult, looked_up: string): RowResult {
  const { kind: status } = found;
  const nothing = { vpa: null, vpa_list: [], name: null, account_status: null };
  if (found.kind !== "found") return { looked_up, status, ...nothing, error: explain(found, looked_up) };
  const { vpa, vpaList, name, accountStatus } = found.result;
  // A response that has drifted may have no list here.
  const vpas = Array.isArray(vpaList) ? vpaList : [];
  return {
    looked_up,
    status,
    vpa: textOf(vpa),
    vpa_list: [...new Set(vpas)].map((one) => textOf(one) ?? ""),
    name: textOf(name),
    account_status: textOf(accountStatus),
    error: [...explainUnusable(found.result), ...contradictionsOf(found.result)].join(" ") || null,
  };
}

/** Masks a result. */
export function maskResult(result: RowResult): RowResult {
  const { looked_up, vpa, vpa_list, name, account_status, error } = result;
  return {
    ...result,
    looked_up: maskNumber(looked_up),
    vpa: vpa && maskAddress(vpa),
    vpa_list: vpa_list.map(maskAddress),
    name: name && maskName(name),
    account_status: account_status && maskUnlessCode(account_status),
    error: error && maskMessage(error),
  };
}

/** Masks what is not a code such as `VALID`. */
export function maskUnlessCode(text: string): string {
  return /^[A-Za-z_]{1,24}$|^\d{1,4}$/.test(text) ? text : maskName(text);
}

/** Masks the fields of an input row: the mobile number, and all others except for their initials. */
export function maskRow(fields: readonly string[], mobileIndex: number): readonly string[] {
  return fields.map((field, index) => (index === mobileIndex ? maskNumber(field) : maskName(field)));
}

const names = ["looked_up", "status", "vpa", "vpa_list", "name", "account_status", "error"] as const;

/** Returns the names of the result columns. One that the input has already is called `result_…`. */
export function resultColumns(input: readonly string[]): readonly string[] {
  const free = (name: string): string => (input.includes(name) ? free(`result_${name}`) : name);
  return names.map(free);
}

/** Returns the cells of the result columns. */
export function cellsOf(result: RowResult): readonly string[] {
  return names.map((name) => {
    const value = result[name];
    return typeof value === "string" ? value : (value?.join(" ") ?? "");
  });
}

/** Returns the cell of a result column in a row that was written. */
export function writtenCell(name: keyof RowResult, row: readonly string[], input: readonly string[]): string {
  return row[input.length + names.indexOf(name)] ?? "";
}

/** Returns a string unchanged, null for nothing, and another value, which a response that has drifted may have, as JSON. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : value === undefined || value === null ? null : jsonLine(value);
}
