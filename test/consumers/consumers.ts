import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** This folder. */
export const here = fileURLToPath(new URL("./", import.meta.url));

/** A project that uses the package, as its package.json describes it. */
export interface Consumer {
  /** Name of the folder. */
  readonly name: string;
  readonly title: string;
  /** Whether it takes too long for each change: left out unless `--heavy`, `--all` or its name is given. */
  readonly heavy: boolean;
}

/** All folders that have a package.json. */
export function allConsumers(): readonly Consumer[] {
  return readdirSync(here)
    .filter((name) => existsSync(join(here, name, "package.json")))
    .map(readConsumer);
}

/** A range would test another version tomorrow, and a missing title leaves a row of the table without a name. */
function readConsumer(name: string): Consumer {
  const file = join(here, name, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as {
    private?: unknown;
    scripts?: Record<string, string>;
    consumer?: { title?: unknown; heavy?: unknown };
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const { title, heavy = false } = manifest.consumer ?? {};
  const inexact = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^(?:npm:@?[^@]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
  );
  const problems = [
    manifest.private === true ? [] : ['"private": true is missing'],
    manifest.scripts?.test === undefined ? ["scripts.test is missing"] : [],
    typeof title === "string" && title !== "" ? [] : ["consumer.title is missing"],
    typeof heavy === "boolean" ? [] : ["consumer.heavy is not a boolean"],
    inexact.map(([dependency, version]) => `${dependency} "${version}" is not an exact version`),
  ].flat();
  if (problems.length > 0) throw new Error(`${file}: ${problems.join("; ")}`);
  return { name, title: String(title), heavy: heavy === true };
}
