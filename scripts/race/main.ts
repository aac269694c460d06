/**
 * The second half of `npm run race`: eight processes share one store, 5,000 references are delivered three times each in
 * random order, handlers throw, stall past the deadline, and their processes are killed with SIGKILL. Then the effects
 * are counted. At the end the clock of the store is moved by 100 days, and everything is redelivered.
 *
 *   npx tsx scripts/race/main.ts [--references 5000] [--store postgres|redis|memory] [--save]
 *
 * `--save` writes the table into test/soak/RESULTS.md. Needs redis-server and postgres, or their URLs in
 * SERVICEAPI_TEST_REDIS and SERVICEAPI_TEST_POSTGRES.
 */
import { parseArgs } from "node:util";
import { type Account, isBroken, shownCount } from "../accounts.ts";
import { conditions, markdownTable, replacePart } from "../saved-results.ts";
import { startPostgres, startRedis } from "../store-servers.ts";
import { accountForRace } from "./accounts.ts";
import { startFleet } from "./fleet.ts";
import { openLab, type StoreName } from "./lab.ts";
import { redeliverLater } from "./later.ts";
import { deliverAll, deliverFailed } from "./service.ts";

const { values } = parseArgs({
  options: {
    references: { type: "string", default: "5000" },
    store: { type: "string", multiple: true },
    save: { type: "boolean", default: false },
  },
});
const size = Number(values.references);
if (!Number.isSafeInteger(size)) throw new Error("--references must be a number.");
const stores = (values.store ?? ["postgres", "redis", "memory"]) as StoreName[];
const marks = ["<!-- race: written by `npm run race -- --save` -->", "<!-- end of race -->"] as const;
const measured = conditions(["src", "scripts"]);
const startedAt = performance.now();
const columns: Account[][] = [];

for (const name of stores) {
  const server = await startStore(name);
  try {
    columns.push(await race(name, server.url));
  } finally {
    await server.stop();
  }
}
const table = tableOf(columns);
console.log(table);
for (const [i, accounts] of columns.entries()) {
  for (const { what, examples } of accounts.filter(isBroken)) {
    console.error(`BROKEN with ${stores[i]}: ${what}`, examples);
    process.exitCode = 1;
  }
}
const seconds = Math.round((performance.now() - startedAt) / 1_000);
if (values.save) replacePart("test/soak/RESULTS.md", marks, `${measured}: ${seconds} seconds.\n\n${table}`);

async function startStore(name: StoreName): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const running = { url: process.env[`SERVICEAPI_TEST_${name.toUpperCase()}`] ?? "", stop: async () => {} };
  if (name === "memory" || running.url !== "") return running;
  return name === "redis" ? startRedis() : startPostgres();
}

async function race(store: StoreName, url: string): Promise<Account[]> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const lab = await openLab(store, url);
  const fleet = await startFleet(store, url, lab, count);
  const run = crypto.randomUUID().slice(0, 8);
  const references = Array.from({ length: size }, (_, i) => `race-${run}-${i}`);
  try {
    try {
      await deliverAll(references, fleet, lab, count);
      await deliverFailed(references, fleet, lab, count);
    } finally {
      await fleet.stop();
    }
    const [effects, open] = [await lab.effects(), await lab.open()];
    const later = await redeliverLater(references, lab);
    return accountForRace({ store, references, counts, effects, open, killed: fleet.killed, later });
  } finally {
    await lab.close();
  }
}

/** A row that allows none with any store is bold. */
function tableOf(columns: readonly (readonly Account[])[]): string {
  const rows = (columns[0] ?? []).map(({ what }, i) => {
    const cells = columns.flatMap((column) => column[i] ?? []);
    return [cells.every(({ expected }) => expected === "none") ? `**${what}**` : what, ...cells.map(shownCount)];
  });
  return markdownTable([["", ...stores], ...rows]).join("\n");
}
