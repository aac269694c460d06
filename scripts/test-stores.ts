/**
 * `npm run test:stores`: the store and journal suites on a real Redis and a real Postgres, and the races and the
 * soak in their short form.
 */
import { spawnSync } from "node:child_process";
import { type StoreServer, startPostgres, startRedis } from "./store-servers.ts";

const servers: StoreServer[] = [];
async function start(starting: Promise<StoreServer>): Promise<string> {
  const server = await starting;
  servers.push(server);
  return server.url;
}

try {
  const env = {
    ...process.env,
    SERVICEAPI_TEST_REDIS: await start(startRedis()),
    SERVICEAPI_TEST_POSTGRES: await start(startPostgres()),
  };
  const run = (command: string, ...options: string[]) =>
    spawnSync(command, options, { stdio: "inherit", env }).status ?? 1;
  process.exitCode =
    run("vitest", "run", "test/webhooks/stores", "test/flights/journal") ||
    run("tsx", "scripts/race/main.ts", "--references", "500") ||
    run("tsx", "scripts/race/bookings/main.ts", "--orders", "40") ||
    run("node", "scripts/soak/main.ts", "--minutes", "0.4", "--seed", "8");
} finally {
  for (const server of servers) await server.stop();
}
