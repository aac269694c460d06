/**
 * Lists the packages that tsup built into `dist`: their licences in THIRD-PARTY-LICENSES.txt, and a bill of materials
 * in sbom.json (CycloneDX), for scanners of advisories, which find no dependency in package.json. Removes the metafiles.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { PackageURL } from "packageurl-js";

type Manifest = Contrib.FromNodePackageJson.Types.NodePackageJson & {
  readonly dependencies?: Readonly<Record<string, string>>;
};

const metafiles = globSync("dist/{,cli/}metafile-*.json");
const inputs = metafiles.flatMap((file) => Object.keys(JSON.parse(readFileSync(file, "utf8")).inputs));
/** A package whose types are built in. The metafiles do not list types. */
const typesOnly = ["node_modules/@standard-schema/spec"];
const paths = [...typesOnly, ...inputs].flatMap(
  (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
);
const { packages: locked } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const components = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory((expression) => {
    throw new Error(`"${expression}" is not the name of one licence. Check that the package may be built in.`);
  }),
);

/** Parts under another licence, by its SPDX ID, which the manifest and the licence file of their package leave out. */
const notices: Readonly<Record<string, { readonly licence: string; readonly text: string }>> = {
  tldts: {
    licence: "MPL-2.0",
    text:
      "It contains the Public Suffix List (https://publicsuffix.org/list/public_suffix_list.dat), which is subject to the\n" +
      "terms of the Mozilla Public License, v. 2.0 (https://mozilla.org/MPL/2.0/).",
  },
};

/** By name and version: npm may have installed a package more than once. */
const builtIn = new Map(
  [...new Set(paths)].sort().map((folder) => [nameAndVersion(folder), { folder, component: componentOf(folder) }]),
);

const licences = [...builtIn.values()].map(({ folder }) => licenceText(folder));
writeFileSync(
  "THIRD-PARTY-LICENSES.txt",
  `The files in dist/ contain these packages.\n\n${licences.join(`\n${"-".repeat(80)}\n\n`)}`,
);
writeFileSync("sbom.json", `${billOfMaterials()}\n`);
for (const file of metafiles) rmSync(file);

function licenceText(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  const [file] = globSync(join(folder, "{LICENSE,LICENCE,license,licence}*"));
  if (file === undefined) throw new Error(`${name} has no licence file. Check that it may be built in.`);
  const notice = notices[name ?? ""];
  const texts = [
    `${name} ${version} (${license})`,
    readFileSync(file, "utf8").trim(),
    ...(notice ? [notice.text] : []),
  ];
  return `${texts.join("\n\n")}\n`;
}

/** The same text for the same packages: without the time, and without a serial number. */
function billOfMaterials(): string {
  const bom = new Models.Bom();
  bom.metadata.component = componentOf(".");
  for (const { folder, component } of builtIn.values()) {
    bom.components.add(component);
    bom.metadata.component.dependencies.add(component.bomRef);
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const file = findPackageJSON(name, pathToFileURL(join(folder, "package.json")));
      const other = file && builtIn.get(nameAndVersion(dirname(file)));
      if (other) component.dependencies.add(other.component.bomRef);
    }
  }
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(normalizer).serialize(bom, { sortLists: true, space: 2 });
}

function componentOf(folder: string): Models.Component {
  const manifest = manifestOf(folder);
  const component = components.makeComponent(manifest, Enums.ComponentType.Library);
  if (component?.version === undefined) throw new Error(`${folder}/package.json has no name or no version.`);
  const { group, name, version } = component;
  component.purl = new PackageURL("npm", group, name, version, undefined, undefined).toString();
  component.bomRef.value = component.purl;
  const notice = notices[manifest.name ?? ""];
  if (notice !== undefined) component.licenses.add(new Models.SpdxLicense(notice.licence));
  const { integrity } = locked[folder] ?? {};
  if (integrity !== undefined) component.hashes.set(Enums.HashAlgorithm["SHA-512"], hexOf(integrity));
  return component;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

function nameAndVersion(folder: string): string {
  const { name, version } = manifestOf(folder);
  return `${name}@${version}`;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
