import { expect, it } from "vitest";
import { withoutFormula } from "../../../src/cli/verify/csv.ts";
import { resultOf } from "../../../src/cli/verify/results.ts";
import type { VpaResult } from "../../../src/verification/types.ts";
import { sample } from "../../support/client.ts";

it.each([
  ["=1+1", "'=1+1"],
  ["+91 60000 00001", "'+91 60000 00001"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", "'\tx"],
  ["\r=1", "'\r'=1"],
  [" =1", " '=1"],
  ["\uFEFF=1", "\uFEFF'=1"],
  ["\u200B\u00A0=1", "\u200B\u00A0'=1"],
  ["\u202E\u0000=1", "\u202E\u0000'=1"],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["ASHA,=1+1", "ASHA,'=1+1"],
  ["ASHA; @SUM(A1)", "ASHA; '@SUM(A1)"],
  ["ASHA\n=1", "ASHA\n'=1"],
  ['Asha;"=HYPERLINK(A1);Rao', `Asha;"'=HYPERLINK(A1);Rao`],
  ["Asha,'=1',Rao", "Asha,''=1',Rao"],
  ['"=1', `"'=1`],
])("%j becomes %j", (cell, safe) => {
  expect(withoutFormula(cell)).toBe(safe);
});

it.each(["ASHA EXAMPLE", "asha@demoupi ravi@demoupi", "A-B = C", "6000000001", "", "'=1"])("%j stays", (cell) => {
  expect(withoutFormula(cell)).toBe(cell);
});

it("a name of another type that is nested without end becomes a short text", () => {
  const depth = 200_000;
  const name = JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const result = { ...sample<VpaResult>("verification/success-single"), name };
  const found = { kind: "found", index: 0, input: "6000000001", result, warnings: [], attempts: 1 } as const;
  expect(resultOf(found, "6000000001").name).toBe(`${"[".repeat(13)}"…"${"]".repeat(13)}`);
});
