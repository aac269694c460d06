/**
 * `npm run soak`: ten minutes of calls, streams, bookings and payouts against the emulator, Redis and Postgres, while
 * processes are killed and suspended, stores go away, fail over and lose keys, connections break and clocks jump. Then
 * each call, booking and payout is accounted for. A broken promise ends it with exit code 1.
 *
 *   npm run soak -- [--minutes 10] [--seed 1] [--save]
 *
 * `--save` writes the table into test/soak/RESULTS.md. Needs redis-server and postgres.
 */
import { parseArgs } from "node:util";
import { isBroken } from "../accounts.ts";
import { conditions } from "../saved-results.ts";
import { saveAccounts } from "./save.ts";
import { soak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    save: { type: "boolean", default: false },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error("--minutes and --seed must be numbers.");

console.log(`Seed ${seed}, ${minutes} minutes.`);
const measured = conditions(["src", "scripts"]);
const accounts = await soak(minutes, seed);
console.table(
  Object.fromEntries(
    accounts.map((account) => [account.what, { count: account.count, ...(isBroken(account) && { broken: true }) }]),
  ),
);
const broken = accounts.filter(isBroken);
for (const { what, examples } of broken) console.error(`BROKEN with --seed ${seed}: ${what}`, examples);
if (values.save) saveAccounts(accounts, `${measured}: ${minutes} minutes, seed ${seed}.`);
process.exitCode = broken.length > 0 ? 1 : 0;
