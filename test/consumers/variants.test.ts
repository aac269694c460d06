import { describe, expect, it } from "vitest";
import type { Consumer } from "./consumers.ts";
import { choose } from "./options.ts";
import { closingLine } from "./report.ts";
import { rowsOf } from "./variants.ts";

const light: Consumer = { name: "jest", title: "Jest", heavy: false };
const heavy: Consumer = { name: "next", title: "Next.js", heavy: true };
const passed = '{"variant":"ESM","result":"passed","seconds":1.5}';
const failed = '{"variant":"CommonJS","result":"failed","output":"no"}';

const resultsOf = (code: number | undefined, ...lines: readonly string[]) =>
  rowsOf(light, { code, output: lines.join("\n"), seconds: 2 }).map(({ variant, result }) => `${variant} ${result}`);

describe("the rows of a consumer", () => {
  it("are the variants that its script printed", () => {
    expect(resultsOf(1, "installing", passed, failed)).toEqual(["ESM passed", "CommonJS failed"]);
  });

  it("are one row if the script printed none", () => {
    expect(resultsOf(0, "done")).toEqual([" passed"]);
    expect(resultsOf(1, "broken")).toEqual([" failed"]);
  });

  it("have a failure if the script failed and no variant did, or was killed", () => {
    expect(resultsOf(1, passed)).toEqual(["ESM passed", " failed"]);
    expect(resultsOf(undefined, passed)).toEqual(["ESM passed", " failed"]);
  });

  it.each(['{"variant":"ESM","result":"pass', '{"variant":"ESM","result":"ok"}', '{"variant":1,"result":"passed"}'])(
    "count a damaged line as a failure: %s",
    (line) => {
      expect(resultsOf(0, line)).toEqual(["? failed"]);
    },
  );

  it("are counted in the closing line, without those that were skipped", () => {
    const skipped = '{"variant":"Bun","result":"skipped","output":"Linux alone"}';
    const rows = rowsOf(light, { code: 1, output: [passed, failed, skipped].join("\n"), seconds: 2 });
    expect(closingLine(rows)).toBe("1 passed, 1 failed");
  });
});

describe("the choice of consumers", () => {
  const chosen = (...args: readonly string[]) => choose(args, [light, heavy]).consumers.map(({ name }) => name);

  it("is the light ones, the heavy ones, all, or some by name", () => {
    expect([chosen(), chosen("--heavy"), chosen("--all"), chosen("next")]).toEqual([
      ["jest"],
      ["next"],
      ["jest", "next"],
      ["next"],
    ]);
  });

  it("refuses an unknown name, and saving a part of the results", () => {
    expect(() => chosen("jset")).toThrow("No such consumer: jset. There are jest, next.");
    expect(() => chosen("jest", "--save")).toThrow("leave the names out");
    expect(choose(["--all", "--save"], [light, heavy]).save).toEqual(["light", "heavy"]);
  });
});
