import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assumptions, unobservable } from "../../../../src/cli/doctor/live/judge.ts";
import { clientRules, streamRules } from "../../../../src/options.ts";

const page = readFileSync("docs/assumptions.md", "utf8");
/** The rows of docs/assumptions.md by their numbers. */
const documented = [...page.matchAll(/^\| ([WTDAVIF]\d+) +\|/gm)].map(([, id = ""]) => id);

describe("the assumptions that doctor --live observes", () => {
  it("are rows of docs/assumptions.md, and the other rows are listed with the reason", () => {
    expect(documented.length).toBeGreaterThan(80);
    const observed = new Set(assumptions.map(({ id }) => id));
    const others = unobservable.flatMap(({ ids }) => ids);
    expect([...observed, ...others].sort()).toEqual([...documented].sort());
    expect(unobservable.filter(({ reason }) => reason === "")).toEqual([]);
  });

  it("are corrected by real options, or say what else to do", () => {
    const inner = Object.entries({ ...clientRules, ...streamRules }).flatMap(([group, rule]) =>
      (("inner" in rule && (rule.inner as readonly string[])) || []).map((name) => `${group}.${name}`),
    );
    const options = new Set([...Object.keys(clientRules), ...Object.keys(streamRules), ...inner]);
    expect(assumptions.flatMap((each) => each.options).filter((name) => !options.has(name))).toEqual([]);
    // The remedy names an option whenever there is one.
    const silent = assumptions.filter(({ options, remedy }) => !options.every((name) => remedy.includes(`\`${name}`)));
    expect(silent.map(({ id, aspect }) => `${id}.${aspect}`)).toEqual([]);
  });

  it("tell the aspects of one row apart", () => {
    const keys = assumptions.map(({ id, aspect }) => `${id}.${aspect}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
