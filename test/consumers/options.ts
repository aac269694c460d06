import { parseArgs } from "node:util";
import type { Consumer } from "./consumers.ts";

/** The consumers to run, by the command line. */
export interface Choice {
  readonly consumers: readonly Consumer[];
  /** The parts of test/consumers/RESULTS.md to write; only a part that ran in full is written. */
  readonly save: readonly Part[];
}

export type Part = "light" | "heavy";

export function choose(args: readonly string[], all: readonly Consumer[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { heavy: { type: "boolean" }, all: { type: "boolean" }, save: { type: "boolean" } },
  });
  if (positionals.length > 0) {
    const unknown = positionals.filter((name) => !all.some((consumer) => consumer.name === name));
    if (unknown.length > 0) {
      throw new Error(`No such consumer: ${unknown.join(", ")}. There are ${all.map(({ name }) => name).join(", ")}.`);
    }
    if (values.save) throw new Error("--save writes the results of a full run: leave the names out.");
    return { consumers: all.filter(({ name }) => positionals.includes(name)), save: [] };
  }
  const parts: readonly Part[] = values.all ? ["light", "heavy"] : values.heavy ? ["heavy"] : ["light"];
  return {
    consumers: all.filter(({ heavy }) => parts.includes(heavy ? "heavy" : "light")),
    save: values.save ? parts : [],
  };
}
