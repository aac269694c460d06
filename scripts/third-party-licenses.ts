/**
 * Writes the licences of every package that tsup built into `dist` to THIRD-PARTY-LICENSES.txt, and removes the
 * metafiles.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const metafiles = globSync("dist/{,cli/}metafile-*.json");
const inputs = metafiles.flatMap((file) => Object.keys(JSON.parse(readFileSync(file, "utf8")).inputs));
/** A package whose types are built in. The metafiles do not list types. */
const typesOnly = ["node_modules/@standard-schema/spec"];
const folders = new Set(
  [...typesOnly, ...inputs].flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
);

const texts = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync(join(folder, "{LICENSE,LICENCE,license,licence}*"));
  if (file === undefined || !existsSync(file))
    throw new Error(`${name} has no licence file. Check that it may be built in.`);
  return `${name} ${version} (${license})\n\n${readFileSync(file, "utf8").trim()}\n`;
});

writeFileSync(
  "THIRD-PARTY-LICENSES.txt",
  `The files in dist/ contain these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`,
);
for (const file of metafiles) rmSync(file);
