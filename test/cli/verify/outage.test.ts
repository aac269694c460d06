import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { fast, startEmulator, verify } from "./command.ts";

const numbers = Array.from({ length: 200 }, (_, index) => `60000${String(index).padStart(3, "0")}11`);
const unavailable = () =>
  Response.json(
    { status: "failed", statusCode: "503", message: "Service unavailable" },
    { status: 503, headers: { "retry-after": "0" } },
  );

it("an outage ends the run after the requests under way, whose responses are written", async () => {
  const { emulator, url } = await startEmulator();
  const tries = new Map<string, number>();
  const last = numbers[11] ?? "";
  const othersFailed = gate();
  const outage = emulator.on("verification.findVpas", async ({ vpa_mobile: mobile }) => {
    tries.set(mobile, (tries.get(mobile) ?? 0) + 1);
    // Each is retried twice.
    if (numbers.slice(1, 11).every((number) => tries.get(number) === 3)) othersFailed.open();
    if (mobile === numbers[0] && tries.get(mobile) === 1) return undefined;
    if (mobile !== last) return unavailable();
    await othersFailed.opened;
    return undefined;
  });
  const out = temporaryFile("result.csv");
  const file = temporaryFile("people.csv", `mobile\n${numbers.join("\n")}\n`);
  const args = ["--file", file, "--out", out, ...fast, "--concurrency", "12"];
  const { code, errors } = await verify(args, url);
  expect([code, errors]).toEqual([
    6,
    expect.stringMatching(/with --retry to continue: 10 of them are pending or failed/),
  ]);
  const rows = readFileSync(out, "utf8").trim().split("\n").slice(1);
  expect(rows.map((row) => row.split(",")[2])).toEqual(["found", ...Array(10).fill("failed"), "found"]);
  // Most of the file was not sent.
  expect(tries.size).toBeLessThan(100);
  outage.withdraw();
  expect(await verify([...args, "--retry"], url)).toMatchObject({
    code: 0,
    output: "200 of 200 rows in result.csv (2 from before, 10 retried): 200 found\n",
  });
  expect(
    readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => row.split(",")[0]),
  ).toEqual(numbers);
  expect(emulator.requests.filter(({ body }) => Object(body).vpa_mobile === last)).toHaveLength(1);
});

it.each([
  ["invalid numbers", () => "123"],
  ["duplicates", () => numbers[0] ?? ""],
])("an outage between %s, which are not sent, ends the run", async (_what, other) => {
  const { emulator, url } = await startEmulator();
  let before = 3;
  emulator.on("verification.findVpas", () => (before-- > 0 ? undefined : unavailable()));
  const mixed = numbers.flatMap((number, index) => (index % 4 === 3 ? [number, other()] : [number]));
  const out = temporaryFile("result.csv");
  const file = temporaryFile("people.csv", `mobile\n${mixed.join("\n")}\n`);
  const { code } = await verify(["--file", file, "--out", out, ...fast, "--concurrency", "1"], url);
  const asked = new Set(emulator.requests.map(({ body }) => Object(body).vpa_mobile));
  expect([code, asked.size]).toEqual([6, expect.toSatisfy((size: number) => size < 60)]);
  // The rows of the outage have no result, and the next run looks them up.
  const rows = readFileSync(out, "utf8").trim().split("\n").slice(1);
  expect(rows.map((row) => row.split(",")[2])).toEqual(["found", "found", "found"]);
});

describe("rows that always fail", () => {
  const always = numbers.slice(20, 45);
  const statusesOf = (out: string) =>
    readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => row.split(",").slice(0, 3).join(","));
  const expected = (bad: readonly string[]) =>
    numbers.map((number) => `${number},${number},${bad.includes(number) ? "failed" : "found"}`);

  /** An emulator to which some numbers fail, and the command that looks all of them up. */
  async function startWith(bad: readonly string[]) {
    const { emulator, url } = await startEmulator();
    const script = emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) =>
      bad.includes(mobile) ? unavailable() : undefined,
    );
    const out = temporaryFile("result.csv");
    const file = temporaryFile("people.csv", `mobile\n${numbers.join("\n")}\n`);
    const asked = (number: string) => emulator.requests.filter(({ body }) => Object(body).vpa_mobile === number).length;
    return { emulator, url, out, script, asked, args: ["--file", file, "--out", out, ...fast] };
  }

  it("one after the other do not end the run: a number that had a response has one again", async () => {
    const { url, out, args, asked, emulator, script } = await startWith(always);
    expect(await verify(args, url)).toMatchObject({
      ...{ code: 1, output: "200 of 200 rows in result.csv: 175 found, 25 failed\n" },
    });
    expect(statusesOf(out)).toEqual(expected(always));
    // Only the one that was found last before them is looked up again, and no other.
    expect(numbers.filter((number) => !always.includes(number) && asked(number) > 1)).toEqual([numbers[19]]);
    expect(asked(numbers[19] ?? "")).toBe(2);
    // The rows behind them are reached by --retry as well.
    const lines = readFileSync(out, "utf8").split("\n");
    const last = numbers.at(-1) ?? "";
    writeFileSync(out, lines.map((line) => (line.startsWith(last) ? `${last},${last},failed,,,,,x` : line)).join("\n"));
    const before = emulator.requests.length;
    expect(await verify([...args, "--retry"], url)).toMatchObject({
      ...{ code: 1, output: "200 of 200 rows in result.csv (174 from before, 26 retried): 175 found, 25 failed\n" },
    });
    expect(statusesOf(out)).toEqual(expected(always));
    // Each is tried three times, one is found, and one is looked up again to tell.
    expect(emulator.requests).toHaveLength(before + 3 * always.length + 2);
    script.withdraw();
    expect(await verify([...args, "--retry"], url)).toMatchObject({ code: 0 });
    expect(statusesOf(out)).toEqual(expected([]));
  });

  it("at the start of a file, before any number had a response, are left behind by the next run", async () => {
    const bad = numbers.slice(0, 100);
    const { url, out, args, emulator } = await startWith(bad);
    let [runs, code, errors] = [0, 0 as number | null, ""];
    do {
      const before = emulator.requests.length;
      // As the run before says: with --retry it would stop at the same rows again.
      ({ code, errors } = await verify([...args, ...(/again with --retry/.test(errors) ? ["--retry"] : [])], url));
      // No run sends all of them.
      expect(emulator.requests.length - before).toBeLessThan(100 + 3 * 50);
    } while (code === 6 && ++runs < 20);
    expect([code, statusesOf(out)]).toEqual([1, expected(bad)]);
    expect(await verify([...args, "--retry"], url)).toMatchObject({
      ...{ code: 1, output: "200 of 200 rows in result.csv (100 from before, 100 retried): 100 found, 100 failed\n" },
    });
  });

  it("an outage that begins in a --retry ends it, and leaves the rows as they were", async () => {
    const { emulator, url, out, args, script } = await startWith(numbers.slice(20, 120));
    await verify(args, url);
    const before = readFileSync(out, "utf8");
    script.withdraw();
    // The page of a gateway.
    emulator.on("verification.findVpas", () => new Response("<html>Bad gateway</html>", { status: 502 }));
    const sent = emulator.requests.length;
    const { code, errors } = await verify([...args, "--retry"], url);
    expect([code, errors]).toEqual([
      6,
      expect.stringMatching(
        /^error: .* the response is a web page, .*\n.*\n?The rows so far are kept\..*: 100 of them are/,
      ),
    ]);
    expect(readFileSync(out, "utf8")).toBe(before);
    expect(emulator.requests.length - sent).toBeLessThan(3 * 60);
  });
});
