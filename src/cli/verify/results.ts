import type { AnyServiceApiError } from "../../errors/any.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import type { FindManyResult } from "../../verification/many/options.ts";
import type { VpaResult } from "../../verification/types.ts";
import { isUsable } from "../../verification/usable.ts";
import { failureText } from "../shared/errors.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../shared/mask.ts";
import { jsonLine } from "../shared/print.ts";
import { isShortened } from "./csv.ts";

export type Status = FindManyResult["kind"];

/** Returns the result of a row, as the output has it. A field that does not apply is null. */
export function resultOf(found: FindManyResult, looked_up: string) {
  // A response that has drifted may have anything in any field.
  const { vpa, vpaList, name, accountStatus }: Partial<VpaResult> = found.kind === "found" ? found.result : {};
  return {
    looked_up,
    status: found.kind,
    vpa: textOf(vpa),
    vpa_list: [...new Set(elementsOf(vpaList))].map((one) => textOf(one) ?? ""),
    name: textOf(name),
    account_status: textOf(accountStatus),
    error: explain(found, looked_up) || null,
  };
}

export type RowResult = ReturnType<typeof resultOf>;

/** Explains a row to the person with the spreadsheet, who knows no API; an empty string if there is nothing to say. */
function explain(found: FindManyResult, number: string): string {
  switch (found.kind) {
    case "found":
      return [explainUnusable(found.result), ...contradictionsOf(found.result)].filter(Boolean).join(" ");
    case "notFound":
      return "No UPI ID is linked to this number.";
    case "pending":
      return "The service is still looking this number up. Look it up again later.";
    case "invalid": {
      const { error } = found;
      if (error.kind === "invalid") return `The service refused this number${quoteService(error)}.`;
      const issues = error.kind === "request_validation" ? error.issues : [];
      if (issues.some(({ path }) => path[0] === "consent")) {
        return "There is no consent (Y) in this row. It was not looked up.";
      }
      if (number.trim() === "") return "There is no number in this row.";
      return isShortened(number)
        ? "A spreadsheet has shortened this number. Format the column as text there, and export the file again."
        : "This is not an Indian mobile number: it must have ten digits, the first from 6 to 9.";
    }
    case "failed":
      if (found.error.kind === "response_validation" && found.error.reason === "otherRequest") {
        return "The service sent the result of another number. Look it up again later.";
      }
      return `${failureText(found.error.kind)}${quoteService(found.error)}. Look it up again later.`;
  }
}

function quoteService(error: AnyServiceApiError): string {
  const said = stringOf(field(error, "serviceMessage")).trim();
  return said && `: "${said.replace(/[.]$/, "")}"`;
}

/** Returns why an account must not be paid, if it is not usable. */
function explainUnusable(result: VpaResult): string {
  if (isUsable(result)) return "";
  const { accountStatus }: Partial<VpaResult> = result;
  if (accountStatus === "VALID") return "The account has no VPA: not usable for payments.";
  // Another text may be of a person.
  const code = /^[A-Z_]{1,24}$/.test(stringOf(accountStatus)) ? `${accountStatus}, ` : "";
  return `The account is ${code}not VALID: not usable for payments.`;
}

/** Returns what a person should check before paying: the fields of a result that contradict each other, or are empty. */
export function contradictionsOf({ name, vpa, vpaList, count }: Partial<VpaResult>): readonly string[] {
  const list: readonly unknown[] | undefined = Array.isArray(vpaList) ? vpaList : undefined;
  const isUnlisted = list !== undefined && list.length > 0 && stringOf(vpa).trim() !== "" && !list.includes(vpa);
  const isMiscounted = typeof count === "number" && list !== undefined && count !== list.length;
  return [
    isUnlisted && "The VPA is not in the list of all VPAs.",
    isMiscounted && "The list has more or fewer VPAs than the service counts.",
    stringOf(name).trim() === "" && "The account has no name.",
  ].filter((each) => each !== false);
}

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

export function maskUnlessCode(text: string): string {
  return /^[A-Za-z_]{1,24}$|^\d{1,4}$/.test(text) ? text : maskName(text);
}

/** Returns a string unchanged, null for nothing, and another value, which a response that has drifted may have, as JSON. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : value === undefined || value === null ? null : jsonLine(value);
}

const names = ["looked_up", "status", "vpa", "vpa_list", "name", "account_status", "error"] as const;

/** Returns the names of the result columns. One that the input has already is called `result_…`. */
export function resultColumns(input: readonly string[]): readonly string[] {
  const free = (name: string): string => (input.includes(name) ? free(`result_${name}`) : name);
  return names.map(free);
}

export function cellsOf(result: RowResult): readonly string[] {
  return names.map((name) => [result[name] ?? ""].flat().join(" "));
}

export function cellOf(name: keyof RowResult, cells: readonly string[]): string {
  return cells[names.indexOf(name)] ?? "";
}

export const statuses = ["found", "notFound", "pending", "invalid", "failed"] as const;

/** Counts rows by the cells of their results: for each status, and those found that a person should check before paying. */
export function tallyOf(rows: readonly (readonly string[])[]) {
  const tally = { found: 0, notFound: 0, pending: 0, invalid: 0, failed: 0, toCheck: 0 };
  for (const cells of rows) {
    const status = cellOf("status", cells) as Status;
    tally[status]++;
    if (status === "found" && cellOf("error", cells) !== "") tally.toCheck++;
  }
  return tally;
}

/** Formats the statuses that there are: `2 found, 1 invalid`. */
export function formatTally(tally: Readonly<Record<Status, number>>): string {
  const list = statuses.filter((status) => tally[status] > 0);
  return list.map((status) => `${tally[status]} ${status}`).join(", ") || "none";
}
