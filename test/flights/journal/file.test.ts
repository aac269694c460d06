import { fork } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { appendFile, chmod, type FileHandle, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { type BookingJournal, type JournalRow, memoryJournal } from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";
import { coded } from "../../support/failures.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { testBookedRow } from "./booked-row.ts";
import { expectModel } from "./conformance.ts";
import { watch } from "./open-files.ts";
import { lineOf, other, row } from "./rows.ts";

let path: string;
beforeEach(() => {
  path = temporaryFile("bookings.jsonl");
});

const methods = ["pending", "find", "get", "conflict", "claim", "settle"] as const;

/** A journal on the file, with the row of `order-1`. */
async function claimed(): Promise<BookingJournal> {
  const journal = fileJournal(path);
  await journal.claim(row(), {});
  return journal;
}

/** One call of each method, as a checkout or an operator makes it. */
async function callOf(journal: BookingJournal, method: keyof BookingJournal): Promise<unknown> {
  if (method === "claim" || method === "conflict") return journal[method](row(), {});
  if (method === "settle") return journal.settle(row({ state: "booked" }), "sent");
  return method === "pending" ? journal.pending() : journal[method]("order-1");
}

/** The lines of the file that have something on them. */
async function linesOf(): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
}

/** The rows in the file, without the marks of their steps. */
async function written(): Promise<unknown[]> {
  return (await linesOf()).map((line) => {
    const { step: _step, rules: _rules, end: _end, ...rest } = JSON.parse(line);
    return rest;
  });
}

describe("fileJournal", () => {
  for (const { name, run } of journalSuite(() => fileJournal(path))) it(name, run);

  it("is the model in which bookings are explored, after all sequences of three operations", () =>
    expectModel(fileJournal(path), 3));
});

it("fileJournal stays in the folder in which it was made, wherever the process goes", async () => {
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(dirname(path));
  const journal = fileJournal("bookings.jsonl");
  cwd.mockReturnValue(tmpdir());
  await journal.claim(row(), {});
  expect(await written()).toEqual([row()]);
});

describe("fileJournal outlives its process", () => {
  it("after a crash the next one sees what was sent and is still open", async () => {
    await claimed();
    expect(await fileJournal(path).pending()).toEqual([row()]);
    expect(await fileJournal(path).claim(row({ attemptId: "9", clientReferenceId: "order-9" }), {})).toEqual(row());
  });

  it("forgets a row that a crash left unfinished, and goes on behind it", async () => {
    await claimed();
    await appendFile(path, `\n${lineOf(other()).slice(0, 40)}`);
    const journal = fileJournal(path);
    expect(await journal.pending()).toEqual([row()]);
    await journal.claim(other(), {});
    expect(await fileJournal(path).pending()).toHaveLength(2);
  });

  it("forgets an unfinished row wherever it was cut, behind a brace in a token too", async () => {
    const odd = other({ token: '{"a":{}} "end":true} \\' });
    await fileJournal(path).claim(odd, {});
    const line = (await readFile(path, "utf8")).trim();
    expect(line).toMatch(/^{"step":".*,"end":"[0-9a-f]{16}"}$/);
    for (let length = 1; length < line.length; length += 1) {
      for (const content of [line.slice(0, length), `${line.slice(0, length)}\n`]) {
        await writeFile(path, `\n${lineOf(row())}\n\n${content}`);
        const pending = fileJournal(path).pending();
        // A whole row that lacks one byte is damaged.
        if (content === `${line.slice(0, -1)}\n`) await expect(pending).rejects.toThrow(/ is damaged/);
        else expect(await pending).toEqual([row()]);
      }
    }
    await writeFile(path, line);
    expect(await fileJournal(path).pending()).toEqual([odd]);
  });

  it("counts a last row that lacks its line break alone", async () => {
    await writeFile(path, lineOf(row()));
    const journal = fileJournal(path);
    expect(await journal.pending()).toEqual([row()]);
    await journal.claim(other(), {});
    expect(await journal.pending()).toHaveLength(2);
  });

  it("writes a row to the disk before it is claimed or settled", async () => {
    const { spy: sync } = await watch("sync");
    const journal = await claimed();
    const afterClaim = sync.mock.calls.length;
    await journal.settle(row({ state: "booked" }), "sent");
    expect([afterClaim > 0, sync.mock.calls.length > afterClaim]).toEqual([true, true]);
    sync.mockRejectedValueOnce(new Error("the disk is gone"));
    await expect(journal.claim(other(), {})).rejects.toMatchObject({
      name: "JournalError",
      cause: { message: "the disk is gone" },
    });
  });

  it("sees what another process writes while this one takes over", async () => {
    const [older, newer] = [fileJournal(path), fileJournal(path)];
    expect(await newer.pending()).toEqual([]);
    await older.claim(row(), {});
    expect(await newer.claim(row({ attemptId: "9", clientReferenceId: "order-9" }), {})).toEqual(row());
    expect(await newer.settle(row({ state: "rejected" }), "sent")).toBe(true);
    expect(await older.settle(row({ state: "booked" }), "sent")).toBe(false);
    const again = row({ attemptId: "attempt-3", at: 3, sentAt: 3 });
    expect(await older.claim(again, {})).toBeUndefined();
    expect(await newer.pending()).toEqual([again]);
  });

  it("is readable by its owner alone, and holds no more than rows", async () => {
    const journal = await claimed();
    const { spy } = await watch("chmod");
    await journal.settle(row({ state: "unknown" }), "sent");
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(spy).not.toHaveBeenCalled();
    expect(await written()).toEqual([row(), { ...row({ state: "unknown" }), from: "sent" }]);
  });
});

describe.skipIf(process.platform === "win32")("a file that others may read", () => {
  it("is closed to them at the next write", async () => {
    await claimed();
    await chmod(path, 0o644);
    await fileJournal(path).settle(row({ state: "unknown" }), "sent");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is written to as it is on Windows, which knows no such modes", async () => {
    const journal = await claimed();
    await chmod(path, 0o644);
    vi.stubGlobal("process", { ...process, platform: "win32" });
    expect(await journal.settle(row({ state: "unknown" }), "sent")).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  it("is refused, and nothing is written to it, if this process may not close it", async () => {
    await claimed();
    await chmod(path, 0o660);
    const before = await readFile(path, "utf8");
    (await watch("chmod")).spy.mockRejectedValueOnce(coded("EPERM"));
    const refused = fileJournal(path).settle(row({ state: "unknown" }), "sent");
    await expect(refused).rejects.toThrow(/^fileJournal: Others may read .* Run chmod 600/);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});

describe("several processes on one file", () => {
  it("of two simultaneous claims of the same offer, the first in the file is granted", async () => {
    for (let n = 0; n < 50; n += 1) {
      await rm(path, { force: true });
      const rows = ["a", "b", "c"].map((id) => row({ attemptId: id, clientReferenceId: id }));
      const taken = await Promise.all(rows.map((one) => fileJournal(path).claim(one, {})));
      const winners = rows.filter((_, i) => taken[i] === undefined);
      expect(winners).toHaveLength(1);
      expect((await written())[0]).toEqual(winners[0]);
      expect(await fileJournal(path).pending()).toEqual(winners);
    }
  });

  it("a row that another process writes between the check and the write counts", async () => {
    const journal = fileJournal(path);
    const first = row({ attemptId: "first", clientReferenceId: "first" });
    const { spy, real } = await watch("write");
    spy.mockImplementationOnce(function (this: FileHandle, ...data) {
      appendFileSync(path, `\n${lineOf(first)}\n`);
      return real.apply(this, data);
    });
    expect(await journal.claim(row(), {})).toEqual(first);
    expect(await written()).toHaveLength(2);
    expect(await journal.pending()).toEqual([first]);
  });

  it.each([
    ["the same rules", {}, 1],
    ["a version before or after this one, whose rules may have granted it", { rules: 0 }, 2],
  ])("of two claims that conflict, written by %s, some stand", async (_case, by, count) => {
    const rows = ["first", "second"].map((id) => row({ attemptId: id, clientReferenceId: id }));
    await writeFile(path, rows.map((one) => `\n${lineOf({ ...one, ...by })}\n`).join(""));
    expect(await fileJournal(path).pending()).toEqual(rows.slice(0, count));
    expect(await fileJournal(path).settle({ ...row(), attemptId: "second", state: "booked" }, "sent")).toBe(
      count === 2,
    );
    expect(await fileJournal(path).claim(row({ attemptId: "third", clientReferenceId: "third" }), {})).toBeDefined();
  });

  it("of two claims of one reference, the first stands, whatever the rules of their version", async () => {
    const rows = ["first", "second"].map((id) => row({ attemptId: id }));
    await writeFile(path, rows.map((one) => `\n${lineOf({ ...one, ...{ rules: 0 } })}\n`).join(""));
    expect(await fileJournal(path).pending()).toEqual(rows.slice(0, 1));
  });

  it("a claim of another version stands if its reference was free, and its offer is not", async () => {
    const rejected = { ...row({ attemptId: "first" }), from: "sent", state: "rejected" as const };
    const booked = {
      ...row({ attemptId: "second", clientReferenceId: "order-2" }),
      from: "sent",
      state: "booked" as const,
    };
    const claim = row({ attemptId: "third" });
    await writeFile(path, [rejected, booked, { ...claim, rules: 0 }].map((one) => `\n${lineOf(one)}\n`).join(""));
    expect(await fileJournal(path).pending()).toEqual([claim]);
  });

  it("of one settlement in each of two, one is granted", async () => {
    for (let n = 0; n < 20; n += 1) {
      const id = `attempt-${n}`;
      const sent = other({ attemptId: id, clientReferenceId: id, token: id, traceId: id, fingerprint: "" });
      await fileJournal(path).claim(sent, {});
      const settle = (pnr: string) => fileJournal(path).settle({ ...sent, state: "booked", pnr }, "sent");
      const results = await Promise.all([settle("A"), settle("B")]);
      expect(results.filter((isOurs) => isOurs)).toHaveLength(1);
      expect((await fileJournal(path).get(id))?.pnr).toBe(results[0] ? "A" : "B");
    }
  });

  it.each([
    ["in one file", 1],
    ["in files that each is the first to create", 40],
  ])("real processes: each offer is granted once, %s", async (_where, files) => {
    const rounds = 40;
    const program = fileURLToPath(new URL("claims.ts", import.meta.url));
    const children = ["a", "b", "c"].map((name) =>
      fork(program, [path, name, String(rounds), String(files)], {
        execArgv: ["--import", "tsx"],
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      }),
    );
    const said = children.map((child) => {
      const messages: unknown[] = [];
      child.on("message", (message) => messages.push(message));
      return async () => {
        await expect.poll(() => messages.length).toBeGreaterThan(0);
        return messages.shift();
      };
    });
    // All begin at the same time, once all are ready.
    await Promise.all(said.map((next) => next()));
    for (const child of children) child.send("go");
    const granted = (await Promise.all(said.map((next) => next()))) as number[][];
    const times = Array.from({ length: rounds }, (_, n) => granted.flat().filter((round) => round === n).length);
    expect(times).toEqual(Array.from({ length: rounds }, () => 1));
    expect(await fileJournal(path).pending()).toHaveLength(rounds / files);
  });
});

describe("a settlement whose claim is gone", () => {
  it.each<[string, (line: string) => string]>([
    ["removed", () => ""],
    ["cut", (line) => line.slice(0, line.length / 2)],
    ["without its last bytes", (line) => line.slice(0, -2)],
  ])("holds its offer, with a claim that is %s", async (_case, damage) => {
    for (const state of ["booked", "unknown"] as const) {
      await rm(path, { force: true });
      const journal = await claimed();
      await journal.settle(row({ state }), "sent");
      const [claim = "", settlement = ""] = await linesOf();
      await writeFile(path, `\n${lineOf(other())}\n\n${damage(claim)}\n${settlement}\n`);
      const again = row({ attemptId: "9", clientReferenceId: "order-9" });
      expect(await fileJournal(path).claim(again, {})).toEqual(row({ state }));
    }
  });

  it("and later ones of the same row still take effect", async () => {
    const journal = await claimed();
    await journal.settle(row({ state: "unknown" }), "sent");
    await journal.settle(row({ state: "booked" }), "unknown");
    const lines = await linesOf();
    await writeFile(path, `\n${lines.slice(1).join("\n")}\n`);
    expect(await fileJournal(path).get(row().attemptId)).toMatchObject({ state: "booked" });
  });
});

describe("a file that is not a journal, or is damaged, is refused: nothing is booked", () => {
  const text = lineOf(row());
  it.each([
    ["not a journal", "not a journal"],
    ["a list", "[1,2]"],
    ["another JSON", '{"name":"package"}'],
    ["a string", '"text"'],
    ["null", "null"],
    ["a quote lost", text.replace('"state":"sent"', '"state":"sent')],
    ["an unknown state", text.replace('"sent"', '"sEnt"')],
    ["a row without a step", JSON.stringify(row())],
    ["two rows on a line", text + lineOf(other())],
    ["two rows on a line that ends with a space", `${text}${lineOf(other())} `],
    ["a step that is not a row", '{"step":"1"}'],
    ["the beginning of a step, as JSON", '{"step":"xyz"}'],
    ["a row without its time", text.replace('"sentAt":1,', "")],
    ["zeros of a disk that lost power", "\0\0\0\0"],
  ])("%s", async (_case, content) => {
    await writeFile(path, `\n${lineOf(other())}\n\n${content}\n`);
    const journal = fileJournal(path);
    for (const step of [journal.claim(row({ attemptId: "9", clientReferenceId: "9" }), {}), journal.pending()]) {
      await expect(step).rejects.toThrow(/^Line 4 of .* is not a row of a booking journal/);
    }
    await writeFile(path, `\n${lineOf(other())}\n`);
    expect(await journal.claim(row(), {})).toBeUndefined();
  });

  it("with the number of its line, also behind lines that were read before", async () => {
    const journal = await claimed();
    await appendFile(path, "\n[1]\n");
    await expect(journal.pending()).rejects.toThrow(/^Line 4 of /);
  });

  it("whichever byte is damaged, and however: the same rows or a refusal", async () => {
    const short = { searchToken: "S", token: "Q", fingerprint: "" };
    const journal = fileJournal(path);
    await journal.claim(row(short), {});
    await journal.settle(row({ ...short, state: "booked", pnr: "ABC123" }), "sent");
    await journal.claim(other({ ...short, token: '{"R":1}' }), {});
    const whole = await readFile(path);
    const rowsIn = async (bytes: Buffer) => {
      writeFileSync(path, bytes);
      const one = fileJournal(path);
      return [await one.get("attempt-1"), await one.pending()];
    };
    const expected = await rowsIn(whole);
    expect(expected).toMatchObject([{ state: "booked" }, [{ attemptId: "attempt-2" }]]);
    for (const at of whole.keys()) {
      for (const damage of ["", ",", "}", "\n", "\xff"]) {
        const damaged = [whole.subarray(0, at), Buffer.from(damage, "latin1"), whole.subarray(at + 1)];
        const found = await rowsIn(Buffer.concat(damaged)).catch((error: unknown) => error);
        const isRefused = found instanceof ConfigurationError;
        expect([at, damage, isRefused ? expected : found]).toEqual([at, damage, expected]);
      }
    }
  });

  it.each([
    ["a comma behind its last field", (line: string) => line.replace(/}$/, ",}")],
    ["a comma behind it", (line: string) => `${line},`],
    ["a second object", (line: string) => `${line}{}`],
    ["itself again", (line: string) => line + line],
    ["a field twice", (line: string) => line.replace('"state"', '"state":"rejected","state"')],
    ["a field twice, with one value", (line: string) => line.replace('"state"', '"state":"sent","state"')],
    ["an unknown field", (line: string) => line.replace('"state"', '"note":1,"state"')],
    ["another token", (line: string) => line.replace('"token":"', '"token":"x')],
    ["no closing brace", (line: string) => line.slice(0, -1)],
  ])("a row with %s: nothing is sent", async (_case, damage) => {
    await claimed();
    await writeFile(path, `\n${damage((await readFile(path, "utf8")).trim())}\n`);
    const journal = fileJournal(path);
    for (const step of [journal.claim(row({ attemptId: "9", clientReferenceId: "9" }), {}), journal.pending()]) {
      await expect(step).rejects.toThrow(/^Line 2 of .* is damaged/);
    }
  });

  it.each(["not a journal", "x"])("even as the last line, without a line break: %s", async (content) => {
    await writeFile(path, `\n${text}\n${content}`);
    await expect(fileJournal(path).pending()).rejects.toThrow(/^Line 3 /);
    await appendFile(path, `\n${lineOf(other())}\n`);
    await expect(fileJournal(path).pending()).rejects.toThrow(/^Line 3 /);
  });

  it("but not one that lacks its last byte and was never ended: another process goes on behind it", async () => {
    const first = other({ attemptId: "first", clientReferenceId: "first", token: "1", traceId: "1", fingerprint: "" });
    await writeFile(path, `\n${lineOf(first)}\n\n${text.slice(0, -1)}`);
    expect(await fileJournal(path).claim(other({ searchToken: "2" }), {})).toBeUndefined();
    expect(await fileJournal(path).pending()).toEqual([first, other({ searchToken: "2" })]);
  });

  it.each([true, false])("a file that was cut, or emptied, within its first row, with `create: %s`", async (create) => {
    await claimed();
    const whole = await readFile(path);
    await fileJournal(path).claim(other(), {});
    // All but the line break behind it.
    for (let length = 0; length < whole.length - 1; length += 1) {
      await truncate(path, length);
      await expectRefused(length);
      await writeFile(path, whole);
    }
    // The next process that goes on behind it would have hidden it.
    await writeFile(path, `${whole.subarray(0, 60)}\n${lineOf(other())}\n`);
    await expectRefused("with a row behind it");

    async function expectRefused(what: unknown): Promise<void> {
      const journal = fileJournal(path, { create });
      for (const method of methods) {
        const failure = await callOf(journal, method).catch((error: unknown) => error);
        expect([what, method, failure]).toEqual([what, method, expect.any(ConfigurationError)]);
        expect(String(failure)).toContain("Delete it only if it never held bookings: they could be made again.");
      }
    }
  });

  it("a file that a shell created empty", async () => {
    await writeFile(path, "");
    await expect(fileJournal(path).claim(row(), {})).rejects.toThrow(
      `${path} does not begin with a whole row, as each booking journal does: it was emptied or cut, or is another file.`,
    );
    expect(await readFile(path, "utf8")).toBe("");
  });

  it("a file that does not exist yet in a folder that does is an empty journal", async () => {
    expect(await fileJournal(path).pending()).toEqual([]);
  });

  it.each(methods)(
    "%s refuses a folder that does not exist, and names it: a misspelt path is not an empty journal",
    async (method) => {
      const missing = join(dirname(path), "missing");
      const refused = callOf(fileJournal(join(missing, "bookings.jsonl")), method);
      await expect(refused).rejects.toThrow(`fileJournal: the folder ${missing} does not exist.`);
      await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    },
  );

  it.each(methods)("%s refuses a misspelt file with `create: false`, and creates nothing", async (method) => {
    const refused = callOf(fileJournal(path, { create: false }), method);
    await expect(refused).rejects.toThrow(`fileJournal: the file ${path} does not exist.`);
    await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("reads a file that exists with `create: false`", async () => {
    await claimed();
    expect(await fileJournal(path, { create: false }).pending()).toEqual([row()]);
  });

  it.each([
    ["a folder", () => dirname(path), "EISDIR", / is a folder\. Pass the path of a file/],
    [
      "a path through a file",
      () => join(fileURLToPath(import.meta.url), "b.jsonl"),
      "ENOTDIR",
      / is a file, not a folder/,
    ],
  ])("%s is a JournalError that says what to do", async (_what, path, code, message) => {
    await expect(fileJournal(path()).pending()).rejects.toMatchObject({
      name: "JournalError",
      cause: { code },
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["EACCES", /^fileJournal: This process has no permission to read and write .*bookings\.jsonl/],
    ["ENOSPC", /The disk of .*bookings\.jsonl is full/],
    ["EROFS", /read-only file system/],
    ["EIO", /could not be read or written \(EIO\)\. See `cause`/],
  ])("a write that fails with %s is a JournalError that says what to do", async (code, message) => {
    (await watch("write")).spy.mockRejectedValueOnce(coded(code));
    await expect(fileJournal(path).claim(row(), {})).rejects.toMatchObject({
      name: "JournalError",
      cause: { code },
      message: expect.stringMatching(message),
    });
  });

  it.each([undefined, 5, null])("refuses to look for the reference or attempt %j", async (key: unknown) => {
    await expect(fileJournal(path).find(key as string)).rejects.toThrow(
      /^fileJournal: `clientReferenceId` must be a string/,
    );
    await expect(fileJournal(path).get(key as string)).rejects.toThrow(/^fileJournal: `attemptId` must be a string/);
    await expect(memoryJournal().find(key as string)).rejects.toThrow(/`clientReferenceId` must be a string/);
    await expect(memoryJournal().get(key as string)).rejects.toThrow(/`attemptId` must be a string/);
  });

  it("refuses what is not a row, and an unknown option", async () => {
    const { attemptId: _, ...rest } = row();
    const journal = fileJournal(path);
    for (const step of [journal.claim({} as JournalRow, {}), journal.settle({ ...rest, at: "1" } as never, "sent")]) {
      await expect(step).rejects.toThrow(/^fileJournal: the row is not a JournalRow/);
    }
    expect(() => fileJournal(path, { crate: false } as object)).toThrow(/^fileJournal: unknown option "crate"/);
  });

  it.each(["", " ", 5, null])("%j is not a path", (value: unknown) => {
    expect(() => fileJournal(value as string)).toThrow(/`path` must be a non-empty string/);
  });
});

describe("a file that is replaced", () => {
  it("is read again if it still has the bookings that were known", async () => {
    const journal = await claimed();
    const before = await readFile(path);
    await rm(path);
    await writeFile(path, `${before}\n${lineOf(other())}\n`);
    expect(await journal.pending()).toHaveLength(2);
  });

  it.each([
    ["rotated away", () => rm(path)],
    ["emptied", () => writeFile(path, "")],
    ["another one", () => rm(path).then(() => writeFile(path, `${lineOf(other())}\n`))],
  ])("frees no offer if it was %s, until it is back", async (_how, replace) => {
    const journal = await claimed();
    const before = await readFile(path);
    await replace();
    for (let n = 0; n < 2; n++) {
      await expect(journal.claim(row({ attemptId: "again" }), {})).rejects.toThrow(/was replaced or emptied: 1 of its/);
    }
    await rm(path, { force: true });
    await writeFile(path, before);
    expect(await journal.claim(row({ attemptId: "again" }), {})).toMatchObject({ state: "sent" });
  });

  it("frees no booked offer if it is an older copy, in which the row was still rejected", async () => {
    const journal = await claimed();
    await journal.settle(row({ state: "rejected" }), "sent");
    const before = await readFile(path);
    await journal.settle(row({ state: "booked" }), "rejected");
    await rm(path);
    await writeFile(path, before);
    await expect(journal.claim(row({ attemptId: "again" }), {})).rejects.toThrow(/was replaced or emptied: 1 of its/);
  });

  it("may have settled what was open, and keep what was booked", async () => {
    const journal = await claimed();
    await journal.settle(row({ state: "booked", pnr: "ABC123" }), "sent");
    await journal.claim(other(), {});
    const before = await readFile(path);
    await rm(path);
    await writeFile(path, before);
    await fileJournal(path).settle(other({ state: "rejected" }), "sent");
    expect(await journal.pending()).toEqual([]);
    expect(await journal.get("attempt-1")).toMatchObject({ state: "booked", pnr: "ABC123" });
  });

  it("may lose what was rejected", async () => {
    const journal = await claimed();
    await journal.settle(row({ state: "rejected" }), "sent");
    await rm(path);
    expect(await journal.pending()).toEqual([]);
  });
});

describe("a row that is booked stays booked", () => {
  const booked = row({ state: "booked", pnr: "P" });
  const changed = row({ state: "rejected", at: 9 });

  it.each([
    ["a settlement of a booked row", { from: "booked", ...changed }],
    ["a settlement of a row that was sent", { from: "sent", ...changed }],
    ["a claim", changed],
    ["a claim with force", { ...changed, forced: true }],
  ])("whatever line follows: %s", async (_line, line) => {
    const journal = await claimed();
    await journal.settle(booked, "sent");
    await appendFile(path, `\n${lineOf(line)}\n`);
    for (const one of [journal, fileJournal(path)]) {
      expect(await one.get("attempt-1")).toEqual(booked);
      expect(await one.claim(row({ attemptId: "again" }), {})).toEqual(booked);
    }
  });

  testBookedRow(() => fileJournal(path));

  it("and a settlement of it writes nothing", async () => {
    const journal = await claimed();
    await journal.settle(booked, "sent");
    const before = await readFile(path, "utf8");
    expect(await journal.settle(changed, "booked" as never)).toBe(false);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});
