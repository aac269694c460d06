/**
 * The first half of `npm run race`: four processes share a booking journal, 500 orders are attempted by three clients
 * each at once, responses are dropped and late, processes are killed with SIGKILL, and the clean-up of the guide runs
 * throughout. Then the bookings are counted at the service: none twice, none lost, and no order that could never be
 * booked.
 *
 *   npx tsx scripts/race/bookings/main.ts [--orders 500] [--journal file|postgres]
 *
 * Needs postgres, or its URL in SERVICEAPI_TEST_POSTGRES.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../../store-servers.ts";
import type { JournalName } from "./journals.ts";
import { brokenRows, type Counts, race } from "./race.ts";

const { values } = parseArgs({
  options: { orders: { type: "string", default: "500" }, journal: { type: "string", multiple: true } },
});
const journals = (values.journal ?? ["file", "postgres"]) as JournalName[];
const table: Record<string, Counts> = {};
let broken = false;

for (const name of journals) {
  const { place, stop } = await makePlace(name);
  try {
    const counts = await race(name, place, Number(values.orders));
    table[name] = counts;
    const rows = brokenRows(counts);
    for (const row of rows) console.error(`BROKEN with ${name}: ${row}`);
    broken ||= rows.length > 0;
  } catch (error) {
    console.error(name, error);
    broken = true;
  } finally {
    await stop();
  }
}
const rows = [...new Set(Object.values(table).flatMap((column) => Object.keys(column)))];
console.table(
  Object.fromEntries(
    rows.map((row) => [row, Object.fromEntries(journals.map((name) => [name, table[name]?.[row] ?? 0]))]),
  ),
);
process.exitCode = broken ? 1 : 0;

async function makePlace(name: JournalName): Promise<{ readonly place: string; stop(): Promise<void> }> {
  if (name === "file") {
    const folder = mkdtempSync(join(tmpdir(), "serviceapi-race-"));
    return { place: join(folder, "bookings.jsonl"), stop: async () => rmSync(folder, { recursive: true }) };
  }
  const running = process.env.SERVICEAPI_TEST_POSTGRES;
  if (running !== undefined && running !== "") return { place: running, stop: async () => {} };
  const { url, stop } = await startPostgres();
  return { place: url, stop };
}
