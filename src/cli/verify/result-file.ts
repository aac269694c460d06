import { type FileHandle, rename, stat, unlink } from "node:fs/promises";
import type { Lock } from "./lock.ts";
import { isSame, openOwn, requireOwner } from "./open-own.ts";
import { OutputError, problemOf } from "./output-error.ts";

/** A file with names and VPAs, to which this process alone appends. */
export interface ResultFile {
  /** Its bytes so far. */
  readonly size: number;
  /** Whether the last change failed: nothing more can be written. */
  readonly hasFailed: boolean;
  /** @throws OutputError if the disk is full, or another program has changed the file or its lock. */
  append(text: string): Promise<void>;
  /** Moves it to the name of another file, which it replaces. What was appended is on the disk before. */
  moveTo(file: string): Promise<void>;
  remove(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@link openResultFile}. */
export interface ResultFileSettings {
  /** The file of `--file`, which is refused as it is, also by another name. */
  readonly input: string;
  readonly lock: Lock;
  /** Whether what it has is removed. @default false */
  readonly isEmptied?: boolean;
}

/**
 * Opens a file of the results, or makes it, for its owner alone.
 *
 * @throws ConfigurationError if it is not a file of this user alone.
 */
export async function openResultFile(
  file: string,
  { input, lock, isEmptied = false }: ResultFileSettings,
): Promise<ResultFile> {
  const handle = await openOwn(file, input);
  try {
    await requireOwner(file, handle);
    if (isEmptied) await handle.truncate();
    return resultFileOf(file, handle, (await handle.stat()).size, lock);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function resultFileOf(file: string, handle: FileHandle, start: number, lock: Lock): ResultFile {
  let [name, size, hasFailed] = [file, start, false];
  const guarded = async (change: () => Promise<void>) => {
    hasFailed = true;
    await requireUnchanged(name, handle, size, lock);
    await attempt(name, change);
    hasFailed = false;
  };
  return {
    get size() {
      return size;
    },
    get hasFailed() {
      return hasFailed;
    },
    append: (text) =>
      guarded(async () => {
        await handle.appendFile(text);
        size += Buffer.byteLength(text);
      }),
    moveTo: (target) =>
      guarded(async () => {
        await handle.datasync();
        await rename(name, target);
        name = target;
      }),
    remove: () => guarded(() => unlink(name)),
    async close() {
      try {
        if (!hasFailed) await attempt(name, () => handle.datasync());
      } finally {
        await handle.close();
      }
    },
  };
}

/** Another process may have taken over the lock of one that was suspended, or the file may have been moved. */
async function requireUnchanged(file: string, handle: FileHandle, size: number, lock: Lock): Promise<void> {
  const [own, named, isHeld] = await Promise.all([handle.stat(), stat(file).catch(() => undefined), lock.isHeld()]);
  if (own.size !== size || !isSame(own, named) || !isHeld) throw takenError(file);
}

/** Returns the error for a file that somebody else has changed. */
export function takenError(file: string): OutputError {
  return new OutputError(
    `--out: ${file} or its lock was changed or moved by another program. Nothing more was written: the last results received are not in it.`,
    true,
  );
}

async function attempt(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new OutputError(`--out: ${file} could not be written: ${problemOf(error)}`);
  }
}
