import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("found/", import.meta.url);

/** An input that broke a property, as it is kept. */
export interface Found {
  /** The name of the property's file, without `.test.ts`. */
  readonly file: string;
  readonly property: string;
  /** The input as an expression of JavaScript, which keeps what JSON and node:v8 lose: null prototypes, -0, sparse lists. */
  readonly input: string;
}

/** Returns the inputs that broke a property. */
export function readFound(): readonly Found[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name): Found => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
}

/** Keeps an input, and returns the name of its file. */
export function writeFound(one: Found, to: URL = folder): string {
  const text = `${JSON.stringify(one, null, 2)}\n`;
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.json`;
  writeFileSync(new URL(name, to), text);
  return name;
}
