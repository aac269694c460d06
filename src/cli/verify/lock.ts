import { constants, type FileHandle, open, readFile, unlink, utimes } from "node:fs/promises";
import { ConfigurationError } from "../../errors/request.ts";
import { field, parseJson } from "../../shared/json.ts";
import { type Claim, createClaim, heartbeat, isClaim, isRunning } from "./claim.ts";
import { OutputError, problemOf } from "./output-error.ts";

/** A lock that this process has got. */
export interface Lock {
  /** Whether this process still holds it: another may have taken it over from one that was suspended. */
  isHeld(): Promise<boolean>;
  unlock(): Promise<void>;
}

/**
 * Locks a file for this process: another one that writes it is refused.
 *
 * Beside the file is `<file>.lock`, to which each process appends a claim. A process gets the lock if those of all
 * claims before its own have ended, so that all agree on one, and one that was killed holds nobody back. It then appends
 * the random ID of its claim as the holder: the last one holds the lock, which the file itself would not tell, because
 * a later one may have the same inode.
 *
 * @throws ConfigurationError if another process holds the lock.
 * @throws OutputError if the disk is full.
 */
export async function lockFile(file: string): Promise<Lock> {
  const path = `${file}.lock`;
  for (;;) {
    const own = await createClaim();
    const other = await claim(file, path, own);
    // Its holder may have removed the file in between, and this claim with it.
    if (!(await readLines(path)).some((line) => field(line, "id") === own.id)) continue;
    if (other === undefined && (await isHolder(path, own))) return holdLock(path, own);
    if (other === undefined) continue;
    throw new ConfigurationError(
      `--out: ${file} is being written by another \`serviceapi verify\` on ${other.host}. ` +
        "Wait for its end, or name another file.",
    );
  }
}

/** Appends a claim of this process. Returns the first one before it whose process runs; the lock is got if none does. */
async function claim(file: string, path: string, own: Claim): Promise<Claim | undefined> {
  const handle = await openLock(file, path);
  try {
    await requireLock(handle, path);
    await append(handle, path, own);
    for (const other of parseLines(await readAll(handle)).filter(isClaim)) {
      if (other.id === own.id) break;
      if (await isRunning(other, own, path)) return other;
    }
    await append(handle, path, { holder: own.id });
    return undefined;
  } finally {
    await handle.close();
  }
}

async function append(handle: FileHandle, path: string, line: Claim | { readonly holder: string }): Promise<void> {
  try {
    // The line before may be cut off.
    await handle.appendFile(`\n${JSON.stringify(line)}\n`);
  } catch (error) {
    // Half a claim would look like a file of somebody else.
    if (!parseLines(await readAll(handle)).some(isClaim)) await unlink(path).catch(() => {});
    throw new OutputError(`--out: ${path}, the lock, could not be written: ${problemOf(error)}`);
  }
}

/** A file of somebody else must not be removed. */
async function requireLock(handle: FileHandle, path: string): Promise<void> {
  const text = (await handle.stat()).isFile() ? await readAll(handle) : "a pipe";
  if (text.trim() === "" || isClaim(parseLines(text)[0])) return;
  throw new ConfigurationError(`--out: ${path} would be the lock, and is another file. Rename it, or the output.`);
}

async function readAll(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  const { buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.toString();
}

function parseLines(text: string): readonly unknown[] {
  return text.split("\n").filter(Boolean).map(parseJson);
}

async function readLines(path: string): Promise<readonly unknown[]> {
  return parseLines(await readFile(path, "utf8").catch(() => ""));
}

async function isHolder(path: string, { id }: Claim): Promise<boolean> {
  const holders = (await readLines(path)).map((line) => field(line, "holder"));
  return holders.findLast((holder) => holder !== undefined) === id;
}

function holdLock(path: string, own: Claim): Lock {
  const isHeld = () => isHolder(path, own);
  const touch = async () => {
    if (await isHeld()) await utimes(path, new Date(), new Date()).catch(() => {});
  };
  const timer = setInterval(touch, heartbeat).unref();
  return {
    isHeld,
    async unlock() {
      clearInterval(timer);
      if (await isHeld()) await unlink(path).catch(() => {});
    },
  };
}

/** Follows no link: what it leads to is not a lock. */
async function openLock(file: string, path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;
  try {
    return await open(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new ConfigurationError(`--out: ${file} could not be locked with ${path} (${Object(error).code}).`);
  }
}
