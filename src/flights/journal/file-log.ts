import { createHash } from "node:crypto";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import { journalFailed } from "./failure.ts";
import { appendLine, fileFailed, type ReadBytes, readOn, refuseMissing } from "./file-disk.ts";
import type { BookingState, JournalRow } from "./journal.ts";
import { Rows } from "./memory.ts";
import { readRow } from "./row.ts";

const noBytes = Buffer.alloc(0);
/** Number of bytes before the offset that each read compares: the last lines, each with a unique `step`. */
const comparedBytes = 4_096;

/**
 * The effect of a line: true if it took effect; the row that conflicts with a claim; undefined for a settlement that
 * came too late.
 */
type Effect = true | JournalRow | undefined;

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by
 * the same rules: a claim behind a conflicting row has no effect, nor has a settlement whose row has left its state. So
 * all processes agree which claim was first, without a lock.
 */
export class FileLog {
  readonly #path: string;
  readonly #create: boolean;
  #rows = new Rows();
  /** The rows at the last read. A row that can conflict with another must not vanish with the file. */
  #known = this.#rows;
  /** Identity of the file that was read last. */
  #file = "";
  #offset = 0;
  /** The last bytes before the offset. */
  #last: Buffer = noBytes;
  #line = 1;
  #turn: Promise<unknown> = Promise.resolve();
  /** The step that this process has just written, and its effect. */
  #written: { readonly step: string; effect: Effect; isRead: boolean } | undefined;

  constructor(path: string, create: boolean) {
    this.#path = path;
    this.#create = create;
  }

  /** Runs steps one after another on the current rows, with the lines of other processes. */
  use<T>(step: (rows: Rows) => Promise<T>): Promise<T> {
    const mine = this.#turn
      .then(async () => {
        await this.#refresh();
        return step(this.#rows);
      })
      .catch((error: unknown) => {
        throw ServiceApiError.isInstance(error) ? error : fileFailed(this.#path, error);
      });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Writes and flushes a step, and reads back its effect: another process may have written before. */
  async append(row: JournalRow, from: BookingState | undefined): Promise<Effect> {
    const written = { step: crypto.randomUUID(), effect: undefined, isRead: false };
    this.#written = written;
    await appendLine(this.#path, sealed({ step: written.step, ...(from !== undefined && { from }), ...row }));
    await this.#refresh();
    const { isRead, effect } = written;
    if (!isRead)
      throw journalFailed("fileJournal", `${this.#path} was replaced while a row was written to it.`, undefined);
    return effect;
  }

  async #refresh(): Promise<void> {
    const { file, from, bytes } = await this.#readOn();
    if (from === 0) this.#reset();
    this.#file = file;
    try {
      this.#replay(bytes);
      if (from === 0) this.#refuseLoss();
    } catch (error) {
      // Read it again from the start next time: it may have been repaired.
      this.#reset();
      throw error;
    }
    this.#known = this.#rows;
  }

  async #readOn(): Promise<ReadBytes> {
    const read = await readOn(this.#path, { file: this.#file, offset: this.#offset, last: this.#last });
    if (read !== undefined) return read;
    await refuseMissing(this.#path, this.#create);
    return { file: "", from: 0, bytes: noBytes };
  }

  /** A file that was rotated, emptied or replaced, also by an older copy, would free offers that are being booked. */
  #refuseLoss(): void {
    const isLost = ({ attemptId, state }: JournalRow) => {
      const row = this.#rows.get(attemptId);
      return row === undefined || (state === "booked" && row.state === "rejected");
    };
    const lost = this.#known.standing().filter(isLost).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. A process that starts without it does not miss them, and could book them again.`,
    );
  }

  #reset(): void {
    this.#rows = new Rows();
    this.#file = "";
    this.#offset = 0;
    this.#last = noBytes;
    this.#line = 1;
  }

  #replay(bytes: Buffer): void {
    let end = bytes.lastIndexOf("\n") + 1;
    const whole = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    for (const line of whole) {
      this.#replayLine(line);
      this.#line += 1;
    }
    // Without its line break a line may be in the middle of being written. One that can be read counts all the same.
    const tail = bytes.subarray(end).toString("utf8");
    if (this.#replayLine(tail, tail.slice(0, -1))) end = bytes.length;
    this.#offset += end;
    const known = Buffer.concat([this.#last, bytes.subarray(0, end).subarray(-comparedBytes)]);
    this.#last = known.subarray(-comparedBytes);
  }

  /**
   * Returns true if the line was a row. A crash in the middle of a write leaves the beginning of one, which has no
   * effect.
   *
   * @param rest - The part that shows whether it is such a beginning.
   */
  #replayLine(line: string, rest = line): boolean {
    if (line === "") return false;
    const value = parseJson(line);
    if (value === undefined && isTorn(rest)) return false;
    const row = isIntact(line, value) ? readRow(value) : undefined;
    if (row !== undefined) {
      const { step, from } = Object(value);
      const effect = this.#effect(row, from);
      if (this.#written !== undefined && this.#written.step === step)
        Object.assign(this.#written, { effect, isRead: true });
      return true;
    }
    throw new ConfigurationError(
      `Line ${this.#line} of ${this.#path} is not a row of a booking journal, or is damaged. Nothing is booked until that line is corrected or removed. Keep the other lines: without them, what they hold could be booked again.`,
    );
  }

  #effect(row: JournalRow, from: BookingState | undefined): Effect {
    if (from !== undefined) return this.#rows.settle(row, from) || undefined;
    return this.#rows.claim(row, { force: row.forced }) ?? true;
  }
}

/** Ends a step with a checksum: damage may leave valid JSON. */
function sealed(step: object): object {
  return { ...step, end: createHash("sha256").update(JSON.stringify(step)).digest("hex").slice(0, 16) };
}

/** Returns true for a line as it was written: a step with its checksum. */
function isIntact(line: string, value: unknown): boolean {
  if (!isObject(value)) return false;
  const { end: _, ...step } = value;
  return line === JSON.stringify(sealed(step));
}

const beginning = '{"step":"';
/** The last bytes of a step, by either of two parts of them: one byte may be damaged. */
const ending = /"end":(?!(?:"[0-9a-f]{0,16})?$)|[0-9a-f]"}$/;

/** Returns true if a line that is not JSON is the beginning of one, left by a crash; otherwise it is damaged. */
function isTorn(line: string): boolean {
  return line.startsWith(beginning) ? !ending.test(line) : beginning.startsWith(line);
}
