/** The file of the results could not be written: the disk is full, or gone. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  /** Whether another program has changed the file: the same command may not continue it. */
  readonly isTaken: boolean;

  constructor(message: string, isTaken = false) {
    super(message);
    this.isTaken = isTaken;
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is used up",
  EROFS: "the file system is read-only",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
};

/** Returns what kept the system from writing. */
export function problemOf(error: unknown): string {
  const { code } = Object(error);
  return `${problems[code] ?? "the system refused it"} (${code}).`;
}
