// The API reference: `npm run docs` writes it to reports/api. A warning, such as a link that leads nowhere, is an error.
import { readFileSync } from "node:fs";

const { paths } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8")).compilerOptions;

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "serviceapi",
  entryPoints: Object.values(paths).map(([file]) => file),
  tsconfig: "tsconfig.json",
  skipErrorChecking: true, // `npm run types` reports them
  plugin: ["typedoc-plugin-markdown", "typedoc-plugin-missing-exports", "./scripts/typedoc-plugin.mjs"],
  outputs: [
    { name: "html", path: "reports/api/html" },
    { name: "markdown", path: "reports/api/markdown" },
  ],
  readme: "README.md",
  projectDocuments: ["docs/*.md"],
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  internalModule: "internal types",
  collapseInternalModule: true,
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  validation: {
    invalidLink: true,
    notExported: true,
    invalidPath: true,
    rewrittenLink: true,
    unusedMergeModuleWith: true,
  },
};
