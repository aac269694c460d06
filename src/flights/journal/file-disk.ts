import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
import type { JournalError } from "../errors.ts";
import { journalFailed } from "./failure.ts";

/** Appends a line and flushes it to the disk. The line break in front ends a line that a crash left unfinished. */
export async function appendLine(path: string, line: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await closeToOthers(file, path);
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    // One write: a second one for the rest could land behind the line of another process.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length)
      throw journalFailed(
        "fileJournal",
        `Only a part of a row could be written to ${path}. Is the disk full?`,
        undefined,
      );
    await file.sync();
    const { size } = await file.stat();
    if (size === bytes.length) await keepName(path);
  } finally {
    await file.close();
  }
}

/** A file that was there before may have been readable for others. Windows knows no such modes. */
async function closeToOthers(file: FileHandle, path: string): Promise<void> {
  const { mode } = await file.stat();
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  await file.chmod(0o600).catch((error: unknown) => {
    const advice = "Run chmod 600 on it as its owner, or let that user run this process.";
    throw journalFailed("fileJournal", `Others may read ${path}, which holds PNRs and tokens. ${advice}`, error);
  });
}

/** A new file outlives a power failure only if its directory does. Not every system can open one. */
async function keepName(path: string): Promise<void> {
  try {
    const directory = await open(dirname(path), "r");
    await directory.sync().finally(() => directory.close());
  } catch {
    // The line itself is on the disk.
  }
}

/** The bytes of a file from an offset on, and the identity of the file. */
export interface ReadBytes {
  readonly file: string;
  readonly from: number;
  readonly bytes: Buffer;
}

/** The part of a file that was read before. */
export interface KnownPart {
  readonly file: string;
  readonly offset: number;
  /** The last bytes before the offset. */
  readonly last: Buffer;
}

/**
 * Reads a file from the known offset, or from its start if it was replaced or cut. Undefined if there is no file.
 *
 * One that was cut and has grown again (`copytruncate` of logrotate) is the same file, perhaps of the same size: the
 * bytes before the offset show it.
 */
export async function readOn(path: string, { file, offset, last }: KnownPart): Promise<ReadBytes | undefined> {
  const handle = await openIfThere(path);
  if (handle === undefined) return undefined;
  try {
    const { ino, birthtimeMs, size } = await handle.stat();
    const found = `${ino} ${birthtimeMs}`;
    if (found === file && size >= offset) {
      const bytes = await readBetween(handle, offset - last.length, size);
      const isKnown = bytes.subarray(0, last.length).equals(last);
      if (isKnown) return { file, from: offset, bytes: bytes.subarray(last.length) };
    }
    return { file: found, from: 0, bytes: await readBetween(handle, 0, size) };
  } finally {
    await handle.close();
  }
}

async function readBetween(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** A file that cannot be read is an error. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Refuses a file that is not there, unless it may yet be created: a misspelt path would read as a journal without
 * bookings.
 *
 * @param create - Whether the file may be created. Its folder must exist all the same.
 */
export async function refuseMissing(path: string, create: boolean): Promise<void> {
  const folder = resolve(dirname(path));
  if (!(await isFolder(folder))) {
    throw new ConfigurationError(
      `fileJournal: the folder ${folder} does not exist. Correct the path of the journal, or create the folder.`,
    );
  }
  if (create) return;
  throw new ConfigurationError(
    `fileJournal: the file ${resolve(path)} does not exist. Correct the path of the journal; only a new journal, with \`create: true\`, has no file yet.`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Makes the error for a failure of the file system, which says what to do about it. */
export function fileFailed(path: string, error: unknown): JournalError {
  const code = errorCodeOf(error);
  const explanation =
    explanations[code] ?? `The file ${path} could not be read or written${code && ` (${code})`}. See \`cause\`.`;
  return journalFailed(
    "fileJournal",
    explanation.replaceAll("{path}", () => path),
    error,
  );
}

const noPermission = "This process has no permission to read and write {path}. Grant it to the user of the process.";
const diskFull = "The disk of {path} is full. Free space, then try again.";

const explanations: Readonly<Record<string, string | undefined>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EISDIR: "{path} is a folder. Pass the path of a file.",
  ENOTDIR: "A part of {path} is a file, not a folder. Correct the path of the journal.",
  ENOENT: "The folder of {path} does not exist. Correct the path of the journal, or create the folder.",
  EROFS: "{path} is on a read-only file system. Move the journal to one that can be written.",
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EMFILE: "This process has too many files open to open {path}. Raise its limit.",
};
