import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

/** Every file that a bundle of an entry point contains. */
async function contents(entry: string, external: string[] = []): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    external,
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}

const heavy = /htmlparser2|flights\/(?:checkout|passengers|fees|journal|rule-text|changes|itinerary)/;

describe("the cost of each entry point", () => {
  it("a user of `serviceapi` alone pays nothing for checkout, dates and HTML", async () => {
    const files = await contents("index.ts", ["node:*"]);
    expect(files.some((file) => file.includes("flights/operations.ts"))).toBe(true);
    expect(files.filter((file) => heavy.test(file))).toEqual([]);
  });

  it("`serviceapi/flights` needs neither Node nor an HTML parser, nor brings the transport along", async () => {
    const files = await contents("flights/index.ts");
    expect(
      files.filter((file) => /htmlparser2|journal\/(?:file|postgres)|ky\/|transport\/transport/.test(file)),
    ).toEqual([]);
  });

  it("`serviceapi/flights/rule-text` brings its parser and no more of the library than the check of its options", async () => {
    const files = await contents("flights/rule-text.ts");
    expect(files.some((file) => file.includes("htmlparser2"))).toBe(true);
    expect(files.filter((file) => file.startsWith("src/") && !/rule-text|src\/(?:errors|shared)\//.test(file))).toEqual(
      [],
    );
  });
});
