import { conditions, markdownTable, replacePart } from "../saved-results.ts";
import { type Account, isBroken } from "./accounts/truth.ts";

const marks = ["<!-- soak: written by `npm run soak -- --save` -->", "<!-- end of soak -->"] as const;

/** Writes the accounts into docs/stores.md. */
export function saveAccounts(
  accounts: readonly Account[],
  run: { readonly minutes: number; readonly seed: number },
): void {
  const title = `${conditions(["src", "scripts"])}: ${run.minutes} minutes, seed ${run.seed}.`;
  const rows = accounts.map((account) => [nameOf(account), account.count.toLocaleString("en")]);
  const table = markdownTable([["", "count"], ...rows]).join("\n");
  replacePart("docs/stores.md", marks, `${title}\n\n${table}`);
}

/** A row of which the promise allows none is bold. */
function nameOf(account: Account): string {
  const name = account.expected === "none" ? `**${account.what}**` : account.what;
  return isBroken(account) ? `${name}: BROKEN` : name;
}
