import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { checkedSchema } from "../../src/shared/checked-schema.ts";
import { validate } from "../../src/shared/validate.ts";

const schema = z.object({ a: z.string() });
const check = (value: unknown) => z.validate(schema, value);

describe("a schema with a generated check", () => {
  afterEach(() => {
    vi.doUnmock("../../src/shared/standard-schema.ts");
    vi.resetModules();
  });

  it("responds at once with the value itself if it passes, and does not load the zod schema", () => {
    const load = vi.fn(async () => schema);
    const value = { a: "x", more: 1 };
    const result = checkedSchema(check, load)["~standard"].validate(value);
    expect("value" in result && result.value).toBe(value);
    expect(load).not.toHaveBeenCalled();
  });

  it("explains by zod why a value does not pass", async () => {
    const issues = await validate(
      checkedSchema(check, async () => schema),
      { a: 1 },
      "test",
    );
    expect(issues).toEqual([{ path: ["a"], message: "must be a string, is a number", code: "invalid_type" }]);
  });

  it("leaves the verdict to zod if the two differ", async () => {
    const value = { a: "x" };
    expect(
      await checkedSchema(
        () => false,
        async () => schema,
      )["~standard"].validate(value),
    ).toEqual({ value });
  });

  it("refuses a value whose getter throws", async () => {
    const value = {
      get a(): string {
        throw new Error("not to be shown");
      },
    };
    const issues = await validate(
      checkedSchema(check, async () => schema),
      value,
      "test",
    );
    expect(issues).toEqual([{ path: [], message: "could not be checked", code: "not_checked" }]);
  });

  it("refuses the value although the explanation cannot be loaded", async () => {
    vi.resetModules();
    vi.doMock("../../src/shared/standard-schema.ts", () => {
      throw new Error("no such chunk");
    });
    const fresh = await import("../../src/shared/checked-schema.ts");
    const issues = await validate(
      fresh.checkedSchema(check, async () => schema),
      { a: 1 },
      "test",
    );
    expect(issues).toEqual([
      { path: [], message: "is not of the documented form; the explanation could not be loaded", code: "custom" },
    ]);
  });
});
