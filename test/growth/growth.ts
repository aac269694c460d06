import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Work of a file of `works`, with the functions whose cost grows faster than its size. */
export interface Growth {
  readonly name: string;
  readonly faults: readonly string[];
}

/** Counts what the work of a file costs as its size grows (count.ts). */
export async function growthOf(file: string): Promise<readonly Growth[]> {
  const options = ["--no-opt", "--no-maglev", "--allow-natives-syntax", "--no-warnings"];
  const program = fileURLToPath(new URL("./count.ts", import.meta.url));
  const args = [...options, program, new URL(file, import.meta.url).href];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64_000_000 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
