import { describe, expect, it } from "vitest";
import { checkRuntime } from "../../../../src/cli/doctor/diagnose.ts";

describe("the check of the runtime", () => {
  it.each([
    [{ node: "20.19.0" }, "failed"],
    [{ node: "22.11.0" }, "failed"],
    [{ node: "22.12.0" }, "ok"],
    [{ node: "26.0.0" }, "ok"],
    // The version of Node that these imitate does not count.
    [{ node: "20.0.0", bun: "1.3.11" }, "ok"],
    [{ node: "20.0.0", deno: "2.9.0" }, "ok"],
  ])("takes %j as %s", (versions, state) => {
    expect(checkRuntime(versions, {}).map((check) => check.state)).toEqual([state]);
  });
});
