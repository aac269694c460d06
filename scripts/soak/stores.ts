/** The stores of the soak, each behind a route: Postgres, and Redis with a replica. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { inPostgres, inRedis, type StoreServer, startPostgres, startRedis } from "../store-servers.ts";
import type { Time } from "./ledger.ts";
import { openRoute, type Route } from "./route.ts";

export type SoakStores = Awaited<ReturnType<typeof startStores>>;

/** A key with the time. Writes are replicated in order, so a replica has all that came before the time that it has. */
const heartbeat = "soak:heartbeat";

export async function startStores() {
  const [first, second, postgres] = await Promise.all([
    startRedis({ durable: true }),
    startRedis({ durable: true }),
    startPostgres(),
  ]);
  await replicate(second, first);
  const redis = pairOf(await openRoute(first.url), first, second);
  const route = await openRoute(postgres.url);
  return {
    redis,
    postgres: { server: postgres, route },
    /** Makes all that is in them older. */
    async age(days: number): Promise<void> {
      await inRedis(redis.server, (client) => ageKeys(client, days * 86_400_000));
      await inPostgres(postgres, (client) => client.query(ageClaims, [days]));
    },
    async stop(): Promise<void> {
      await Promise.all([redis.route.close(), route.close()]);
      await Promise.all([first.stop(), second.stop(), postgres.stop()]);
    },
  };
}

function pairOf(route: Route, first: StoreServer, second: StoreServer) {
  let [primary, replica] = [first, second];
  return {
    route,
    /** The server that has the claims now. */
    get server() {
      return primary;
    },
    /** Promotes the replica while it lags behind, so that the latest writes are lost. Returns when those were made. */
    async failOver(): Promise<Time> {
      await inRedis(replica, untilInSync);
      const to = await inRedis(primary, async (redis) => {
        const beat = () => redis.set(heartbeat, Date.now());
        await beat();
        await redis.wait(1, 10_000);
        const beating = setInterval(() => void beat().catch(() => {}), 20);
        replica.signal("SIGSTOP");
        await sleep(400);
        await primary.halt("SIGKILL");
        clearInterval(beating);
        return Date.now();
      });
      replica.signal("SIGCONT");
      const from = await inRedis(replica, async (redis) => {
        await redis.replicaof("NO", "ONE");
        return Number(await redis.getdel(heartbeat));
      });
      [primary, replica] = [replica, primary];
      route.to(primary.url);
      await replica.resume();
      await replicate(replica, primary);
      return { from, to };
    },
  };
}

async function ageKeys(redis: Redis, milliseconds: number): Promise<void> {
  for (const key of await redis.keys("serviceapi:webhooks:*")) {
    const left = await redis.pttl(key);
    // -1: the key does not expire. An expiry in the past deletes it.
    if (left >= 0) await redis.pexpire(key, left - milliseconds);
  }
}

const ageClaims = `update serviceapi_webhooks
  set leased_until = leased_until - $1 * interval '1 day', expires_at = expires_at - $1 * interval '1 day'`;

/** Makes a server the replica of another, and waits until it has all writes. */
async function replicate(replica: StoreServer, primary: StoreServer): Promise<void> {
  const { hostname, port } = new URL(primary.url);
  await inRedis(replica, async (redis) => {
    await redis.replicaof(hostname, port);
    await untilInSync(redis);
  });
}

async function untilInSync(replica: Redis): Promise<void> {
  while (!(await replica.info("replication")).includes("master_link_status:up")) await sleep(50);
}
