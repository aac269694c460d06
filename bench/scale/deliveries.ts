/** Deliveries per second of receivers on one store, in 1, 2 and 4 processes, and the memory of one of them. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Pool } from "pg";
import { postgresStore } from "serviceapi/stores";
import { startPostgres, startRedis } from "../../scripts/store-servers.ts";
import type { Series, Slice } from "../measure.ts";
import { forkOn } from "../processes.ts";
import type { Curve, PartResult, Point } from "./curves.ts";
import { curvesOf, megabytes } from "./sample.ts";

/** Deliveries of a round in each process. */
const counts = { memory: 10_000, Redis: 2_500, Postgres: 500 } as const;
const rounds = 10;
type Store = keyof typeof counts;

export async function run(): Promise<PartResult> {
  const servers = [await startRedis(), await startPostgres()] as const;
  try {
    const [redis, postgres] = servers;
    const pool = new Pool({ connectionString: postgres.url });
    await postgresStore(pool).createSchema();
    await pool.end();
    const urls = { memory: "", Redis: redis.url, Postgres: postgres.url };
    const memory: Curve[] = [];
    const curves = await curvesOf([1, 2, 4], async (processes) => {
      const all: Pick<Series, "name" | "slices">[] = [];
      for (const name of Object.keys(counts) as Store[]) {
        const { slices, inUse } = await measured(name, urls[name], processes);
        all.push({ name, slices });
        if (processes === 1) memory.push({ name: `receiver, ${name}`, points: inUse });
      }
      return all;
    });
    return { panels: [{ title: "Deliveries per second", axis: "processes", isLogarithmic: true, curves }], memory };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The rates of all processes together, and the memory of the first one, after each round. */
async function measured(store: Store, url: string, processes: number) {
  const args = [store, url, String(counts[store])];
  const children = Array.from({ length: processes }, () =>
    forkOn("scale/receiver.ts", { core: "any", args, flags: ["--expose-gc"] }),
  );
  const askAll = (what: string) => Promise.all(children.map((child) => asked(child, what)));
  await askAll("prepare");
  const slices: Slice[] = [];
  const inUse: Point[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAt = performance.now();
    await askAll("receive");
    const seconds = (performance.now() - startedAt) / 1_000;
    const [bytes = Number.NaN] = await askAll("prepare");
    // The first round warms up.
    if (round === 0) continue;
    slices.push({ value: (processes * counts[store]) / seconds, idle: 0, preempted: 0 });
    inUse.push({ x: (100 * round) / rounds, y: megabytes(bytes) });
  }
  for (const child of children) child.kill();
  return { slices, inUse };
}

async function asked(child: ChildProcess, what: string): Promise<number> {
  child.send(what);
  const [message] = (await once(child, "message")) as [number];
  return message;
}
