/** A program, and all that it needs to run. */
export interface Program {
  /** The file in Node, Deno and Bun, and its arguments. */
  readonly file: string;
  readonly args: readonly string[];
  /** Folders that it reads. */
  readonly reads: readonly string[];
  /** The module in workerd, and the paths that are requested of it, one after the other. */
  readonly worker: string;
  readonly requests: readonly string[];
  /** The file of an authority to trust, as PEM. */
  readonly authority?: string;
  /** The environment of the process; workerd has none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly patience?: number;
}
