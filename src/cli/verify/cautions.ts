import { isUsable } from "../../verification/usable.ts";
import { type RowResult, writtenCell } from "./result-columns.ts";

/** Numbers of found rows that a person should look at before paying. */
export interface Cautions {
  /** The account is not usable for payments. */
  readonly unusable: number;
  /** It is usable, and the column `error` names something else to check. */
  readonly doubtful: number;
}

export const noCautions: Cautions = { unusable: 0, doubtful: 0 };

/** Counts a row of the results, if it is one of them. */
export function addCaution(cautions: Cautions, row: readonly string[], header: readonly string[]): Cautions {
  if (isUnusable(row, header)) return { ...cautions, unusable: cautions.unusable + 1 };
  const isDoubtful = writtenCell("status", row, header) === "found" && writtenCell("error", row, header) !== "";
  return isDoubtful ? { ...cautions, doubtful: cautions.doubtful + 1 } : cautions;
}

/** Whether a row of the results is of an account that was found and is not usable for payments. */
export function isUnusable(row: readonly string[], header: readonly string[]): boolean {
  const cell = (name: keyof RowResult) => writtenCell(name, row, header);
  const account = { accountStatus: cell("account_status"), vpa: cell("vpa"), vpaList: [cell("vpa_list")] };
  return cell("status") === "found" && !isUsable(account);
}
