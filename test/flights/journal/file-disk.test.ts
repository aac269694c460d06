import { readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { appendFile, type FileHandle, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { watch } from "./open-files.ts";
import { lineOf, other, row } from "./rows.ts";

/** The lines of a journal with this number of bookings. */
function linesOf(count: number, traceId = "TRACE"): string {
  const lines = Array.from({ length: count }, (_, n) => {
    const unlike = { attemptId: `attempt-${n}`, clientReferenceId: `order-${n}`, token: `${n}`, searchToken: `${n}` };
    return lineOf(row({ ...unlike, traceId: n === 0 ? traceId : `trace-${n}`, fingerprint: `${n}`, state: "unknown" }));
  });
  return `${lines.join("\n")}\n`;
}

/** A journal on a new file, with the row of `order-1`. */
async function claimed() {
  const path = temporaryFile("bookings.jsonl");
  const journal = fileJournal(path);
  await journal.claim(row(), {});
  return { path, journal };
}

describe("fileJournal on a disk", () => {
  it("flushes the folder with a new file, whose name a power failure would lose, and later the file alone", async () => {
    const { spy, real } = await watch("sync");
    const flushed: string[] = [];
    spy.mockImplementation(async function (this: FileHandle) {
      flushed.push((await this.stat()).isDirectory() ? "folder" : "file");
      return real.call(this);
    });
    const { journal } = await claimed();
    expect(flushed).toEqual(["file", "folder"]);
    await journal.claim(other(), {});
    expect(flushed).toEqual(["file", "folder", "file"]);
  });

  it("creates it with its first row as a whole: nobody ever finds less, and no draft is left", async () => {
    const path = temporaryFile("bookings.jsonl");
    const found: string[] = [];
    for (const method of ["write", "sync"] as const) {
      const { spy, real } = await watch(method);
      spy.mockImplementation(function (this: FileHandle, ...data) {
        found.push(...readdirSync(dirname(path)).filter((name) => name === basename(path)));
        return real.apply(this, data);
      });
      spy.mockRejectedValueOnce(new Error("the disk is gone"));
      await expect(fileJournal(path).claim(row(), {})).rejects.toThrow("could not be read or written");
      expect(readdirSync(dirname(path))).toEqual([]);
    }
    const { spy, real } = await watch("sync");
    spy.mockImplementationOnce(async function (this: FileHandle) {
      expect(readdirSync(dirname(path))).toEqual([expect.stringMatching(/^bookings\.jsonl\../)]);
      await real.call(this);
      // Another process is faster.
      await fileJournal(path).claim(other(), {});
    });
    expect(await fileJournal(path).claim(row(), {})).toBeUndefined();
    expect(await fileJournal(path).pending()).toEqual([other(), row()]);
    expect(readdirSync(dirname(path))).toEqual(["bookings.jsonl"]);
  });

  it("says what to do if no hard link can be made, as on some file systems", async () => {
    const path = temporaryFile("bookings.jsonl");
    const { spy, real } = await watch("sync");
    spy.mockImplementationOnce(async function (this: FileHandle) {
      await real.call(this);
      for (const draft of readdirSync(dirname(path))) await rm(join(dirname(path), draft));
    });
    await expect(fileJournal(path).claim(row(), {})).rejects.toMatchObject({
      name: "JournalError",
      message: `fileJournal: ${path} could not be created by a hard link. Move the journal to a local disk that has them.`,
      cause: { code: "ENOENT" },
    });
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it("creates no file in the place of one that is gone", async () => {
    const { path, journal } = await claimed();
    const { spy, real } = await watch("read");
    spy.mockImplementationOnce(async function (this: FileHandle, ...data) {
      const result = await real.apply(this, data);
      await rm(path);
      return result;
    });
    await expect(journal.claim(other(), {})).rejects.toMatchObject({
      name: "JournalError",
      message: `fileJournal: ${path} or its folder was removed. Put it back, then try again.`,
    });
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it("claims all the same on a system that cannot flush a folder", async () => {
    const { spy, real } = await watch("sync");
    spy.mockImplementation(async function (this: FileHandle) {
      if ((await this.stat()).isDirectory()) throw new Error("EPERM");
      return real.call(this);
    });
    const journal = fileJournal(temporaryFile("bookings.jsonl"));
    expect(await journal.claim(row(), {})).toBeUndefined();
    expect(await journal.pending()).toEqual([row()]);
  });

  it.each([
    ["first", []],
    [
      "next",
      [
        row({
          attemptId: "first",
          token: "1",
          searchToken: "1",
          traceId: "1",
          clientReferenceId: "1",
          fingerprint: "",
        }),
      ],
    ],
  ])("claims nothing if only a part of the %s row could be written, and goes on behind it", async (_which, before) => {
    const path = temporaryFile("bookings.jsonl");
    for (const one of before) await fileJournal(path).claim(one, {});
    const { spy, real } = await watch("write");
    spy.mockImplementationOnce(function (this: FileHandle, bytes: unknown) {
      return real.call(this, (bytes as Buffer).subarray(0, 40));
    });
    const journal = fileJournal(path);
    await expect(journal.claim(row(), {})).rejects.toMatchObject({
      name: "JournalError",
      message: `fileJournal: Only a part of a row could be written to ${path}. Is the disk full?`,
    });
    expect(await journal.pending()).toEqual(before);
    expect(await journal.claim(other(), {})).toBeUndefined();
    expect(await fileJournal(path).pending()).toEqual([...before, other()]);
  });

  it("reads all that there is, however little the system reads at a time", async () => {
    const { path, journal } = await claimed();
    const { spy, real } = await watch("read");
    spy.mockImplementation(function (this: FileHandle, bytes, offset, length, position) {
      return real.call(this, bytes, offset, Math.min(Number(length), 100), position);
    });
    await fileJournal(path).claim(other(), {});
    expect(await journal.pending()).toEqual([row(), other()]);
    expect(await fileJournal(path).pending()).toEqual([row(), other()]);
  });

  it("reads what was written since and 4 KB before it, so that a long journal costs no more than a short one", async () => {
    const path = temporaryFile("bookings.jsonl");
    const lines = Array.from({ length: 50 }, (_, n) => lineOf({ step: `${n}`, ...row({ attemptId: `${n}` }) }));
    await writeFile(path, `${lines.join("\n")}\n`);
    const journal = fileJournal(path);
    await journal.pending();
    const { spy } = await watch("read");
    const lengths = () => spy.mock.calls.splice(0).map(([_bytes, _offset, length]) => length);
    await journal.pending();
    expect(lengths()).toEqual([4_096]);
    const line = `\n${lineOf(other())}\n`;
    await appendFile(path, line);
    await journal.pending();
    expect(lengths()).toEqual([4_096 + Buffer.byteLength(line)]);
  });

  it("reads as far as it can if the file is cut meanwhile", async () => {
    const path = temporaryFile("bookings.jsonl");
    const { spy, real } = await watch("read");
    spy.mockImplementationOnce(function (this: FileHandle, ...data) {
      truncateSync(path, first.length);
      return real.apply(this, data);
    });
    const first = `${lineOf(row())}\n`;
    await writeFile(path, `${first}${lineOf(other())}\n`);
    expect(await fileJournal(path).pending()).toEqual([row()]);
  });

  it("says so if the file is replaced while a row is written: the claim is not granted", async () => {
    const path = temporaryFile("bookings.jsonl");
    const journal = fileJournal(path);
    await journal.claim(other(), {});
    const before = await readFile(path);
    const { spy, real } = await watch("sync");
    spy.mockImplementationOnce(function (this: FileHandle) {
      writeFileSync(path, before);
      return real.call(this);
    });
    await expect(journal.claim(row(), {})).rejects.toMatchObject({
      name: "JournalError",
      message: `fileJournal: ${path} was replaced while a row was written to it.`,
    });
  });

  it.skipIf(process.platform !== "linux")("leaves no file open, whatever fails", async () => {
    const path = temporaryFile("bookings.jsonl");
    const openFiles = () =>
      readdirSync("/proc/self/fd").filter((number) => {
        try {
          return readlinkSync(`/proc/self/fd/${number}`).startsWith(dirname(path));
        } catch {
          return false; // The one that reads this folder.
        }
      });
    const journal = fileJournal(path);
    await journal.claim(row(), {});
    await journal.pending();
    for (const method of ["write", "read"] as const) {
      const { spy } = await watch(method);
      spy.mockRejectedValueOnce(new Error("the disk is gone"));
      await appendFile(path, "\n");
      await expect(journal.claim(other(), {})).rejects.toThrow("could not be read or written");
    }
    expect(openFiles()).toEqual([]);
  });
});

describe("a claim or settlement that is refused", () => {
  it("writes nothing: the file grows by what took effect", async () => {
    const { path, journal } = await claimed();
    const before = await readFile(path, "utf8");
    expect(await journal.claim(row({ attemptId: "again" }), {})).toEqual(row());
    expect(await journal.claim(other({ attemptId: "attempt-1" }), {})).toEqual(row());
    expect(await journal.settle(row({ state: "booked" }), "unknown")).toBe(false);
    expect(await journal.settle(other({ state: "booked" }), "sent")).toBe(false);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});

describe("a claim with force", () => {
  it("is marked in the file, so that every process grants it", async () => {
    const { path, journal } = await claimed();
    const forced = row({ attemptId: "forced", clientReferenceId: "order-9", sentAt: 2 });
    expect(await journal.claim(forced, { force: true })).toBeUndefined();
    expect(await fileJournal(path).pending()).toEqual([row(), { ...forced, forced: true }]);
    await journal.claim(other({ sentAt: 3 }), { force: false });
    expect(await fileJournal(path).get("attempt-2")).toEqual(other({ sentAt: 3 }));
  });
});

describe("a file that others write to", () => {
  it("has a row as soon as its second half is there", async () => {
    const path = temporaryFile("bookings.jsonl");
    const line = `\n${lineOf(row())}\n`;
    const journal = fileJournal(path);
    await writeFile(path, `\n${lineOf(other())}\n${line.slice(0, 60)}`);
    expect(await journal.pending()).toEqual([other()]);
    await appendFile(path, line.slice(60));
    expect(await journal.pending()).toEqual([other(), row()]);
  });

  it("has all rows that follow one without a line break", async () => {
    const path = temporaryFile("bookings.jsonl", `\n${lineOf(row())}\n${lineOf(other())}`);
    const journal = fileJournal(path);
    expect(await journal.pending()).toHaveLength(2);
    for (let n = 3; n < 9; n += 1) {
      const next = other({
        attemptId: `attempt-${n}`,
        clientReferenceId: `order-${n}`,
        token: `${n}`,
        traceId: `${n}`,
      });
      await appendFile(path, `\n${lineOf({ step: `${n}`, ...next, fingerprint: "" })}\n`);
    }
    expect(await journal.pending()).toHaveLength(8);
  });

  it("is missed though it was only cut behind its first row", async () => {
    const { path, journal } = await claimed();
    const { size } = await stat(path);
    await journal.claim(other(), {});
    truncateSync(path, size);
    await expect(journal.pending()).rejects.toThrow(/was replaced or emptied: 1 of its bookings/);
  });

  it.each([
    ["its size", false],
    ["more", true],
  ])("is missed though it was cut in place and has grown to %s", async (_size, isMore) => {
    const { path, journal } = await claimed();
    await journal.settle(row({ state: "booked", pnr: "ABC123" }), "sent");
    const { size } = await stat(path);
    // As `cp` of another journal over it does: the same file.
    const theirs = other({ searchToken: "OB2[DEMO]", token: "FQ2[DEMO]" });
    const copied = temporaryFile("copied.jsonl");
    const later = fileJournal(copied);
    await later.claim(theirs, {});
    await later.settle({ ...theirs, state: "booked", pnr: "DEF456" }, "sent");
    expect((await stat(copied)).size).toBe(size);
    if (isMore) await later.claim(row({ attemptId: "attempt-3" }), {});
    writeFileSync(path, await readFile(copied));
    const again = { ...theirs, attemptId: "again", clientReferenceId: "again" };
    for (let n = 0; n < 2; n++) {
      await expect(journal.claim(again, {})).rejects.toThrow(/was replaced or emptied: 1 of its bookings/);
    }
    expect(await fileJournal(path).claim(again, {})).toMatchObject({ attemptId: "attempt-2" });
  });

  it("is read on though it was cut in place, if the bookings that were known are back", async () => {
    const { path, journal } = await claimed();
    await journal.settle(row({ state: "rejected" }), "sent");
    const { size } = await stat(path);
    truncateSync(path);
    const line = `\n${lineOf(other())}\n`;
    await appendFile(path, line + "\n".repeat(size - line.length));
    expect(await journal.claim(other({ attemptId: "again" }), {})).toEqual(other());
  });

  it("is missed though it was cut in place by more than is compared", async () => {
    const path = temporaryFile("bookings.jsonl", linesOf(50));
    const journal = fileJournal(path);
    expect(await journal.pending()).toHaveLength(50);
    truncateSync(path, linesOf(1).length);
    await expect(journal.pending()).rejects.toThrow(/was replaced or emptied: 49 of its bookings/);
  });

  it("is read from its start if another file has taken its place that differs only long before its end", async () => {
    const path = temporaryFile("bookings.jsonl", linesOf(50));
    const journal = fileJournal(path);
    expect(await journal.get("attempt-0")).toMatchObject({ traceId: "TRACE" });
    await writeFile(`${path}.copy`, linesOf(50, "OTHER"));
    await rename(`${path}.copy`, path);
    expect(await journal.get("attempt-0")).toMatchObject({ traceId: "OTHER" });
  });

  it("is missed though another file of at least its size has taken its place", async () => {
    const path = temporaryFile("bookings.jsonl");
    const line = (attemptId: string) => `\n${lineOf(row({ attemptId }))}\n`;
    await writeFile(path, line("attempt-1"));
    const journal = fileJournal(path);
    expect(await journal.pending()).toHaveLength(1);
    await rm(path);
    await writeFile(path, line("attempt-9") + line("attempt-8"));
    await expect(journal.pending()).rejects.toThrow(/was replaced or emptied: 1 of its bookings/);
  });
});
