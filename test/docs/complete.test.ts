import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as errors from "../../src/errors/index.ts";
import * as flightErrors from "../../src/flights/errors.ts";
import { guides, read, root } from "./blocks.ts";

const source = (path: string) => readFileSync(join(root, path), "utf8");

/** The names of an interface's own properties, read from its source. */
function optionsOf(path: string, name: string): string[] {
  const [, body = ""] =
    new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(source(path)) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, option = ""]) => option);
}

const clientOptions = [
  ...optionsOf("src/options.ts", "ClientOptions"),
  ...optionsOf("src/options.ts", "RequestOptions"),
  ...optionsOf("src/options.ts", "StreamLimits"),
];

describe("the guides mention", () => {
  it("each option of the client, of a call and of a stream", () => {
    expect(clientOptions).toEqual(expect.arrayContaining(["baseUrl", "onEvent", "extraBody", "idleTimeout"]));
    const text = guides().map(read).join("\n");
    expect(clientOptions.filter((option) => !new RegExp(`\\b${option}\\b`).test(text))).toEqual([]);
  });

  it("each error class, in a row of docs/errors.md with the kind that it has", () => {
    const text = read("docs/errors.md");
    const classes = Object.entries({ ...errors, ...flightErrors }).filter(([name]) => /^[A-Z].*Error$/.test(name));
    expect(classes.length).toBeGreaterThan(25);
    expect(classes.map(([name]) => name).filter((name) => !new RegExp(`^\\| \\**\`${name}\``, "m").test(text))).toEqual(
      [],
    );
    const kinds = [...source("src/errors/base.ts").matchAll(/^ {2}\| "(\w+)"/gm)].map(([, kind = ""]) => kind);
    expect(kinds).toContain("booking_outcome_unknown");
    const words = new Set([...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word));
    expect(kinds.filter((kind) => !words.has(kind))).toEqual([]);
  });

  it("no option in docs/assumptions.md that the code does not have", () => {
    const rows = read("docs/assumptions.md")
      .split("\n")
      .filter((line) => /^\| [A-Z]\d+ /.test(line));
    expect(rows.length).toBeGreaterThan(40);
    const all = [
      "src/options.ts",
      "src/operation.ts",
      "src/ai",
      "src/flights",
      "src/webhooks",
      "src/callback-url",
      "src/verification",
    ]
      .flatMap(sourcesOf)
      .join("\n");
    const named = rows.flatMap((row) => [...(row.split("|")[4] ?? "").matchAll(/`(?:\w+\.)*(\w+)\??`/g)]);
    const missing = named
      .map(([, option = ""]) => option)
      .filter(
        (option) =>
          !new RegExp(`(readonly ${option}\\??:|function ${option}\\b|^ {2}(async |get )?${option}\\()`, "m").test(all),
      );
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(missing)]).toEqual([]);
  });
});

/** The texts of a file, or of all that is below a folder. */
function sourcesOf(path: string): string[] {
  if (path.endsWith(".ts")) return [source(path)];
  const names = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => source(join(path, name)));
}
