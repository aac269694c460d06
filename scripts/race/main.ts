/**
 * `npm run race`: eight processes share one store, 5,000 references are delivered three times each in random order,
 * handlers throw, stall past the deadline, and their processes are killed with SIGKILL. Then the effects are counted.
 * At the end the clock of the store is moved by 100 days, and everything is redelivered.
 *
 *   npx tsx scripts/race/main.ts [--references 5000] [--store postgres|redis|memory]
 *
 * Needs redis-server and postgres, or their URLs in SERVICEAPI_TEST_REDIS and SERVICEAPI_TEST_POSTGRES.
 */
import { parseArgs } from "node:util";
import { startPostgres, startRedis } from "../store-servers.ts";
import { startFleet } from "./fleet.ts";
import { openLab, type StoreName } from "./lab.ts";
import { redeliverLater } from "./later.ts";
import { deliverAll, deliverFailed } from "./service.ts";

const { values } = parseArgs({
  options: { references: { type: "string", default: "5000" }, store: { type: "string", multiple: true } },
});
const stores = (values.store ?? ["postgres", "redis", "memory"]) as StoreName[];
const table: Record<string, Record<string, number>> = {};
let broken = false;

for (const name of stores) {
  const server = await startStore(name);
  try {
    table[name] = await race(name, server.url, Number(values.references));
  } catch (error) {
    console.error(name, error);
    broken = true;
  } finally {
    await server.stop();
  }
}
printTable();
process.exitCode = broken ? 1 : 0;

async function startStore(name: StoreName): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const running = { url: process.env[`SERVICEAPI_TEST_${name.toUpperCase()}`] ?? "", stop: async () => {} };
  if (name === "memory" || running.url !== "") return running;
  return name === "redis" ? startRedis() : startPostgres();
}

async function race(name: StoreName, url: string, size: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const lab = await openLab(name, url);
  const fleet = await startFleet(name, url, lab, count);
  const run = crypto.randomUUID().slice(0, 8);
  const references = Array.from({ length: size }, (_, i) => `race-${run}-${i}`);
  const startedAt = performance.now();
  try {
    await deliverAll(references, fleet, lab, count);
    await deliverFailed(references, fleet, lab, count);
  } catch (error) {
    await lab.close();
    throw error;
  } finally {
    await fleet.stop();
  }

  const effects = await lab.effects();
  const later = await redeliverLater(references, lab);
  const cutOff = await lab.cutOff();
  const twice = references.filter((reference) => (effects.get(reference) ?? 0) > 1);
  const unexplained = twice.filter((reference) => !cutOff.has(reference));
  await lab.close();
  if (twice.length > 0) console.log(`${name}: effects before the process died, and again: ${twice.join(", ")}`);
  const result = {
    references: size,
    ...counts,
    "answered too late": counts["answered too late"] ?? 0,
    "acknowledged before the commit": counts["acknowledged before the commit"] ?? 0,
    "references lost": references.filter((reference) => !effects.has(reference)).length,
    "effect twice: process died between effect and commit": twice.length - unexplained.length,
    "effect twice: for any other reason": unexplained.length,
    "100 days later, with `settled`: effect again": later.settled,
    "100 days later, without it: effect again": later.unguarded,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
  broken ||= [
    result["references lost"],
    result["acknowledged before the commit"],
    result["answered too late"],
    unexplained.length,
    name === "redis" ? 0 : twice.length,
    later.settled,
    // Redis and memory remember for 90 days, Postgres indefinitely.
    name === "postgres" ? later.unguarded : 0,
  ].some((number) => number > 0);
  return result;
}

function printTable(): void {
  const rows = [...new Set(Object.values(table).flatMap((column) => Object.keys(column)))];
  console.table(
    Object.fromEntries(
      rows.map((row) => [row, Object.fromEntries(stores.map((name) => [name, table[name]?.[row] ?? 0]))]),
    ),
  );
}
