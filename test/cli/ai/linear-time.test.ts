import { expect, it } from "vitest";
import { growthOf } from "../../growth/growth.ts";

it.each(await growthOf("./works/markdown.ts"))(
  "Markdown takes time that grows as the text does: $name",
  ({ faults }) => {
    expect(faults).toEqual([]);
  },
);
