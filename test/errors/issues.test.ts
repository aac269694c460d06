import { describe, expect, it } from "vitest";
import { RequestValidationError, ResponseValidationError } from "../../src/errors/index.ts";
import { formatPath, listIssues } from "../../src/errors/issues.ts";

const common = { message: "m" };
const issues = [{ path: ["a"], message: "is missing", code: "invalid_type" }];

describe("places of issues", () => {
  it.each([
    [[], "the body"],
    [["a"], "a"],
    [["passengers", 0, "dob"], "passengers[0].dob"],
    [[2, "x"], "[2].x"],
    [["a", "b", 1, 2], "a.b[1][2]"],
  ])("%j is written %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it("an issue with the whole value uses its name", () => {
    const whole = [{ path: [], message: "must be an object", code: "invalid_type" }];
    expect(new RequestValidationError({ ...common, issues: whole }).pretty()).toBe("✖ params: must be an object");
    expect(new ResponseValidationError({ ...common, issues: whole, body: 1 }).pretty()).toBe(
      "✖ the body: must be an object",
    );
  });

  it.each([
    [1, "0"],
    [3, "0; 1; 2"],
    [4, "0; 1; 2; and 1 more in `issues`"],
    [9, "0; 1; 2; and 6 more in `issues`"],
  ])("of %i issues, a message names at most three", (count, text) => {
    const several = Array.from({ length: count }, (_, i) => ({ path: [i], message: "m", code: "c" }));
    expect(listIssues(several, ({ path }) => `${path[0]}`)).toBe(text);
  });

  it("pretty() has one line for each", () => {
    const several = [...issues, { path: ["list", 3], message: "must be a string", code: "invalid_type" }];
    const text = "✖ a: is missing\n✖ list[3]: must be a string";
    expect(new RequestValidationError({ ...common, issues: several }).pretty()).toBe(text);
    expect(new ResponseValidationError({ ...common, issues: several, body: {} }).pretty()).toBe(text);
  });
});
