import { describe, expect, it } from "vitest";
import type { VpaResult } from "../../src/index.ts";
import { isUsable } from "../../src/verification/usable.ts";
import { sample } from "../support/client.ts";

describe("isUsable", () => {
  const found = sample("verification/success-multiple") as unknown as VpaResult;
  // A response that lacks one of `vpa` and `vpaList` passes with a warning (docs/assumptions.md, A4).
  const without = (changes: Readonly<Record<string, unknown>>) => ({ ...found, ...changes }) as VpaResult;

  it("holds for a VALID account with a VPA", () => {
    expect(isUsable(found)).toBe(true);
  });

  it.each([
    ["only `vpa` came", { vpaList: undefined }, true],
    ["only `vpaList` came", { vpa: undefined }, true],
    ["neither came", { vpa: undefined, vpaList: undefined }, false],
    ["both are empty", { vpa: "", vpaList: [] }, false],
    ["the list holds nothing but an empty text", { vpa: undefined, vpaList: [""] }, false],
    ["both are placeholders", { vpa: "NA", vpaList: ["-", "null"] }, false],
    ["the list is no list", { vpa: undefined, vpaList: "6000000001@upi" }, false],
    ["the status is another one", { accountStatus: "INVALID" }, false],
    ["the status is missing", { accountStatus: undefined }, false],
  ])("where %s: %j is %s", (_name, changes, expected) => {
    expect(isUsable(without(changes))).toBe(expected);
  });

  it.each([undefined, null, "VALID"])("%j is not an account", (result) => {
    expect(isUsable(result as never)).toBe(false);
  });
});
