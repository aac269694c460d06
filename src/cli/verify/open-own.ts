import type { Stats } from "node:fs";
import { constants, type FileHandle, lstat, open, stat } from "node:fs/promises";
import { ConfigurationError } from "../../errors/request.ts";
import { problemOf } from "./output-error.ts";

/**
 * Opens a file of this user alone, or makes it.
 *
 * @param input - The file of `--file`, which is refused, also by another name.
 * @throws ConfigurationError if it belongs to another user, is another file, or has another name.
 */
export async function openOwn(file: string, input: string): Promise<FileHandle> {
  const handle = await openFile(file);
  try {
    const [own, other] = await Promise.all([handle.stat(), stat(input).catch(() => undefined)]);
    if (isSame(own, other)) throw new ConfigurationError("--out must be another file than --file.");
    if (own.nlink > 1) {
      throw new ConfigurationError(`--out: ${file} has a second name (a hard link), under which it would change too.`);
    }
    // Only its owner may set the mode, also the one that it has.
    await requireOwner(file, handle, own.mode & 0o777);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Follows no symbolic link: the file that it leads to is not meant. Names and VPAs are for the owner alone. */
async function openFile(file: string): Promise<FileHandle> {
  const kind = await lstat(file).catch(() => undefined);
  if (kind !== undefined && !kind.isFile()) {
    throw new ConfigurationError(`--out: ${file} is a link, a folder or a device. Name a file.`);
  }
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;
  try {
    return await open(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new ConfigurationError(`--out: ${file} could not be opened: ${problemOf(error)}`);
  }
}

/** Sets the mode of a file, which cannot be done with one of another user. */
export async function requireOwner(file: string, handle: FileHandle, mode = 0o600): Promise<void> {
  try {
    await handle.chmod(mode);
  } catch (error) {
    throw new ConfigurationError(
      `--out: ${file} belongs to another user, or ${problemOf(error)} Name a file of your own.`,
    );
  }
}

/** Whether two files are one. */
export function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}
