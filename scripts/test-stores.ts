/** `npm run test:stores`: the store suites on a real Redis and a real Postgres, and the race in its short form. */
import { spawnSync } from "node:child_process";
import { startPostgres, startRedis } from "./store-servers.ts";

const servers = [await startRedis(), await startPostgres()];
const [redis, postgres] = servers;
const env = { ...process.env, SERVICEAPI_TEST_REDIS: redis?.url, SERVICEAPI_TEST_POSTGRES: postgres?.url };
const run = (command: string, ...options: string[]) =>
  spawnSync(command, options, { stdio: "inherit", env }).status ?? 1;

try {
  process.exitCode =
    run("vitest", "run", "test/webhooks/stores") || run("tsx", "scripts/race/main.ts", "--references", "500");
} finally {
  for (const server of servers) await server.stop();
}
