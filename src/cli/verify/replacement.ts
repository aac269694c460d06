import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { writtenRowsOf } from "./earlier-rows.ts";
import type { CsvInput } from "./input.ts";
import type { Lock } from "./lock.ts";
import { openOwn } from "./open-own.ts";
import type { CsvRecord } from "./records.ts";
import { openResultFile, type ResultFile, takenError } from "./result-file.ts";
import { formatRow, headerOf } from "./rows.ts";

/** The results that are replaced. */
export interface Earlier {
  readonly input: CsvInput;
  /** The number of their rows. */
  readonly count: number;
}

/** Characters of rows that are copied at once. */
const copySize = 65_536;

/**
 * A second file, `<file>.retry`, that gets all rows of the results again, some of them new, and then takes their place.
 * After a kill its rows stand for the first ones of the results, and `resumeReplacement` copies the rest: nothing
 * of either is lost.
 */
export class Replacement {
  readonly #file: string;
  readonly #input: CsvInput;
  readonly #earlier: AsyncGenerator<CsvRecord>;
  readonly #original: Stats;
  /** The number of rows that the results have. */
  readonly #count: number;
  readonly #results: ResultFile;
  #index = 0;
  #hasNewRows = false;

  private constructor(file: string, { input, count }: Earlier, original: Stats, results: ResultFile) {
    this.#file = file;
    this.#input = input;
    this.#earlier = writtenRowsOf(file, input);
    this.#original = original;
    this.#count = count;
    this.#results = results;
  }

  /** Begins the replacement of a file of results. */
  static async open(file: string, earlier: Earlier, lock: Lock): Promise<Replacement> {
    const original = await statOwn(file, earlier.input.file);
    const results = await openResultFile(pathOf(file), { input: earlier.input.file, lock });
    return new Replacement(file, earlier, original, results);
  }

  /** Writes a row in place of the earlier one, behind those before it. */
  async replace(index: number, row: string): Promise<void> {
    await this.#copyUntil(index);
    await this.skip(index + 1);
    await this.#results.append(row);
  }

  /** Leaves out the earlier rows up to a number of them: it has others for them. */
  async skip(count: number): Promise<void> {
    for (; this.#index < count; this.#index++) await this.#earlier.next();
    this.#hasNewRows = true;
  }

  /** Copies the rows that are left, takes the place of the results, and returns them. */
  async finish(): Promise<ResultFile> {
    await this.#copyUntil(Number.POSITIVE_INFINITY);
    const { ino, size, mtimeMs } = await stat(this.#file).catch((): Partial<Stats> => ({}));
    const original = this.#original;
    const isSame = ino === original.ino && size === original.size && mtimeMs === original.mtimeMs;
    // A read that failed has ended the earlier rows before their end.
    if (!isSame || this.#index < this.#count) throw takenError(this.#file);
    await this.#results.moveTo(this.#file);
    return this.#results;
  }

  /** Finishes, or leaves the results as they are if none is new. After an error the next run finishes. */
  async close(): Promise<void> {
    try {
      if (this.#results.hasFailed) return;
      if (this.#hasNewRows) await this.finish();
      else await this.#results.remove();
    } finally {
      await this.#earlier.return(undefined);
      await this.#results.close();
    }
  }

  /** Copies the earlier rows before an index. */
  async #copyUntil(index: number): Promise<void> {
    const { delimiter, header } = this.#input;
    let text = this.#results.size === 0 ? headerOf(this.#input) : "";
    while (this.#index < index) {
      const { value } = await this.#earlier.next();
      if (value === undefined) break;
      this.#index++;
      text += formatRow(value.fields.slice(0, header.length), value.fields.slice(header.length), delimiter);
      if (text.length < copySize) continue;
      await this.#results.append(text);
      text = "";
    }
    if (text !== "") await this.#results.append(text);
  }
}

/** The results of another user must not become those of this one. */
async function statOwn(file: string, input: string): Promise<Stats> {
  const handle = await openOwn(file, input);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/** The name of the second file. */
export function pathOf(file: string): string {
  return `${file}.retry`;
}
