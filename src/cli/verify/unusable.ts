import { isUsable } from "../../verification/usable.ts";
import { type RowResult, writtenCell } from "./result-columns.ts";

/** Whether a row of the results is of an account that was found and is not usable for payments. */
export function isUnusable(row: readonly string[], header: readonly string[]): boolean {
  const cell = (name: keyof RowResult) => writtenCell(name, row, header);
  const account = { accountStatus: cell("account_status"), vpa: cell("vpa"), vpaList: [cell("vpa_list")] };
  return cell("status") === "found" && !isUsable(account);
}
