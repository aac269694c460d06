/**
 * Names the repository in package.json (`repository`, `homepage`, `bugs` and, with `--funding`, `funding`), and lets the
 * links and pictures of README.md lead there, so that they work on npm too. Run it when there is a repository, or when
 * it has moved:
 *
 *   npm run release:fields -- https://github.com/acme/serviceapi [--funding https://github.com/sponsors/acme]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { manifestWith, readmeWith, repositoryUrl } from "./repository.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { funding: { type: "string" } } });
const home = repositoryUrl(positionals);
const funding = values.funding === undefined ? undefined : new URL(values.funding).href;

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const before = manifest.repository === undefined ? undefined : manifest.homepage.replace(/#readme$/, "");
writeFileSync("package.json", `${JSON.stringify(manifestWith(manifest, home, funding), undefined, 2)}\n`);
writeFileSync("README.md", readmeWith(readFileSync("README.md", "utf8"), home, before));
console.log(`package.json and README.md name ${home}. Check the difference, and commit it.`);
