import { describe, expect, it } from "vitest";
import { formatPath } from "../../src/errors/request.ts";
import { RequestValidationError, ResponseValidationError } from "../../src/errors.ts";

const common = { message: "m" };
const issues = [{ path: ["a"], message: "is missing", code: "invalid_type" }];

describe("places of issues", () => {
  it.each([
    [[], "(root)"],
    [["a"], "a"],
    [["passengers", 0, "dob"], "passengers[0].dob"],
    [[2, "x"], "[2].x"],
    [["a", "b", 1, 2], "a.b[1][2]"],
  ])("%j is written %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it("pretty() has one line for each", () => {
    const several = [...issues, { path: ["list", 3], message: "must be a string", code: "invalid_type" }];
    const text = "✖ a: is missing\n✖ list[3]: must be a string";
    expect(new RequestValidationError({ ...common, issues: several }).pretty()).toBe(text);
    expect(new ResponseValidationError({ ...common, issues: several, body: {} }).pretty()).toBe(text);
  });
});
