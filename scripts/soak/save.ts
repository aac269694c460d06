import { type Account, shownCount } from "../accounts.ts";
import { markdownTable, replacePart } from "../saved-results.ts";

const marks = ["<!-- soak: written by `npm run soak -- --save` -->", "<!-- end of soak -->"] as const;

/** Writes the accounts into test/soak/RESULTS.md, under a title that says how they came about. */
export function saveAccounts(accounts: readonly Account[], title: string): void {
  const rows = accounts.map((account) => [nameOf(account), shownCount(account)]);
  const table = markdownTable([["", "count"], ...rows]).join("\n");
  replacePart("test/soak/RESULTS.md", marks, `${title}\n\n${table}`);
}

/** A row of which the promise allows none is bold. */
const nameOf = ({ what, expected }: Account) => (expected === "none" ? `**${what}**` : what);
