import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../../errors/request.ts";
import { codeOf } from "../../shared/error-code.ts";
import type { JournalError } from "../errors.ts";
import { journalFailed } from "./failure.ts";

/**
 * Refuses a file that is not there, unless it may yet be created: a misspelt path would read as a journal without bookings.
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
    `fileJournal: the file ${resolve(path)} does not exist. Correct the path of the journal; only a new journal has no file, with \`create: true\`.`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** Gives a failure of the file system a type, and says what to do about it. */
export function fileFailed(path: string, error: unknown): JournalError {
  const code = codeOf(error);
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
