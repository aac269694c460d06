/**
 * Weighs the library: how much of it runs in each call, how much there is of it, and how large it is in a bundle. Prints
 * one table, and fails if something is heavier than its budget, or so much lighter that the budget should be lowered.
 * Needs a build.
 *
 *   npm run weight
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { bundle, gzippedKilobytes, inOneFile } from "../../scripts/bundle.ts";
import { budgets, type Program, programs } from "./budgets.ts";
import type { Journey } from "./journey.ts";

type Weight = readonly [name: string, now: number];

/** The share of its budget below which a weight asks for a lower one. */
const loose = 0.97;

const weights = new Map<string, number>([
  ...journeys(),
  ...rooms(),
  ...(await Promise.all(programs.map(bundles))).flat(),
  ...surface(),
]);
const rows = [...weights].map(([name, now]) => {
  const [before, budget, goal] = budgets[name] ?? [Number.NaN, Number.NaN, Number.NaN];
  return { name, before, now, budget, goal };
});
const columns = ["before", "now", "budget", "goal"] as const;
const width = Math.max(...rows.map(({ name }) => name.length));
console.log(["".padEnd(width), ...columns.map((column) => column.padStart(8))].join(""));
for (const row of rows)
  console.log([row.name.padEnd(width), ...columns.map((column) => String(row[column]).padStart(8))].join(""));

const complaints = [
  ...rows.flatMap(({ name, now, budget }) => {
    if (Number.isNaN(budget)) return [`${name} has no budget.`];
    if (now > budget) return [`${name} weighs ${now}; its budget is ${budget}.`];
    return now < budget * loose ? [`${name} weighs only ${now}: lower its budget of ${budget}.`] : [];
  }),
  ...Object.keys(budgets).flatMap((name) => (weights.has(name) ? [] : [`${name} is not weighed any more.`])),
];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) {
  console.error("Budgets are in test/weight/budgets.ts.");
  process.exitCode = 1;
}

/** The files and functions of `src` that run in each call, without the functions that tsx adds to keep names. */
function journeys(): readonly Weight[] {
  const out = execFileSync(process.execPath, ["test/weight/journey.ts"], { encoding: "utf8" });
  const counted: Readonly<Record<string, Journey>> = JSON.parse(out);
  return Object.entries(counted).flatMap(([name, { files, functions }]): Weight[] => [
    [`${name}: files`, files],
    [`${name}: functions`, functions],
  ]);
}

/** The files of `src`, and the lines in each of its folders. */
function rooms(): readonly Weight[] {
  const lines = new Map<string, number>();
  const files = globSync("src/**/*.{ts,tsx}");
  for (const file of files) {
    const [, folder = "", inner] = file.split("/");
    const room = inner === undefined ? "root" : folder;
    lines.set(room, (lines.get(room) ?? 0) + readFileSync(file, "utf8").split("\n").length - 1);
  }
  return [
    ["src: files", files.length],
    ["src: lines", [...lines.values()].reduce((sum, count) => sum + count, 0)],
    ...[...lines].sort().map(([room, count]): Weight => [`src, ${room}: lines`, count]),
  ];
}

async function bundles({ name, code, without = [] }: Program): Promise<readonly Weight[]> {
  const { start, later } = await bundle(code);
  const stowaways = without.filter((word) => start.some(({ text }) => text.includes(word)));
  if (stowaways.length > 0) throw new Error(`The bundle of ${name} holds ${stowaways.join(" and ")}.`);
  const eager: Weight = [`${name}: kB gzipped`, gzippedKilobytes(start)];
  return later.length === 0 ? [eager] : [eager, [`${name} in one file: kB`, gzippedKilobytes(await inOneFile(code))]];
}

/** The published parts: entry points, names, options, the tarball and the guides. */
function surface(): readonly Weight[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const pages = globSync("etc/api/*.md").map((file) => readFileSync(file, "utf8"));
  const names = new Set(
    pages.flatMap(
      (page) => page.match(/(?<=^export (?:abstract )?(?:class|interface|type|function|const) )\w+/gm) ?? [],
    ),
  );
  const options = pages.flatMap(
    (page) =>
      page.match(/(?<=^(?:(?:export )?interface|type) )\w+Options\b[^;{]*\{\n[\s\S]*?\n(?:\}| {2}\};\n\n)/gm) ?? [],
  );
  const count = (declarations: readonly string[]) =>
    declarations.join("\n").match(/^ +(?:readonly )?\w+\??[:(]/gm)?.length ?? 0;
  const [{ size }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      encoding: "utf8",
      shell: process.platform === "win32",
    }),
  );
  const guides = ["README.md", ...globSync("docs/**/*.md")].map((file) => readFileSync(file, "utf8"));
  return [
    ["entry points", Object.keys(exports).filter((path) => !path.endsWith(".json")).length],
    ["exported names", names.size],
    ["options", count(options)],
    ["options of a client", count(options.filter((declaration) => declaration.startsWith("ClientOptions ")))],
    ["tarball: KiB", Math.round(size / 1024)],
    ["guides: words", guides.reduce((sum, guide) => sum + guide.split(/\s+/).filter(Boolean).length, 0)],
  ];
}
