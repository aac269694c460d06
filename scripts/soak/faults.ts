/** The plan of the soak: what happens, for how long, and what undoes it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ScenarioName } from "../../src/emulator/emulator.ts";
import type { Chance } from "./chance.ts";
import type { Fleet } from "./fleet.ts";
import type { Service } from "./service-process.ts";
import { inPostgres, inRedis, type SoakStores } from "./stores.ts";

export interface Scene {
  readonly service: Service;
  readonly fleet: Fleet;
  readonly stores: SoakStores;
}

export interface Fault {
  readonly name: string;
  /** Its possible effect on a payout whose claim is in Redis (docs/stores.md); nothing if absent. */
  readonly redis?: "outage" | "failover" | "eviction";
  /** Resolves when it is undone. */
  strike(scene: Scene): Promise<unknown>;
}

const killing: Fault = { name: "worker: killed", strike: async ({ fleet }) => fleet.kill() };

/** Faults of the service, the workers and the clock. A kill comes three times as often as each other. */
const outside: readonly Fault[] = [
  killing,
  killing,
  meet("service: 503 and 500", [
    ["unavailable", 4],
    ["temporary", 4],
  ]),
  meet("service: responses of gateways", [
    ["html-502", 2],
    ["cut-json", 2],
    ["rate-limited", 2],
    ["http-500", 2],
  ]),
  meet("service: connections dropped", [
    ["reset", 3],
    ["reset-after", 3],
    ["reset-mid-body", 3],
  ]),
  meet("service: slow, or no response", [
    ["slow:800", 6],
    ["no-response", 2],
    ["no-response-after", 2],
  ]),
  meet(
    "service: responses of bookings lost",
    [
      ["reset-after", 2],
      ["no-response-after", 1],
      ["html-502", 1],
    ],
    "flights.book",
  ),
  meet(
    "service: streams cut or stalled",
    [
      ["reset-mid-body", 3],
      ["stall-mid-body", 2],
    ],
    "ai.stream",
  ),
  killing,
  { name: "worker: suspended for 6 s", strike: ({ fleet }) => fleet.suspend(6_000) },
  {
    name: "clock: 20 minutes ahead",
    async strike({ service, fleet }) {
      const ahead = Number(await service.ask({ act: "advance", duration: 1_200_000 }));
      await sleep(1_000); // The workers' clocks follow late: deliveries are refused meanwhile.
      fleet.setAhead(ahead);
    },
  },
];

const inStores: readonly Fault[] = [
  {
    name: "Redis: restarted",
    redis: "outage",
    async strike({ stores: { redis } }) {
      const server = redis.primary();
      await server.halt("SIGTERM");
      await sleep(1_500);
      await server.resume();
    },
  },
  { name: "Redis: failed over", redis: "failover", strike: ({ stores }) => stores.redis.failOver() },
  {
    name: "Redis: connections cut",
    redis: "outage",
    strike: async ({ stores }) => stores.redis.route.cut(),
  },
  limitMemory("Redis: out of memory (noeviction)", "noeviction", "outage"),
  limitMemory("Redis: keys evicted (allkeys-lru)", "allkeys-lru", "eviction"),
  {
    name: "Postgres: crashed and restarted",
    async strike({ stores: { postgres } }) {
      await postgres.server.halt("SIGQUIT");
      await sleep(1_000);
      await postgres.server.resume();
    },
  },
  {
    name: "Postgres: connections ended in transactions",
    strike: ({ stores: { postgres } }) =>
      inPostgres(postgres.server, async (client) => {
        for (let ended = 0, attempt = 0; ended === 0 && attempt < 40; attempt += 1) {
          const { rows } = await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'",
          );
          ended = rows.length;
          await sleep(25);
        }
      }),
  },
  { name: "Postgres: connections cut", strike: async ({ stores }) => stores.postgres.route.cut() },
];

export const faultNames: readonly string[] = [...new Set([...outside, ...inStores].map(({ name }) => name))];

/** Strikes until `isOver` returns true. A fault of a store may coincide with one outside the stores. */
export async function strikeAll(
  scene: Scene,
  chance: Chance,
  isOver: () => boolean,
  onStruck: (fault: Fault, from: number, to: number) => void,
): Promise<void> {
  const strike = async (faults: readonly Fault[], own: Chance) => {
    // All of them, before any comes again.
    for (let left: Fault[] = []; !isOver(); ) {
      if (left.length === 0) left = own.shuffle(faults);
      const fault = left.pop();
      if (fault === undefined) return;
      const from = Date.now();
      await fault.strike(scene);
      onStruck(fault, from, Date.now());
      await sleep(own.between(200, 1_000));
    }
  };
  await Promise.all([strike(outside, chance.branch()), strike(inStores, chance.branch())]);
}

/** Makes the next requests meet scenarios of the emulator. */
function meet(
  name: string,
  scenarios: readonly (readonly [scenario: ScenarioName, times: number])[],
  operation?: string,
): Fault {
  return {
    name,
    async strike({ service }) {
      for (const [scenario, times] of scenarios) await service.ask({ act: "use", scenario, operation, times });
    },
  };
}

/** Leaves Redis less memory than it needs: a second in which it refuses writes, or drops keys. */
function limitMemory(name: string, policy: string, redis: NonNullable<Fault["redis"]>): Fault {
  const set = (memory: string, policyThen: string, { stores }: Scene) =>
    inRedis(stores.redis.primary(), async (client) => {
      await client.config("SET", "maxmemory-policy", policyThen);
      await client.config("SET", "maxmemory", memory);
    });
  return {
    name,
    redis,
    async strike(scene) {
      await set("1mb", policy, scene);
      await sleep(1_000);
      await set("0", "noeviction", scene);
    },
  };
}
