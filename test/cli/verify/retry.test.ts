import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { csvOf, fast, rowsIn, startFile, verify } from "./command.ts";

const numbers = Array.from({ length: 60 }, (_, index) => `60000${String(index).padStart(2, "0")}111`);
const numbersOf = (out: string) => rowsIn(out).map((row) => row.split(",")[0]);
const statusesOf = (out: string) => rowsIn(out).map((row) => row.split(",")[2]);

/** Makes a file of results whose rows at some places are failed. */
async function startWithFailures(places: readonly number[]) {
  const started = await startFile(csvOf(numbers));
  expect((await started.run()).code).toBe(0);
  const lines = started.results().split("\n");
  for (const place of places) lines[place + 1] = `${numbers[place]},${numbers[place]},failed,,,,,The look-up failed.`;
  writeFileSync(started.out, lines.join("\n"));
  const asked = () => started.emulator.requests.slice(numbers.length).map(({ body }) => Object(body).vpa_mobile);
  return { ...started, asked, before: lines.join("\n") };
}

const every = (step: number) => numbers.flatMap((_, index) => (index % step === 1 ? [index] : []));

describe("serviceapi verify --retry", () => {
  it("looks up the rows that are pending or failed, and those that are missing, in the order of the input", async () => {
    const { run, out, before, asked } = await startWithFailures([3, 7, 40]);
    const lines = before.split("\n");
    lines[8] = lines[8]?.replace("failed", "pending") ?? "";
    // The last ten are missing.
    writeFileSync(out, `${lines.slice(0, 51).join("\n")}\n`);
    const result = await run("--retry", "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.output)).toEqual({
      ...{ rows: 60, done: 60, before: 47, retried: 3 },
      ...{ found: 60, notFound: 0, pending: 0, invalid: 0, failed: 0, toCheck: 0 },
    });
    expect(asked().toSorted()).toEqual(
      [3, 7, 40, ...Array.from({ length: 10 }, (_, index) => 50 + index)].map((i) => numbers[i]),
    );
    expect([numbersOf(out), new Set(statusesOf(out))]).toEqual([numbers, new Set(["found"])]);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
  });

  it("leaves the file as it is if there is no such row, and begins one that is not there", async () => {
    const { url, run, results, file, asked, before } = await startWithFailures([]);
    expect(await run("--retry")).toMatchObject({
      code: 0,
      output: "60 of 60 rows in result.csv (60 from before): 60 found\n",
    });
    expect([asked(), results()]).toEqual([[], before]);
    const other = temporaryFile("result.csv");
    expect(await verify(["--file", file, "--out", other, ...fast, "--retry"], url)).toMatchObject({ code: 0 });
    expect(readFileSync(other, "utf8")).toBe(before);
  });

  it("a row that fails again is written again, counts, and is left to the next --retry", async () => {
    const { emulator, run, rows } = await startWithFailures([3, 7]);
    emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) =>
      mobile === numbers[7]
        ? Response.json({ status: "failed", statusCode: "500", message: "Internal error" }, { status: 500 })
        : undefined,
    );
    expect(await run("--retry")).toMatchObject({
      code: 1,
      output: "60 of 60 rows in result.csv (58 from before, 2 retried): 59 found, 1 failed\n",
      errors: expect.stringMatching(
        /^1 row is pending or failed\. Run the same command again later to look it up again/,
      ),
    });
    expect(rows()[7]).toContain('The service was not available: ""Internal error""');
  });

  it("refused credentials leave the rows as they were, and nothing beside them", async () => {
    const { emulator, run, out, results, before } = await startWithFailures([3, 7, 40]);
    emulator.on("*", "authentication");
    const { code, errors } = await run("--retry");
    expect([code, errors]).toEqual([
      3,
      expect.stringMatching(/^error: .*\n.*\nThe rows so far are kept\. .* with --retry to continue: 3 of them/),
    ]);
    expect(results()).toBe(before);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
  });

  it.each([
    [["--file", "people.csv"], /--retry has no effect without --out/],
    [["--file", "people.csv", "--out", "result.csv", "--overwrite"], /--retry has no effect with --overwrite/],
    [["6000000001"], /--retry has no effect without --file/],
  ])("with %j is an error of usage", async (args, message) => {
    const { code, errors } = await verify([...args, ...fast, "--retry"], "http://127.0.0.1:9");
    expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
  });
});

// Windows has no signals: a Ctrl-C from another process kills.
describe.skipIf(process.platform === "win32")("serviceapi verify --retry: signals", () => {
  it("Ctrl-C lets the requests under way finish; the rows that were not reached stay failed", async () => {
    const { emulator, run, start, out, asked } = await startWithFailures(every(6));
    const underWay = gate();
    const released = gate();
    emulator.on("verification.findVpas", async () => {
      if (asked().length === 2) underWay.open();
      await released.opened;
      return undefined;
    });
    const { child, ended } = start("--retry", "--concurrency", "2");
    await underWay.opened;
    child.kill("SIGINT");
    await once(child.stderr ?? child, "data");
    released.open();
    expect(await ended).toMatchObject({
      code: 130,
      output: "60 of 60 rows in result.csv (58 from before, 2 retried): 52 found, 8 failed\n",
      errors: expect.stringMatching(/Run the same command again to continue\.\n$/),
    });
    expect([numbersOf(out), readdirSync(dirname(out))]).toEqual([numbers, ["result.csv"]]);
    expect(await run("--retry")).toMatchObject({ code: 0 });
    expect(asked().toSorted()).toEqual(every(6).map((place) => numbers[place]));
  });

  it("a second Ctrl-C ends it now, and the file is whole", async () => {
    const { emulator, start, out, asked } = await startWithFailures(every(6));
    const never = gate();
    onTestFinished(() => never.open());
    emulator.on("verification.findVpas", () => (asked().length > 1 ? never.opened.then(() => undefined) : undefined));
    const { child, ended } = start("--retry", "--concurrency", "2");
    await expect.poll(() => asked().length).toBeGreaterThan(1);
    child.kill("SIGINT");
    await once(child.stderr ?? child, "data");
    // Sooner it would count as the first one, which npx passes on.
    await sleep(150);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130 });
    expect([numbersOf(out), readdirSync(dirname(out))]).toEqual([numbers, ["result.csv"]]);
  });

  it("after SIGKILL the next run has what was written, with --retry or without", async () => {
    const { emulator, run, start, out, rows, results, asked } = await startWithFailures(every(4));
    const kills = [3, 6, 9, 12];
    for (const kill of kills) {
      const reached = gate();
      const held = gate();
      const script = emulator.on("verification.findVpas", async () => {
        if (asked().length < kill) return undefined;
        reached.open();
        await held.opened;
        return undefined;
      });
      const { child, ended } = start("--retry", "--concurrency", "1");
      await reached.opened;
      // The response before is being written meanwhile.
      const last = asked().at(-2);
      await expect.poll(() => existsSync(`${out}.retry`) && numbersOf(`${out}.retry`)).toContain(last);
      const before = results();
      child.kill("SIGKILL");
      await ended;
      rmSync(`${out}.lock`);
      script.withdraw();
      held.open();
      const written = rowsIn(`${out}.retry`);
      expect([results(), numbersOf(out)]).toEqual([before, numbers]);
      // Every second time the next run has no --retry.
      if (kill % 2 === 0) continue;
      expect(await run()).toMatchObject({ code: 1, output: expect.stringMatching(/60 from before/) });
      expect([rows().slice(0, written.length), numbersOf(out)]).toEqual([written, numbers]);
      expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
    }
    expect(await run("--retry")).toMatchObject({ code: 0 });
    expect([numbersOf(out), new Set(statusesOf(out))]).toEqual([numbers, new Set(["found"])]);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
    // Only the request under way was sent again after each kill.
    expect(asked().length).toBeLessThanOrEqual(every(4).length + kills.length);
  });
});
