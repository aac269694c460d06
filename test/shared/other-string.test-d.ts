import { describe, expectTypeOf, it } from "vitest";
import type { OtherString } from "../../src/shared/other-string.ts";

type Other = OtherString<"SUCCESS" | "FAILED" | "REJECTED">;

describe("any string but the known ones", () => {
  it("holds no known string", () => {
    expectTypeOf<"SUCCESS">().not.toExtend<Other>();
    expectTypeOf<"FAILED">().not.toExtend<Other>();
    expectTypeOf<"REJECTED">().not.toExtend<Other>();
  });

  it("holds a string that differs from them at its first character, at a later one, or after their end", () => {
    expectTypeOf<"PENDING">().toExtend<Other>();
    expectTypeOf<"REVERSED">().toExtend<Other>();
    expectTypeOf<"SUCCESSFUL">().toExtend<Other>();
    expectTypeOf<"FAILED_LATER">().toExtend<Other>();
    expectTypeOf<"success">().toExtend<Other>();
    expectTypeOf<"Success">().toExtend<Other>();
    expectTypeOf<"FAILED-2">().toExtend<Other>();
    expectTypeOf<"payout.failed/now: yes">().toExtend<Other>();
  });

  it("can be compared with the beginning of a known string", () => {
    const compare = (other: Other) => other === "FAIL";
    expectTypeOf(compare).returns.toBeBoolean();
  });

  it("is a string", () => {
    expectTypeOf<Other>().toExtend<string>();
  });
});
