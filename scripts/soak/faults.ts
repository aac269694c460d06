/** The faults: what happens, for how long, and what undoes it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationName, ResponseName } from "../../src/emulator/emulator.ts";
import { referenceIn } from "../../src/webhooks/stores/record.ts";
import type { Eviction, Hit, Strike } from "./accounts/truth.ts";
import type { Asked } from "./asks.ts";
import type { Chance } from "./chance.ts";
import type { Fleet } from "./fleet.ts";
import type { ServiceActs } from "./service.ts";
import { inPostgres, inRedis, type SoakStores } from "./stores.ts";

export interface Scene {
  readonly service: Asked<ServiceActs>;
  readonly fleet: Fleet;
  readonly stores: SoakStores;
}

export interface Fault {
  /** Its name, and what its hits are: processes, requests, connections, commands or keys. */
  readonly name: string;
  /** Whether Redis is away meanwhile, and so possibly at a commit (docs/stores.md). */
  readonly isOutage?: true;
  /** Resolves when it is undone. */
  strike(scene: Scene): Promise<Hit>;
}

export const kill: Fault = {
  name: "worker killed: processes",
  strike: async ({ fleet }) => ({ hits: await fleet.kill() }),
};

/** Further than the tolerance of a signature. */
const jump = 1_200_000;
/** Milliseconds between a jump of a clock and that of the others: deliveries are refused meanwhile. */
const untilSet = 1_000;

/** Faults of the service, the workers and the clock. A kill comes three times as often as each other. */
export const outside: readonly Fault[] = [
  kill,
  kill,
  meet("service: 503: requests", [["unavailable", 8]]),
  meet("service: responses of gateways: requests", [
    ["html-502", 2],
    ["cut-json", 2],
    ["rate_limited", 2],
    ["http-500", 2],
  ]),
  meet("service: connections dropped: requests", [
    ["reset", 3],
    ["reset-after", 3],
    ["reset-mid-body", 3],
  ]),
  meet("service: slow, or no response: requests", [
    ["slow:800", 6],
    ["no-response", 2],
    ["no-response-after", 2],
  ]),
  meet(
    "service: streams cut or stalled: requests",
    [
      ["reset-mid-body", 3],
      ["stall-mid-body", 2],
    ],
    "ai.stream",
  ),
  kill,
  {
    name: "worker suspended for 6 s: processes",
    strike: async ({ fleet }) => ({ hits: await fleet.suspend(6_000) }),
  },
  {
    name: "clock 20 minutes ahead, of the workers late: processes",
    async strike({ service, fleet }) {
      const ahead = await service.ask("advance", jump);
      await sleep(untilSet);
      return { hits: await fleet.become({ ahead }) };
    },
  },
  {
    name: "clock of the workers 20 minutes back: processes",
    async strike({ service, fleet }) {
      const ahead = await service.ask("advance", 0);
      const hits = await fleet.become({ ahead: ahead - jump });
      await sleep(untilSet);
      await fleet.become({ ahead });
      return { hits };
    },
  },
];

export const inStores: readonly Fault[] = [
  {
    name: "Redis restarted: connections",
    isOutage: true,
    async strike({ stores: { redis } }) {
      const server = redis.primary();
      const hits = redis.route.connections();
      await server.halt("SIGTERM");
      await sleep(1_500);
      await server.resume();
      return { hits };
    },
  },
  {
    name: "Redis failed over: connections",
    isOutage: true,
    async strike({ stores: { redis } }) {
      const hits = redis.route.connections();
      return { hits, lost: await redis.failOver() };
    },
  },
  {
    name: "Redis: connections cut",
    isOutage: true,
    strike: async ({ stores }) => ({ hits: stores.redis.route.cut() }),
  },
  {
    name: "Redis out of memory (noeviction): commands refused",
    isOutage: true,
    strike: ({ stores: { redis } }) =>
      inRedis(redis.primary(), async (client) => {
        const refused = async () => numberIn(await client.info("errorstats"), "errorstat_OOM:count");
        const before = await refused();
        await client.config("SET", "maxmemory", "1mb");
        for (let second = 0; second === 0 || (second < patience && (await refused()) === before); second += 1) {
          await sleep(1_000);
        }
        await client.config("SET", "maxmemory", "0");
        return { hits: (await refused()) - before };
      }),
  },
  {
    name: "Redis: keys evicted (allkeys-random)",
    strike: async ({ stores: { redis } }) => {
      const evicted = await evictSome(redis.primary());
      return { hits: evicted.length, evicted };
    },
  },
  {
    name: "Postgres crashed and restarted: connections",
    async strike({ stores: { postgres } }) {
      const hits = postgres.route.connections();
      await postgres.server.halt("SIGQUIT");
      await sleep(1_000);
      await postgres.server.resume();
      return { hits };
    },
  },
  {
    name: "Postgres: connections ended in transactions",
    strike: ({ stores: { postgres } }) =>
      inPostgres(postgres.server, async (client) => {
        let hits = 0;
        for (const until = Date.now() + patience * 1_000; hits === 0 && Date.now() < until; await sleep(25)) {
          const { rows } = await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'",
          );
          hits = rows.length;
        }
        return { hits };
      }),
  },
  { name: "Postgres: connections cut", strike: async ({ stores }) => ({ hits: stores.postgres.route.cut() }) },
];

/** Seconds in which a fault has to hit something. */
const patience = 10;

/** Strikes until `isOver` returns true, and each fault at least once. Those of different lists may coincide. */
export async function strikeAll(
  lists: readonly (readonly Fault[])[],
  scene: Scene,
  chance: Chance,
  isOver: () => boolean,
): Promise<readonly Strike[]> {
  const strikes: Strike[] = [];
  const strike = async (faults: readonly Fault[], own: Chance) => {
    let left: Fault[] = [];
    // All of them, before any comes again.
    for (let struck = 0; struck < faults.length || !isOver(); struck += 1) {
      if (left.length === 0) left = own.shuffle(faults);
      const fault = left.pop();
      if (fault === undefined) return;
      const from = Date.now();
      const hit = await fault.strike(scene);
      strikes.push({ name: fault.name, from, to: Date.now(), isOutage: fault.isOutage === true, ...hit });
      await sleep(own.between(200, 1_000));
    }
  };
  await Promise.all(lists.map((faults) => strike(faults, chance.branch())));
  return strikes;
}

/** Makes the next requests meet rules of the emulator. */
function meet(
  name: string,
  responses: readonly (readonly [name: ResponseName, times: number])[],
  operation?: OperationName,
): Fault {
  return {
    name,
    strike: async ({ service }) => ({
      hits: await service.ask("meet", { responses, operation, within: patience * 1_000 }),
    }),
  };
}

/** The share of the keys that a strike evicts. More would leave few claims that must still be there at the end. */
const evictedShare = 0.04;

/** Leaves Redis a little less memory than it uses, and a little less again. Returns the claims that it evicted. */
function evictSome(server: ReturnType<SoakStores["redis"]["primary"]>): Promise<readonly Eviction[]> {
  const evicted: Eviction[] = [];
  const listen = (run: (catchUp: () => Promise<unknown>) => Promise<void>) =>
    inRedis(server, async (listener) => {
      let from = Date.now();
      listener.on("message", (_, key: string) => {
        const reference = referenceIn(key.replace("serviceapi:webhooks:", "")) ?? key;
        evicted.push({ reference, from, to: Date.now() });
      });
      await listener.subscribe("__keyevent@0__:evicted");
      // The messages that come after the reply are of evictions after the request.
      await run(async () => {
        const asked = Date.now();
        await listener.ping();
        from = asked;
      });
    });
  return inRedis(server, async (client) => {
    await client.config("SET", "notify-keyspace-events", "Ee");
    await client.config("SET", "maxmemory-policy", "allkeys-random");
    const enough = Math.max(1, (await client.dbsize()) * evictedShare);
    try {
      await listen(async (catchUp) => {
        for (const until = Date.now() + patience * 1_000; evicted.length < enough && Date.now() < until; ) {
          const info = await client.info("memory");
          const used = numberIn(info, "used_memory") - numberIn(info, "mem_not_counted_for_evict");
          // Each command evicts, before it runs, until the limit is kept.
          const limit = ["SET", "maxmemory", String(used - 1_024)] as const;
          await client
            .pipeline()
            .config(...limit)
            .ping()
            .config("SET", "maxmemory", "0")
            .exec();
          await catchUp();
        }
      });
      return evicted;
    } finally {
      await client.config("SET", "maxmemory", "0");
      await client.config("SET", "maxmemory-policy", "noeviction");
    }
  });
}

/** Returns a number of the command INFO. */
function numberIn(info: string, name: string): number {
  const line = info.split("\r\n").find((each) => new RegExp(`^${name}[:=]`).test(each));
  return Number(line?.slice(name.length + 1).split(",")[0] ?? 0);
}
