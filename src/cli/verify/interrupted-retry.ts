import { lstat, stat, unlink } from "node:fs/promises";
import { ConfigurationError } from "../../errors/request.ts";
import { sumOf } from "./counts.ts";
import { readEarlierRows } from "./earlier-rows.ts";
import type { CsvInput } from "./input.ts";
import type { Lock } from "./lock.ts";
import { openOwn } from "./open-own.ts";
import { readStart } from "./records.ts";
import { type Earlier, pathOf, Replacement } from "./replacement.ts";

/** Finishes the replacement of a run that was killed. */
export async function resumeReplacement(file: string, input: CsvInput, lock: Lock): Promise<void> {
  const path = pathOf(file);
  if (!(await exists(path))) return;
  if ((await stat(file)).size === 0) {
    throw new ConfigurationError(
      `--out: ${path} has rows of a --retry that was interrupted, and ${file} has none. Rename it to continue with ` +
        "its rows, or replace it with --overwrite.",
    );
  }
  await (await openOwn(path, input.file)).close();
  const [replaced, earlier] = [await readEarlierRows(path, input, true), await readEarlierRows(file, input, true)];
  const count = sumOf(earlier.counts);
  // A --retry makes no result open again: the file was changed since.
  if ([...replaced.open.keys()].some((index) => index < count && !earlier.open.has(index))) {
    throw new ConfigurationError(
      `--out: ${path}, of a --retry that was interrupted, has failed rows that ${file} has not. ` +
        "Keep one of them under the name of the output, and move the other one away.",
    );
  }
  const skipped = sumOf(replaced.counts);
  if (replaced.isResaved) await restoreForm(path, { input, count: skipped }, lock);
  const replacement = await Replacement.open(file, { input, count }, lock);
  try {
    await replacement.skip(skipped);
  } finally {
    await replacement.close();
  }
}

/** Writes rows that another program has saved again as this one does: behind them, the others are appended. */
async function restoreForm(path: string, saved: Earlier, lock: Lock): Promise<void> {
  await removeReplacement(path, saved.input.file);
  const restored = await Replacement.open(path, saved, lock);
  await restored.skip(0);
  await restored.close();
}

/** Removes the replacement of a run that was killed, before the results are begun again. */
export async function removeReplacement(file: string, input: string): Promise<void> {
  const path = pathOf(file);
  if (!(await exists(path))) return;
  await (await openOwn(path, input)).close();
  const start = await readStart(path);
  if (start !== "" && !/looked_up.*account_status/.test(start)) {
    throw new ConfigurationError(
      `--out: ${path} would be replaced by a --retry, and is another file. Rename it, or the output.`,
    );
  }
  await unlink(path);
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
