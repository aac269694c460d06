import type { FindManyOutcome } from "../../verification/many/types.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../shared/mask.ts";

/** The columns that a result adds, with their values. `looked_up` is the number as the input has it. */
const columns = {
  looked_up: (_: FindManyOutcome, number: string) => number,
  status: (outcome: FindManyOutcome) => statusOf(outcome),
  vpa: (outcome: FindManyOutcome) => (outcome.kind === "found" ? textOf(outcome.result.vpa) : ""),
  vpa_list: (outcome: FindManyOutcome) =>
    outcome.kind === "found" ? [...new Set(outcome.result.vpaList)].map(textOf).join(" ") : "",
  name: (outcome: FindManyOutcome) => (outcome.kind === "found" ? textOf(outcome.result.name) : ""),
  account_status: (outcome: FindManyOutcome) => (outcome.kind === "found" ? textOf(outcome.result.accountStatus) : ""),
  error: (outcome: FindManyOutcome) => (outcome.kind === "found" ? "" : outcome.error.message),
} as const;

type ColumnName = keyof typeof columns;

const masks: Partial<Record<ColumnName, (text: string) => string>> = {
  looked_up: maskNumber,
  vpa: maskAddress,
  vpa_list: (text) => text.split(" ").map(maskAddress).join(" "),
  name: maskName,
  error: maskMessage,
};

const names = Object.keys(columns) as ColumnName[];

/** Returns the names of the result columns. One that the input has already is called `result_…`. */
export function resultColumns(input: readonly string[]): readonly string[] {
  const free = (name: string): string => (input.includes(name) ? free(`result_${name}`) : name);
  return names.map(free);
}

/** Returns the values of the result columns. */
export function resultValues(outcome: FindManyOutcome, number: string): readonly string[] {
  return names.map((name) => columns[name](outcome, number));
}

/** Returns the value of a result column in a row that was written. */
export function writtenValue(name: ColumnName, row: readonly string[], input: readonly string[]): string {
  return row[input.length + names.indexOf(name)] ?? "";
}

/** Masks the values of the result columns. */
export function maskedValues(values: readonly string[]): readonly string[] {
  return values.map((value, index) => (masks[names[index] ?? "status"] ?? ((text: string) => text))(value));
}

/** Masks the fields of an input row: the mobile number, and all others except for their initials. */
export function maskedFields(fields: readonly string[], mobileIndex: number): readonly string[] {
  return fields.map((field, index) => (index === mobileIndex ? maskNumber(field) : maskName(field)));
}

/** Puts a ' before a value that a spreadsheet would run as a formula. */
export function withoutFormula(value: string): string {
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** The status of a row. */
export type Status = FindManyOutcome["kind"] | "invalid";

/** Returns a count of each status, from zero. */
export function noRows(): Record<Status, number> {
  return { found: 0, notFound: 0, pending: 0, invalid: 0, error: 0 };
}

/** An invalid number is a fault of the row; the kind `error` says that it is not known. */
export function statusOf(outcome: FindManyOutcome): Status {
  if (outcome.kind !== "error") return outcome.kind;
  return ["request_validation", "invalid"].includes(outcome.error.kind) ? "invalid" : "error";
}

/** A response that has drifted may have another type here. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}
