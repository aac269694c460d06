import { errorCodeOf } from "../../shared/error-code.ts";

/** The usual reasons, with the next step. */
const sentences: Readonly<Record<string, string>> = {
  ENOENT: "does not exist. Check its name and the folder that you are in.",
  EISDIR: "is a folder. Name a file.",
  ENOTDIR: "does not exist: a part of its path is a file, not a folder.",
  EACCES: "could not be read: you have no permission. Ask its owner, or pass a copy.",
  EPERM: "could not be read: you have no permission. Ask its owner, or pass a copy.",
};

/**
 * Returns why a file could not be read, and what to do.
 *
 * @param owner - What names the file, such as `--passengers: the file`.
 */
export function unreadable(owner: string, file: string, error: unknown): string {
  const code = errorCodeOf(error);
  return `${owner} ${file} ${sentences[code] ?? `could not be read${code && ` (${code})`}.`}`;
}
