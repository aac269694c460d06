/** The faults: what happens, for how long, and what undoes it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationName, ReceivedRequest, ResponseName, Rule } from "../../src/emulator/emulator.ts";
import { referenceIn } from "../../src/webhooks/stores/record.ts";
import { inPostgres, inRedis } from "../store-servers.ts";
import type { Eviction, Hit, Strike } from "./accounts/truth.ts";
import type { Chance } from "./chance.ts";
import type { Fleet } from "./fleet.ts";
import { bookAnyway, isTooLate, type Service } from "./service.ts";
import type { SoakStores } from "./stores.ts";

export interface Scene {
  readonly service: Service;
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

/** Longer than the timeout of an attempt, in milliseconds. */
const late = 2_200;

/** The ways in which a booking ends otherwise than with its response: in doubt, or ruled out. */
export const ofBookings: readonly Fault[] = [
  meet("booking: dropped before it was made: requests", "flights.book", { reset: 3 }),
  meet("booking: dropped after it was made: requests", "flights.book", { "reset-after": 3 }),
  meetTwice("booking: made, and a gateway's 502: requests", async (request, service) => {
    await bookAnyway(service, request);
    return new Response("<html>", { status: 502, headers: { "content-type": "text/html" } });
  }),
  meetTwice("booking: made after the client had gone: requests", async (request) => {
    await sleep(late);
    return isTooLate(request) ? "reset" : {};
  }),
  meet("booking: made, and the response came late: requests", "flights.book", { [`slow:${late}`]: 2 }),
  meet("booking: made, and no response: requests", "flights.book", { "no-response-after": 1 }),
  meet("booking: refused, authentication: requests", "flights.book", { authentication: 2 }),
  meet("booking: refused, balance: requests", "flights.book", { insufficient_balance: 1 }),
  meet("booking: refused, invalid: requests", "flights.book", { invalid: 1 }),
];

/** Further than the tolerance of a signature. */
const jump = 1_200_000;
/** Milliseconds between a jump of a clock and that of the others: deliveries are refused meanwhile. */
const untilSet = 1_000;

/** Faults of the service, the workers and the clock. A kill comes three times as often as each other. */
export const outside: readonly Fault[] = [
  kill,
  kill,
  meet("service: 503: requests", "*", { unavailable: 8 }),
  meet("service: responses of gateways: requests", "*", {
    "html-502": 2,
    "cut-json": 2,
    rate_limited: 2,
    "http-500": 2,
  }),
  meet("service: connections dropped: requests", "*", { reset: 3, "reset-after": 3, "reset-mid-body": 3 }),
  meet("service: slow, or no response: requests", "*", { "slow:800": 6, "no-response": 2, "no-response-after": 2 }),
  meet("service: streams cut or stalled: requests", "ai.stream", { "reset-mid-body": 3, "stall-mid-body": 2 }),
  kill,
  {
    name: "worker suspended for 6 s: processes",
    strike: ({ fleet }) => fleet.suspend(6_000),
  },
  {
    name: "clock 20 minutes ahead, of the workers late: processes",
    async strike({ service, fleet }) {
      const { clock } = service.emulator;
      await clock.advance(jump);
      await sleep(untilSet);
      return { hits: await fleet.become({ ahead: clock.now() - Date.now() }) };
    },
  },
  {
    name: "clock of the workers 20 minutes back: processes",
    async strike({ service, fleet }) {
      const ahead = service.emulator.clock.now() - Date.now();
      const hits = await fleet.become({ ahead: ahead - jump });
      await sleep(untilSet);
      await fleet.become({ ahead });
      return { hits };
    },
  },
];

/** The share of the keys that a strike evicts. More would leave few claims that must still be there at the end. */
const evictedShare = 0.04;

export const inStores: readonly Fault[] = [
  { ...restart("Redis restarted: connections", ({ redis }) => redis, "SIGTERM", 1_500), isOutage: true },
  {
    name: "Redis failed over: connections",
    isOutage: true,
    async strike({ stores: { redis } }) {
      const hits = redis.route.connections();
      return { hits, lost: await redis.failOver() };
    },
  },
  { ...cut("Redis: connections cut", ({ redis }) => redis), isOutage: true },
  {
    name: "Redis out of memory (noeviction): commands refused",
    isOutage: true,
    strike: ({ stores: { redis } }) =>
      inRedis(redis.server, async (client) => {
        const refused = async () =>
          Number(/^errorstat_OOM:count=(\d+)/m.exec(await client.info("errorstats"))?.[1] ?? 0);
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
    // An eviction, too, takes a key between two commands.
    name: "Redis: keys lost, as to an eviction (allkeys-random)",
    strike: ({ stores: { redis } }) =>
      inRedis(redis.server, async (client) => {
        const evicted: Eviction[] = [];
        for (let left = Math.max(1, (await client.dbsize()) * evictedShare); left > 0; left -= 1) {
          const from = Date.now();
          const key = (await client.randomkey()) ?? "";
          const reference = referenceIn(key.replace("serviceapi:webhooks:", "")) ?? key;
          if ((await client.del(key)) > 0) evicted.push({ reference, from, to: Date.now() });
        }
        return { hits: evicted.length, evicted };
      }),
  },
  restart("Postgres crashed and restarted: connections", ({ postgres }) => postgres, "SIGQUIT", 1_000),
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
  cut("Postgres: connections cut", ({ postgres }) => postgres),
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

/** Halts a server, and starts it again after some milliseconds. */
function restart(name: string, of: Of, signal: NodeJS.Signals, duration: number): Fault {
  return {
    name,
    async strike({ stores }) {
      const { route, server } = of(stores);
      const hits = route.connections();
      await server.halt(signal);
      await sleep(duration);
      await server.resume();
      return { hits };
    },
  };
}

/** Breaks off the connections to a server, which goes on. */
function cut(name: string, of: Of): Fault {
  return { name, strike: async ({ stores }) => ({ hits: of(stores).route.cut() }) };
}

type Of = (stores: SoakStores) => SoakStores["redis" | "postgres"];

type Times = Readonly<Partial<Record<ResponseName, number>>>;

/** Makes the next requests meet responses of the emulator, each a number of times. */
function meet(name: string, target: OperationName | "*", responses: Times): Fault {
  const given = Object.entries(responses) as [response: "unavailable", times: number][];
  return {
    name,
    strike: ({ service: { emulator } }) =>
      untilMet(given.map(([response, times]) => emulator.on(target as "*", response, { times }))),
  };
}

type Respond = (request: ReceivedRequest, service: Service) => Promise<Response | "reset" | object>;

/** Makes the next two bookings meet a function. */
function meetTwice(name: string, respond: Respond): Fault {
  return {
    name,
    strike: ({ service }) =>
      untilMet([service.emulator.on("flights.book", (_, request) => respond(request, service), { times: 2 })]),
  };
}

/** Resolves when the rules have been met, or after a time. */
async function untilMet(rules: readonly Rule[]): Promise<Hit> {
  const left = () => rules.reduce((sum, { remaining }) => sum + remaining, 0);
  const all = left();
  for (const until = Date.now() + patience * 1_000; left() > 0 && Date.now() < until; ) await sleep(20);
  return { hits: all - left() };
}
