import { expect, it } from "vitest";
import { maskFields, withoutDeepFields } from "../../../src/cli/shared/mask.ts";

it("calls the mask with each value and the name of its field, which elements of a list share", () => {
  const seen: unknown[] = [];
  const value = { a: "x", list: [1, null, { inner: true }], deep: { list: [["y"]] } };
  const copy = maskFields(value, (scalar, name) => {
    seen.push([name, scalar]);
    return "•";
  });
  expect(copy).toEqual({ a: "•", list: ["•", "•", { inner: "•" }], deep: { list: [["•"]] } });
  expect(seen).toEqual([
    ["a", "x"],
    ["list", 1],
    ["list", null],
    ["inner", true],
    ["list", "y"],
  ]);
});

it("leaves out what nests deeper than anything of the service", () => {
  const nested = JSON.parse(`${"[".repeat(5_000)}"secret"${"]".repeat(5_000)}`);
  expect(JSON.stringify(maskFields(nested, (scalar) => scalar))).toMatch(/^\[+"…"\]+$/);
  expect(JSON.stringify(withoutDeepFields(nested))).toMatch(/^\[+"…"\]+$/);
});

it("masks numbers and addresses in the names of fields", () => {
  const value = { list: [{ "9876540002": 1, "asha@demoupi": 2, utr: 3 }] };
  expect(maskFields(value, (scalar, name) => [name, scalar])).toEqual({
    list: [{ "98••••••02": ["9876540002", 1], "••••@demoupi": ["asha@demoupi", 2], utr: ["utr", 3] }],
  });
  expect(withoutDeepFields(value)).toEqual(value);
});
