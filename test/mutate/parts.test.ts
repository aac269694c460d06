/** The parts of the mutation: a file that was renamed would leave its part without a word. */
import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { parts } from "../../scripts/mutate/parts.ts";

/** Every choice of `{a,b}` and of `!(a|b)`. */
function choicesOf(pattern: string): readonly string[] {
  const [, before, braces, without, after] = /^(.*)(?:\{([^{}]*)\}|!\(([^()]*)\))(.*)$/.exec(pattern) ?? [];
  const choices = braces?.split(",") ?? without?.split("|");
  return choices?.flatMap((choice) => choicesOf(`${before}${choice}${after}`)) ?? [pattern];
}

/** The patterns of each part: those of what it mutates, or of what it leaves out. */
const patterns = (areLeftOut: boolean) =>
  parts.map(({ mutate }) =>
    mutate.filter((name) => name.startsWith("!") === areLeftOut).map((name) => name.replace(/^!/, "")),
  );
const [own, leftOut] = [patterns(false), globSync(patterns(true).flat())];

it("each name in them is that of a file", () => {
  const names = [...own, ...patterns(true), ...parts.map(({ tests }) => tests)].flat();
  expect(names.flatMap(choicesOf).filter((name) => globSync(name).length === 0)).toEqual([]);
});

it("each file of a room is in one part, or left out", () => {
  const found = own.flatMap((names) => globSync(names).filter((file) => !leftOut.includes(file)));
  const expected = globSync("src/{ai,flights,transport,webhooks}/**/*.ts").filter((file) => !leftOut.includes(file));
  expect(found.sort()).toEqual(expected.sort());
});
