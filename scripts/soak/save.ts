import { markdownTable, replacePart } from "../saved-results.ts";
import { type Account, isBroken } from "./accounts/truth.ts";

const marks = ["<!-- soak: written by `npm run soak -- --save` -->", "<!-- end of soak -->"] as const;

/** Writes the accounts into docs/stores.md, under a title that says how they came about. */
export function saveAccounts(accounts: readonly Account[], title: string): void {
  const rows = accounts.map((account) => [nameOf(account), account.count.toLocaleString("en")]);
  const table = markdownTable([["", "count"], ...rows]).join("\n");
  replacePart("docs/stores.md", marks, `${title}\n\n${table}`);
}

/** A row of which the promise allows none is bold. */
function nameOf(account: Account): string {
  const name = account.expected === "none" ? `**${account.what}**` : account.what;
  return isBroken(account) ? `${name}: BROKEN` : name;
}
