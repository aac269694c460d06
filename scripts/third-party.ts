/**
 * Lists the packages that tsup built into `dist`: their licences in THIRD-PARTY-LICENSES.txt, and a bill of materials
 * in sbom.json (CycloneDX), for scanners of advisories, which find no dependency in package.json. Removes the metafiles.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The used part of what `npm sbom` prints. */
interface Bom {
  readonly components: readonly { readonly "bom-ref": string; readonly name: string; readonly licenses: object[] }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
}

const metafiles = globSync("dist/{,cli/}metafile-*.json");
const inputs = metafiles.flatMap((file) => Object.keys(JSON.parse(readFileSync(file, "utf8")).inputs));
/** A package whose types are built in. The metafiles do not list types. */
const typesOnly = ["node_modules/@standard-schema/spec"];
const paths = [...typesOnly, ...inputs].flatMap(
  (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
);
/** One folder for each version of a package: npm may have installed it more than once. */
const folders = [...new Map([...new Set(paths)].sort().map((path) => [nameAndVersion(path), path])).values()];

/** Parts under another licence, by its SPDX ID, which the manifest and the licence file of their package leave out. */
const notices: Readonly<Record<string, { readonly licence: string; readonly text: string }>> = {
  tldts: {
    licence: "MPL-2.0",
    text:
      "It contains the Public Suffix List (https://publicsuffix.org/list/public_suffix_list.dat), which is subject to the\n" +
      "terms of the Mozilla Public License, v. 2.0 (https://mozilla.org/MPL/2.0/).",
  },
};

writeFileSync(
  "THIRD-PARTY-LICENSES.txt",
  `The files in dist/ contain these packages.\n\n${folders.map(licenceText).join(`\n${"-".repeat(80)}\n\n`)}`,
);
writeFileSync("sbom.json", `${billOfMaterials()}\n`);
for (const file of metafiles) rmSync(file);

function licenceText(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  const [file] = globSync(join(folder, "{LICENSE,LICENCE,license,licence}*"));
  if (file === undefined) throw new Error(`${name} has no licence file. Check that it may be built in.`);
  const notice = notices[name];
  const texts = [
    `${name} ${version} (${license})`,
    readFileSync(file, "utf8").trim(),
    ...(notice ? [notice.text] : []),
  ];
  return `${texts.join("\n\n")}\n`;
}

/** Of npm's bill of materials what is built in. Without time and serial number it is the same for the same packages. */
function billOfMaterials(): string {
  const args = ["sbom", "--sbom-format=cyclonedx"];
  const shell = process.platform === "win32";
  const all: Bom = JSON.parse(execFileSync("npm", args, { encoding: "utf8", maxBuffer: 2 ** 26, shell }));
  const builtIn = new Set(folders.map(nameAndVersion));
  const own = { ...all.metadata.component, name: manifestOf(".").name };
  const components = all.components
    .filter((component) => builtIn.has(component["bom-ref"]))
    .map(({ licenses, ...component }) => {
      const licence = notices[component.name]?.licence;
      const more = licence === undefined ? [] : [{ license: { id: licence } }];
      // To npm it is for development, but whoever installs this package runs it.
      return { ...component, properties: [], licenses: [...licenses, ...more] };
    });
  const dependencies = all.dependencies
    .filter(({ ref }) => builtIn.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => builtIn.has(other)) }));
  const bom = {
    ...{ ...all, serialNumber: undefined, metadata: { component: own }, components },
    dependencies: [{ ref: own["bom-ref"], dependsOn: [...builtIn] }, ...dependencies],
  };
  return JSON.stringify(bom, undefined, 2);
}

function nameAndVersion(folder: string): string {
  const { name, version } = manifestOf(folder);
  return `${name}@${version}`;
}

function manifestOf(folder: string): Readonly<Record<"name" | "version" | "license", string>> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
