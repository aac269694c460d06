import { describe, expect, it } from "vitest";
import { growthOf } from "./growth.ts";

const [planted, ...files] = await Promise.all(
  ["planted", "deliveries", "parts", "strings"].map((name) => growthOf(`./works/${name}.ts`)),
);

describe("what outsiders send costs linear time", () => {
  it.each(files.flat())("$name", ({ faults }) => expect(faults).toEqual([]));

  it.each(planted ?? [])("would not do so with $name", ({ faults }) => expect(faults).not.toEqual([]));
});
