/**
 * `npm run race` and `npm run soak`: calls, streams, bookings and payouts against the emulator, Redis and Postgres, while
 * processes are killed. Then each call, booking and payout is accounted for. A broken promise ends it with exit code 1.
 *
 * The race has as much as possible at once, for four minutes, and looks up open bookings throughout, so that each order has
 * to be booked in the end. The soak takes ten minutes, in which processes are also suspended, stores go away, fail over
 * and lose keys, connections break and clocks jump. At the end of both everything is redelivered, 100 days later.
 *
 *   npm run race -- [--minutes 4] [--seed 1] [--store postgres|redis|memory] [--journal postgres|file] [--save]
 *   npm run soak -- [the same]
 *
 * `--save` writes the table into test/soak/RESULTS.md. Needs redis-server and postgres.
 */
import { parseArgs } from "node:util";
import { conditions, markdownTable, replacePart } from "../saved-results.ts";
import { isBroken, shownCount } from "./accounts/account.ts";
import { journalNames } from "./journals.ts";
import { storeNames } from "./ledger.ts";
import { type Plan, plans } from "./plans.ts";
import { soak } from "./soak.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    store: { type: "string", multiple: true },
    journal: { type: "string", multiple: true },
    save: { type: "boolean", default: false },
  },
});
const name = positionals[0] === "race" ? "race" : "soak";
const usual: Plan = plans[name];
const plan: Plan = {
  ...usual,
  stores: chosen(values.store ?? usual.stores, storeNames),
  journals: chosen(values.journal ?? usual.journals, journalNames),
};
const [minutes, seed] = [Number(values.minutes ?? plan.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error("--minutes and --seed must be numbers.");

console.log(`Seed ${seed}, ${minutes} minutes.`);
const measured = conditions(["src", "scripts"]);
const accounts = await soak(plan, minutes, seed);
// A row of which the promise allows none is bold.
const rows = accounts.map((account) => [
  account.expected === "none" ? `**${account.what}**` : account.what,
  shownCount(account),
]);
const table = markdownTable([["", "count"], ...rows]).join("\n");
console.log(table);
for (const { what, examples } of accounts.filter(isBroken)) {
  console.error(`BROKEN with --seed ${seed}: ${what}`, examples);
  process.exitCode = 1;
}
if (values.save) {
  replacePart("test/soak/RESULTS.md", name, `${measured}: ${minutes} minutes, seed ${seed}.\n\n${table}`);
}

function chosen<Name extends string>(given: readonly string[], known: readonly Name[]): readonly Name[] {
  const chosen = known.filter((name) => given.includes(name));
  if (chosen.length < new Set(given).size) throw new Error(`Known are ${known.join(", ")}.`);
  return chosen;
}
