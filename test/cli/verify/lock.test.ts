import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockFile } from "../../../src/cli/verify/lock.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { errorOf } from "../../support/client.ts";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { fast, people, startEmulator, startVerify } from "./command.ts";

const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").filter(Boolean);

describe("the lock of the output", () => {
  it("is held by one at a time, and is gone with it", async () => {
    const file = temporaryFile("result.csv");
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockFile(file)));
    const held = tries.filter((one) => one.status === "fulfilled");
    expect(held).toHaveLength(1);
    const refused = tries.filter((one) => one.status === "rejected").map(({ reason }) => reason);
    expect(refused.every(ConfigurationError.isInstance, ConfigurationError)).toBe(true);
    await held[0]?.value.unlock();
    expect(existsSync(`${file}.lock`)).toBe(false);
    await (await lockFile(file)).unlock();
  });

  /** A claim as a process has left it. */
  async function claimOf(change: object): Promise<string> {
    const file = temporaryFile("other.csv");
    const { unlock } = await lockFile(file);
    const [line = ""] = linesOf(`${file}.lock`);
    await unlock();
    return `${JSON.stringify({ ...JSON.parse(line), id: "another", ...change })}\n`;
  }

  it("of a process that has ended holds nobody back, nor does half a claim", async () => {
    const file = temporaryFile("result.csv");
    const claim = await claimOf({ pid: 2 ** 30 });
    writeFileSync(`${file}.lock`, `${claim}${claim.slice(0, 30)}`);
    await (await lockFile(file)).unlock();
  });

  it.skipIf(process.platform !== "linux")("is not that of a later process with the same number", async () => {
    const file = temporaryFile("result.csv");
    writeFileSync(`${file}.lock`, await claimOf({ startedAt: "1" }));
    await (await lockFile(file)).unlock();
  });

  it("of another machine holds as long as that shows signs of life", async () => {
    const claim = await claimOf({ machine: "another", host: "batch-7" });
    const [alive, dead] = [temporaryFile("result.csv"), temporaryFile("result.csv")];
    for (const file of [alive, dead]) writeFileSync(`${file}.lock`, claim);
    const beat = setInterval(() => utimesSync(`${alive}.lock`, new Date(), new Date()), 200);
    onTestFinished(() => clearInterval(beat));
    const [{ message }, { unlock }] = await Promise.all([errorOf(lockFile(alive), ConfigurationError), lockFile(dead)]);
    expect(message).toMatch(/being written by another `serviceapi verify` on batch-7\. Wait for its end/);
    await unlock();
  });

  it("shows signs of life itself", async () => {
    const file = temporaryFile("result.csv");
    const { unlock } = await lockFile(file);
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    await expect.poll(() => statSync(`${file}.lock`).mtimeMs).toBeGreaterThan(0);
    await unlock();
  });

  it("is not that of a suspended process any more after another has taken it over, or made it again", async () => {
    const file = temporaryFile("result.csv");
    const { isHeld, unlock } = await lockFile(file);
    expect(await isHeld()).toBe(true);
    const content = readFileSync(`${file}.lock`, "utf8");
    const inode = statSync(`${file}.lock`).ino;
    const later = `${content}${await claimOf({ machine: "another" })}{"holder":"another"}\n`;
    for (const text of [later, later.slice(content.length), ""]) {
      // A file that is made again may have the same inode.
      writeFileSync(`${file}.lock`, text);
      expect([await isHeld(), statSync(`${file}.lock`).ino]).toEqual([false, inode]);
    }
    await unlock();
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  it("does not touch a file of somebody else, or what a link leads to", async () => {
    const file = temporaryFile("result.csv");
    writeFileSync(`${file}.lock`, "dear diary\n");
    expect((await errorOf(lockFile(file), ConfigurationError)).message).toMatch(/is another file\. Rename it/);
    expect(readFileSync(`${file}.lock`, "utf8")).toBe("dear diary\n");
    const linked = temporaryFile("result.csv");
    const target = temporaryFile("target", "kept");
    symlinkSync(target, `${linked}.lock`);
    expect((await errorOf(lockFile(linked), ConfigurationError)).message).toMatch(/could not be locked/);
    expect(readFileSync(target, "utf8")).toBe("kept");
    const folder = temporaryFile("result.csv");
    mkdirSync(`${folder}.lock`);
    expect((await errorOf(lockFile(folder), ConfigurationError)).message).toMatch(/could not be locked.*EISDIR/);
  });
});

it("a second run on one output is refused; after SIGKILL the first is continued at once", async () => {
  const { emulator, url } = await startEmulator();
  const underWay = gate();
  const released = gate();
  emulator.on("verification.findVpas", async () => {
    // All valid numbers of the file.
    if (emulator.requests.length === 3) underWay.open();
    await released.opened;
    return undefined;
  });
  const out = temporaryFile("result.csv");
  const args = ["--file", temporaryFile("people.csv", people), "--out", out, ...fast];
  const first = startVerify(args, url);
  await underWay.opened;
  const asked = emulator.requests.length;
  const content = readFileSync(out, "utf8");
  for (const more of [[], ["--overwrite"]]) {
    expect(await startVerify([...args, ...more], url).ended).toMatchObject({
      ...{ code: 2, output: "" },
      errors: expect.stringMatching(/^error: --out: .*result\.csv is being written by another/),
    });
  }
  expect([emulator.requests.length, readFileSync(out, "utf8")]).toEqual([asked, content]);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  released.open();
  expect(await startVerify(args, url).ended).toMatchObject({
    code: 0,
    errors: expect.stringMatching(/^1 row is invalid: [^\n]*\n$/),
  });
  expect([linesOf(out).length, existsSync(`${out}.lock`)]).toEqual([5, false]);
});
