import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { fast, startEmulator, verify } from "./command.ts";

const numbers = Array.from({ length: 200 }, (_, index) => `60000${String(index).padStart(3, "0")}11`);
const unavailable = () =>
  Response.json(
    { status: "failed", statusCode: "503", message: "Service unavailable" },
    { status: 503, headers: { "retry-after": "0" } },
  );

it("an outage ends the run after the requests under way, whose responses are written", {
  timeout: 60_000,
}, async () => {
  const { emulator, url } = await startEmulator();
  const tries = new Map<string, number>();
  const last = numbers[11] ?? "";
  const othersFailed = gate();
  const outage = emulator.script("verification.findVpas", async ({ vpa_mobile: mobile }) => {
    tries.set(mobile, (tries.get(mobile) ?? 0) + 1);
    // Each is retried twice.
    if (numbers.slice(1, 11).every((number) => tries.get(number) === 3)) othersFailed.open();
    if (mobile === numbers[0]) return undefined;
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
