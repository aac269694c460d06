import { describe, expect, it } from "vitest";
import { gate } from "../../support/gate.ts";
import { csvOf, startFile } from "./command.ts";

const numbers = Array.from({ length: 200 }, (_, index) => `60000${String(index).padStart(3, "0")}11`);
const unavailable = () =>
  Response.json(
    { status: "failed", statusCode: "503", message: "Service unavailable" },
    { status: 503, headers: { "retry-after": "0" } },
  );

it("an outage ends the run after the requests under way, whose responses are written", async () => {
  const { emulator, run, rows } = await startFile(csvOf(numbers), ["--concurrency", "12"]);
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
  const { code, errors } = await run();
  expect([code, errors]).toEqual([
    6,
    expect.stringMatching(/with --retry to continue: \d\d of them are pending or failed/),
  ]);
  const statuses = rows().map((row) => row.split(",")[2]);
  expect(statuses.slice(0, 12)).toEqual(["found", ...Array(10).fill("failed"), "found"]);
  // Most of the file was not sent.
  expect(tries.size).toBeLessThan(100);
  outage.withdraw();
  expect(await run("--retry")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^200 of 200 rows in result.csv \(\d from before, \d\d retried\): 200 found\n$/),
  });
  expect(rows().map((row) => row.split(",")[0])).toEqual(numbers);
  expect(emulator.requests.filter(({ body }) => Object(body).vpa_mobile === last)).toHaveLength(1);
});

it.each([
  ["invalid numbers", () => "123"],
  ["duplicates", () => numbers[0] ?? ""],
])("an outage between %s, which are not sent, ends the run", async (_what, other) => {
  const mixed = numbers.flatMap((number, index) => (index % 4 === 3 ? [number, other()] : [number]));
  const { emulator, run, rows } = await startFile(csvOf(mixed), ["--concurrency", "1"]);
  let before = 3;
  emulator.on("verification.findVpas", () => (before-- > 0 ? undefined : unavailable()));
  const { code } = await run();
  const asked = new Set(emulator.requests.map(({ body }) => Object(body).vpa_mobile));
  expect([code, asked.size]).toEqual([6, expect.toSatisfy((size: number) => size < 60)]);
  expect(rows().filter((row) => row.includes(",failed,")).length).toBeGreaterThanOrEqual(10);
});

describe("rows that always fail", () => {
  const expected = (bad: readonly string[]) =>
    numbers.map((number) => `${number},${number},${bad.includes(number) ? "failed" : "found"}`);

  /** An emulator to which some numbers fail, and the command that looks all of them up. */
  async function startWith(bad: readonly string[]) {
    const started = await startFile(csvOf(numbers));
    const script = started.emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) =>
      bad.includes(mobile) ? unavailable() : undefined,
    );
    const statuses = () => started.rows().map((row) => row.split(",").slice(0, 3).join(","));
    return { ...started, script, statuses };
  }

  it.each([
    ["at the start", 0],
    ["in the middle", 20],
  ])(
    "%s of a file are left behind by the runs that follow, and all of them are looked up with --retry",
    async (_, start) => {
      const bad = numbers.slice(start, start + 45);
      const { run, statuses, emulator, script } = await startWith(bad);
      let [runs, code] = [0, 0 as number | null];
      do {
        const before = emulator.requests.length;
        ({ code } = await run());
        // No run sends all of them.
        if (code === 6) expect(emulator.requests.length - before).toBeLessThan(start + 3 * 35);
      } while (code === 6 && ++runs < 10);
      expect([code, runs, statuses()]).toEqual([1, expect.toSatisfy((count: number) => count > 1), expected(bad)]);
      expect(await run("--retry")).toMatchObject({
        ...{ code: 1, output: "200 of 200 rows in result.csv (155 from before, 45 retried): 155 found, 45 failed\n" },
      });
      script.withdraw();
      expect(await run("--retry")).toMatchObject({ code: 0 });
      expect(statuses()).toEqual(expected([]));
    },
  );
});
