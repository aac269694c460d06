import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { fast, people, startEmulator, startVerify, verify } from "./command.ts";

const refusal = (path: string) =>
  expect.stringMatching(
    new RegExp(
      `^error: --out: .*result\\.csv is being written by another \`serviceapi verify\`, whose lock is ${path}\\. ` +
        `Wait for its end\\. If none runs, because it was killed, remove ${path} and run the same command again\\.\n$`,
    ),
  );

it("a second run on one output is refused; after SIGKILL, also until the lock is removed, as it says", async () => {
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
  const requireRefused = async () => {
    for (const more of [[], ["--overwrite"], ["--retry"]]) {
      expect(await verify([...args, ...more], url)).toEqual({ code: 2, output: "", errors: refusal(`${out}.lock`) });
    }
    expect([emulator.requests.length, readFileSync(out, "utf8")]).toEqual([asked, content]);
    expect(existsSync(`${out}.lock`)).toBe(true);
  };
  await requireRefused();
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  released.open();
  await requireRefused();
  expect(readFileSync(`${out}.lock`, "utf8")).toMatch(new RegExp(`^process ${first.child.pid} on .+\n$`));
  rmSync(`${out}.lock`);
  expect(await verify(args, url)).toMatchObject({
    code: 0,
    errors: expect.stringMatching(/^1 row is invalid: [^\n]*\n$/),
  });
  expect(readFileSync(out, "utf8").split("\n").filter(Boolean)).toHaveLength(5);
  expect(existsSync(`${out}.lock`)).toBe(false);
});

it("of several commands that start at the same time, one gets the output", async () => {
  const { emulator, url } = await startEmulator();
  const released = gate();
  emulator.on("verification.findVpas", () => released.opened.then(() => undefined));
  const out = temporaryFile("result.csv");
  const args = ["--file", temporaryFile("people.csv", people), "--out", out, ...fast];
  let refused = 0;
  const runs = Array.from({ length: 3 }, async () => {
    const result = await verify(args, url);
    if (result.code === 2 && ++refused === 2) released.open();
    return result.code;
  });
  expect((await Promise.all(runs)).toSorted()).toEqual([0, 2, 2]);
  expect(emulator.requests).toHaveLength(3);
});

it("a lock is not written into a file of somebody else, or into what a link leads to", async () => {
  const { url } = await startEmulator();
  const file = temporaryFile("people.csv", people);
  const target = temporaryFile("target", "kept");
  for (const make of [
    (path: string) => writeFileSync(path, "dear diary\n"),
    (path: string) => symlinkSync(target, path),
    (path: string) => mkdirSync(path),
  ]) {
    const out = temporaryFile("result.csv");
    make(`${out}.lock`);
    const { code, errors } = await verify(["--file", file, "--out", out, ...fast], url);
    expect([code, errors]).toEqual([2, refusal(`${out}.lock`)]);
    expect(existsSync(`${out}.lock`)).toBe(true);
  }
  expect(readFileSync(target, "utf8")).toBe("kept");
});
