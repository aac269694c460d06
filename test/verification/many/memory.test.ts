import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runProgram } from "../../support/program.ts";

it("15,000 numbers need the memory of a few: what is read ahead, and the last `dedupeWindow`", async () => {
  const { exitCode, output } = await runProgram(fileURLToPath(new URL("memory-use.ts", import.meta.url)));
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)]);
  const { found, readAhead, megabytes } = JSON.parse(output);
  expect(found).toBe(15_000);
  expect(readAhead).toBeLessThanOrEqual(4 * 8 + 1);
  console.log(`heap in MB after each 5,000: ${megabytes.map((each: number) => each.toFixed(1)).join(", ")}`);
  // A result alone is a kilobyte: 10,000 of them would be 10 MB, and 50 bytes of each 0.5.
  expect(megabytes.at(-1) - megabytes[0]).toBeLessThan(0.5);
});
