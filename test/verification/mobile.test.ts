import { describe, expect, it } from "vitest";
import { normalizeMobile } from "../../src/verification/rules.ts";

describe("normalizeMobile", () => {
  it.each([
    "6000000001",
    "+916000000001",
    "+91 60000 00001",
    "+91-6000-000-001",
    "0091 6000000001",
    "091-60000-00001",
    "0916000000001",
    "091 0 60000 00001",
    "916000000001",
    "06000000001",
    " 60000\u00a000001 ",
    "60000\u201100001",
    "(+91) 60000 00001",
    "60000.00001",
    "60.00.00.00.01",
    "+91.60000.00001",
    "600.000.0001",
    "(0)60000-00001",
    "+91 (0) 60000 00001",
    "\u202a+91 60000 00001\u202c",
  ])("returns the ten digits of %j", (text) => {
    expect(normalizeMobile(text)).toBe("6000000001");
  });

  it("leaves what is not a string to the schema", () => {
    expect(normalizeMobile(undefined as never)).toBeUndefined();
  });

  it("keeps a ten-digit number that begins with 91", () => {
    expect(normalizeMobile("9198765432")).toBe("9198765432");
    expect(normalizeMobile("919198765432")).toBe("9198765432");
    expect(normalizeMobile("09198765432")).toBe("9198765432");
  });

  it.each([
    "5000000001",
    "600000000",
    "60000000011",
    "+44 7700 900123",
    "६००००००००१",
    "",
    "6000000001x",
    "+06000000001",
    "987654321.0",
    "98765432.00",
    "9.876543210",
    "9876543.000",
    "98765432.10",
    "987 654 321.0",
    "987654321(.0)",
    "91987654321.0",
    "+91 98765 4321.0",
    "0.9876543210",
    "9876543210.0",
  ])("returns %j unchanged, for the schema to refuse", (text) => {
    expect(normalizeMobile(text)).toBe(text);
  });
});
