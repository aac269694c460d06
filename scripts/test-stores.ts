/** `npm run test:stores`: the store and journal suites on a real Redis and a real Postgres. */
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
  const suites = ["webhooks/stores/real", "webhooks/stores/failover", "flights/journal/real"];
  process.exitCode =
    spawnSync("vitest", ["run", "--project", "source", ...suites.map((name) => `test/${name}.test.ts`)], {
      stdio: "inherit",
      env,
    }).status ?? 1;
} finally {
  for (const server of servers) await server.stop();
}
