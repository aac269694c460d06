/**
 * `npm run race`, which counts what happened although processes were killed with SIGKILL.
 *
 * Bookings: four processes share a journal, 500 orders are attempted by three clients each at once, responses are dropped
 * and late, and the clean-up of the guide runs throughout. Then the bookings are counted at the service: none twice,
 * none lost, and no order that could never be booked.
 *
 * Payouts: eight processes share one store, 5,000 references are delivered three times each in random order, and handlers
 * throw and stall past the deadline. Then the effects are counted. At the end the clock of the store is moved by 100
 * days, and everything is redelivered.
 *
 *   npm run race -- [--orders 500] [--journal file|postgres] [--references 5000] [--store postgres|redis|memory] [--save]
 *
 * `--save` writes the table of the payouts into test/soak/RESULTS.md. Needs redis-server and postgres, or their URLs in
 * SERVICEAPI_TEST_REDIS and SERVICEAPI_TEST_POSTGRES.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Account, isBroken, shownCount } from "../accounts.ts";
import { conditions, markdownTable, replacePart } from "../saved-results.ts";
import { startPostgres, startRedis } from "../store-servers.ts";
import { type JournalName, journalNames } from "./bookings/journals.ts";
import { raceBookings } from "./bookings/race.ts";
import { racePayouts } from "./payouts.ts";
import { type StoreName, storeNames } from "./stores.ts";

interface Started {
  /** Its URL, or the path of a file in an empty folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The stores and journals, as they are started: a new one needs its row. */
const starts: Readonly<Record<StoreName | JournalName, () => Promise<Started>>> = {
  redis: () => running("REDIS") ?? startRedis(),
  postgres: () => running("POSTGRES") ?? startPostgres(),
  memory: async () => ({ url: "", stop: async () => {} }),
  file: async () => {
    const folder = mkdtempSync(join(tmpdir(), "serviceapi-race-"));
    return { url: join(folder, "bookings.jsonl"), stop: async () => rmSync(folder, { recursive: true }) };
  },
};

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "500" },
    journal: { type: "string", multiple: true, default: [...journalNames] },
    references: { type: "string", default: "5000" },
    store: { type: "string", multiple: true, default: [...storeNames] },
    save: { type: "boolean", default: false },
  },
});
const [orders, references] = [Number(values.orders), Number(values.references)];
if (!Number.isSafeInteger(orders + references)) throw new Error("--orders and --references must be numbers.");
const marks = ["<!-- race: written by `npm run race -- --save` -->", "<!-- end of race -->"] as const;
const measured = conditions(["src", "scripts"]);

await raceWith(namesIn(values.journal, journalNames), (name, place) => raceBookings(name, place, orders));
const startedAt = performance.now();
const table = await raceWith(namesIn(values.store, storeNames), (name, url) => racePayouts(name, url, references));
const seconds = Math.round((performance.now() - startedAt) / 1_000);
if (values.save) replacePart("test/soak/RESULTS.md", marks, `${measured}: ${seconds} seconds.\n\n${table}`);

function namesIn<Name extends string>(given: readonly string[], known: readonly Name[]): readonly Name[] {
  const found = known.filter((name) => given.includes(name));
  if (found.length < new Set(given).size) throw new Error(`Known are ${known.join(", ")}.`);
  return found;
}

/** Runs a race with each of some stores, and returns the table of their accounts, which it prints. */
async function raceWith<Name extends StoreName | JournalName>(
  names: readonly Name[],
  race: (name: Name, place: string) => Promise<readonly Account[]>,
): Promise<string> {
  const columns: (readonly Account[])[] = [];
  for (const name of names) {
    const { url, stop } = await starts[name]();
    const accounts = await race(name, url).finally(stop);
    columns.push(accounts);
    for (const { what, examples } of accounts.filter(isBroken)) {
      console.error(`BROKEN with ${name}: ${what}`, examples);
      process.exitCode = 1;
    }
  }
  const rows = [...new Set(columns.flat().map(({ what }) => what))].map((what) => {
    const cells = columns.map((column) => column.find((account) => account.what === what));
    // A row that allows none with any store is bold.
    const title = cells.every((cell) => cell?.expected === "none") ? `**${what}**` : what;
    return [title, ...cells.map((cell) => (cell === undefined ? "0" : shownCount(cell)))];
  });
  const table = markdownTable([["", ...names], ...rows]).join("\n");
  console.log(table);
  return table;
}

/** Returns the server that a variable names, which is left running. */
function running(name: "REDIS" | "POSTGRES"): Promise<Started> | undefined {
  const url = process.env[`SERVICEAPI_TEST_${name}`];
  return url ? Promise.resolve({ url, stop: async () => {} }) : undefined;
}
