import { randomUUID } from "node:crypto";
import { open, readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { isObject } from "../../shared/json.ts";
import { sleep } from "../../shared/promises.ts";

/** A process that asked for a lock. */
export interface Claim {
  readonly id: string;
  readonly pid: number;
  /** The start of the process, where the system tells: another process may get its number later. */
  readonly startedAt: string | undefined;
  /** The scope of the number: a container has its own. */
  readonly machine: string;
  readonly host: string;
}

/** Returns a new claim of this process. */
export async function createClaim(): Promise<Claim> {
  const { pid } = process;
  return { id: randomUUID(), pid, startedAt: await startOf(pid), machine: await machineOf(), host: hostname() };
}

export function isClaim(value: unknown): value is Claim {
  return isObject(value) && typeof value.id === "string" && typeof value.pid === "number";
}

/** Milliseconds between two signs of life, for machines that cannot see the process. */
export const heartbeat = 1_000;

/**
 * Whether the process of a claim still runs.
 *
 * @param path - The lock, which it touches as a sign of life.
 */
export async function isRunning({ pid, machine, startedAt }: Claim, own: Claim, path: string): Promise<boolean> {
  if (machine !== own.machine) return hasHeartbeat(path);
  const start = await startOf(pid);
  try {
    process.kill(pid, 0);
    return start === startedAt;
  } catch (error) {
    // EPERM: a process of another user, whose start may be hidden.
    return Object(error).code === "EPERM" && (start === startedAt || start === undefined);
  }
}

async function hasHeartbeat(path: string): Promise<boolean> {
  const before = await touchedAt(path);
  await sleep(3 * heartbeat);
  return (await touchedAt(path)) !== before;
}

/** A network file system asks for the times of a file again when it is opened. */
async function touchedAt(path: string): Promise<number | undefined> {
  const handle = await open(path).catch(() => undefined);
  try {
    return (await handle?.stat())?.mtimeMs;
  } finally {
    await handle?.close();
  }
}

/** Returns the start of a process by the clock of Linux; undefined if it has ended, or on another system. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name of the program, in parentheses, may have spaces. State and start are fields 3 and 22.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}

async function machineOf(): Promise<string> {
  const parts = [readFile("/proc/sys/kernel/random/boot_id", "utf8"), readlink("/proc/self/ns/pid")];
  return Promise.all(parts).then(
    ([boot = "", namespace]) => `${boot.trim()} ${namespace}`,
    () => hostname(),
  );
}
