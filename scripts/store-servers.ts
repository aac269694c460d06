/** Starts real stores on free ports in temporary directories, for the tests, the race and the soak. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";

export interface StoreServer {
  readonly url: string;
  /** Sends a signal to the process. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process with a signal. Its port and its directory stay. */
  halt(name: NodeJS.Signals): Promise<void>;
  /** Starts it again after `halt`. */
  resume(): Promise<void>;
  /** Ends the process and deletes its directory. */
  stop(): Promise<void>;
}

/**
 * Starts Redis, with the `redis-server` on the path (Debian: apt-get install redis-server).
 *
 * @param durable - Whether a restart keeps each write that was acknowledged.
 */
export async function startRedis({ durable = false } = {}): Promise<StoreServer> {
  const port = await findPort();
  const directory = mkdtempSync(join(tmpdir(), "serviceapi-redis-"));
  const options = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    directory,
    "--save",
    "",
    "--appendonly",
    durable ? "yes" : "no",
    "--appendfsync",
    "always",
  ];
  return serve(["redis-server", ...options], port, directory, `redis://127.0.0.1:${port}`, async () => {});
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
  const [create = "", ...createOptions] =
    standbyOf === undefined
      ? [...asUser, join(binaries, "initdb"), "-D", directory, "-U", "postgres", "--auth=trust", "--no-sync"]
      : [...asUser, join(binaries, "pg_basebackup"), "-D", directory, "-d", standbyOf, "-R", "-c", "fast", "--no-sync"];
  execFileSync(create, createOptions, { stdio: "ignore" });
  const options = [
    "-D",
    directory,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    directory,
    "-c",
    "max_connections=200",
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return serve([...asUser, join(binaries, "postgres"), ...options], port, directory, url, () => untilReady(url));
}

/** Waits for the database: its port is open before it is ready. */
async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await client.end();
    }
  }
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

async function serve(
  [command = "", ...options]: readonly string[],
  port: number,
  directory: string,
  url: string,
  whenReady: () => Promise<void>,
): Promise<StoreServer> {
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(command, options, { stdio: "ignore" });
    await whenUp(started, port);
    await whenReady();
    return started;
  };
  let server = await start();
  const halt = async (name: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(name);
    const overdue = setTimeout(() => server.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(overdue);
  };
  return {
    url,
    signal: (name) => void server.kill(name),
    halt,
    async resume() {
      server = await start();
    },
    async stop() {
      await halt("SIGINT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function whenUp(server: ChildProcess, port: number): Promise<void> {
  let failure: Error | undefined;
  server.once("error", (error) => {
    failure = error;
  });
  for (let attempt = 0; !(await answers(port)); attempt += 1) {
    if (failure !== undefined) throw failure;
    if (attempt === 200 || server.exitCode !== null) throw new Error(`${server.spawnfile} did not start.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Returns a port that is free now. */
export function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
