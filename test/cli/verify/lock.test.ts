import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startFile } from "./command.ts";

const refusal = (path: string) =>
  expect.stringMatching(
    new RegExp(
      `^error: --out: .*result\\.csv is being written by another \`serviceapi verify\`, whose lock is ${path}\\. ` +
        `Wait for its end\\. If none runs, because it was killed, remove ${path} and run the same command again\\.\n$`,
    ),
  );

it("a second run on one output is refused; after SIGKILL, also until the lock is removed, as it says", async () => {
  const { emulator, out, run, start, results } = await startFile();
  const underWay = gate();
  const released = gate();
  emulator.on("verification.findVpas", async () => {
    // All valid numbers of the file.
    if (emulator.requests.length === 3) underWay.open();
    await released.opened;
    return undefined;
  });
  const first = start();
  await underWay.opened;
  const asked = emulator.requests.length;
  const content = results();
  const requireRefused = async () => {
    for (const more of [[], ["--overwrite"], ["--retry"]]) {
      expect(await run(...more)).toEqual({ code: 2, output: "", errors: refusal(`${out}.lock`) });
    }
    expect([emulator.requests.length, results()]).toEqual([asked, content]);
    expect(existsSync(`${out}.lock`)).toBe(true);
  };
  await requireRefused();
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  released.open();
  await requireRefused();
  expect(readFileSync(`${out}.lock`, "utf8")).toMatch(new RegExp(`^process ${first.child.pid} on .+\n$`));
  rmSync(`${out}.lock`);
  expect(await run()).toMatchObject({ code: 0, errors: expect.stringMatching(/^1 row is invalid: [^\n]*\n$/) });
  expect(results().split("\n").filter(Boolean)).toHaveLength(5);
  expect(existsSync(`${out}.lock`)).toBe(false);
});

it("of several commands that start at the same time, one gets the output", async () => {
  const { emulator, run } = await startFile();
  const released = gate();
  emulator.on("verification.findVpas", () => released.opened.then(() => undefined));
  let refused = 0;
  const runs = Array.from({ length: 3 }, async () => {
    const result = await run();
    if (result.code === 2 && ++refused === 2) released.open();
    return result.code;
  });
  expect((await Promise.all(runs)).toSorted()).toEqual([0, 2, 2]);
  expect(emulator.requests).toHaveLength(3);
});

it("a lock is not written into a file of somebody else, or into what a link leads to", async () => {
  const target = temporaryFile("target", "kept");
  for (const make of [
    (path: string) => writeFileSync(path, "dear diary\n"),
    (path: string) => symlinkSync(target, path),
    (path: string) => mkdirSync(path),
  ]) {
    const { out, run } = await startFile();
    make(`${out}.lock`);
    const { code, errors } = await run();
    expect([code, errors]).toEqual([2, refusal(`${out}.lock`)]);
    // No empty results either.
    expect(readdirSync(dirname(out))).toEqual(["result.csv.lock"]);
  }
  expect(readFileSync(target, "utf8")).toBe("kept");
});
