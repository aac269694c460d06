/** Starts real stores on free ports in temporary directories, for the tests, the race and the soak. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";

/** Milliseconds in which a server has to start. */
const startLimit = 20_000;

export type StoreServer = Awaited<ReturnType<typeof serve>>;

/**
 * Starts Redis, with the `redis-server` on the path (Debian: apt-get install redis-server).
 *
 * @param durable - Whether a restart keeps each write that was acknowledged.
 */
export async function startRedis({ durable = false } = {}): Promise<StoreServer> {
  const port = await findPort();
  const directory = mkdtempSync(join(tmpdir(), "serviceapi-redis-"));
  const settings = {
    ...{ port, bind: "127.0.0.1", dir: directory, save: "" },
    ...{ appendonly: durable ? "yes" : "no", appendfsync: "always" },
  };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const url = `redis://127.0.0.1:${port}`;
  return serve(["redis-server", ...options], directory, url, () => inRedis({ url }, (redis) => redis.ping()));
}

/**
 * Starts Postgres, with `initdb` and `postgres` on the path or where Debian installs them (apt-get install postgresql).
 *
 * @param settings - Settings such as `synchronous_commit=off`.
 * @param standbyOf - The URL of the primary whose standby it is. `select pg_promote()` makes it a primary.
 */
export async function startPostgres(settings: readonly string[] = [], standbyOf?: string): Promise<StoreServer> {
  const port = await findPort();
  const directory = mkdtempSync(join(tmpdir(), "serviceapi-postgres-"));
  const binaries = findPostgres();
  // Postgres refuses to run as root, but continuous integration often does.
  const asUser = userInfo().uid === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  if (asUser.length > 0) execFileSync("chown", ["postgres", directory]);
  const create =
    standbyOf === undefined
      ? ["initdb", "-U", "postgres", "--auth=trust"]
      : ["pg_basebackup", "-d", standbyOf, "-R", "-c", "fast"];
  const run = ([program = "", ...options]: readonly string[]) => [...asUser, join(binaries, program), ...options];
  const [command = "", ...options] = run([...create, "-D", directory, "--no-sync"]);
  execFileSync(command, options, { stdio: "ignore" });
  const address = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`];
  const all = [...address, "max_connections=200", ...settings].flatMap((setting) => ["-c", setting]);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return serve(run(["postgres", "-D", directory, ...all]), directory, url, () => inPostgres({ url }, async () => {}));
}

function findPostgres(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
  ];
  const found = candidates.find((directory) => existsSync(join(directory, "initdb")));
  if (found === undefined) throw new Error("initdb was not found. Install it (Debian: apt-get install postgresql).");
  return found;
}

/** Connects to Redis for a while. Each command is retried until the server is ready for it. */
export async function inRedis<T>({ url }: { readonly url: string }, run: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  redis.on("error", () => {}); // The command rejects if no retry helps.
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}

/** Connects to Postgres for a while. */
export async function inPostgres<T>(
  { url }: { readonly url: string },
  run: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return await run(client);
  } finally {
    await client.end();
  }
}

/** @param connect - Resolves if the server is ready, which is later than its port is open. */
async function serve(
  [command = "", ...options]: readonly string[],
  directory: string,
  url: string,
  connect: () => Promise<unknown>,
) {
  const isReady = () =>
    connect().then(
      () => true,
      () => false,
    );
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(command, options, { stdio: "ignore" });
    await once(started, "spawn");
    for (const until = Date.now() + startLimit; !(await isReady()); await sleep(50)) {
      if (Date.now() > until || started.exitCode !== null) throw new Error(`${command} did not start.`);
    }
    return started;
  };
  let server = await start();
  /** Ends the process with a signal. Its port and its directory stay. */
  const halt = async (name: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(name);
    const overdue = setTimeout(() => server.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(overdue);
  };
  return {
    url,
    /** Sends a signal to the process. */
    signal: (name: NodeJS.Signals): void => void server.kill(name),
    halt,
    /** Starts it again after `halt`. */
    async resume(): Promise<void> {
      server = await start();
    },
    /** Ends the process and deletes its directory. */
    async stop(): Promise<void> {
      await halt("SIGINT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns a port that is free now. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
