/** Compiles program/ with several versions of TypeScript, with each kind of module resolution and several sets of types. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

const run = promisify(execFile);
const versions = [5.0, 5.4, 5.6, 5.9, 6.0, 7.0];
const { exports } = JSON.parse(readFileSync("node_modules/serviceapi/package.json", "utf8"));
const entries = Object.keys(exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(/^\./, "serviceapi"));

const everywhere = ["portable.ts"];
const onNode = ["portable.ts", "node.ts"];
/** Their types are made of those of Node and of peers, in which there is `any`; the programs hold what comes of it. */
const nodeEntries = ["serviceapi/node"];
const peerEntries = ["serviceapi/msw", "serviceapi/opentelemetry"];
const othersTypes = [...nodeEntries, ...peerEntries];

const bundler = { module: "esnext", moduleResolution: "bundler" };
/** What an application may have in its tsconfig.json: `from` and `below` are versions of TypeScript. */
const settings = [
  { name: "nodenext, ESM", type: "module", options: { module: "nodenext" }, files: onNode, without: peerEntries },
  {
    name: "nodenext, CommonJS",
    type: "commonjs",
    options: { module: "nodenext" },
    files: onNode,
    without: peerEntries,
  },
  { name: "node16, ESM", type: "module", options: { module: "node16" }, files: onNode, without: peerEntries },
  { name: "node16, CommonJS", type: "commonjs", options: { module: "node16" }, files: onNode, without: peerEntries },
  { name: "bundler", type: "module", options: bundler, files: onNode, without: peerEntries },
  {
    name: "node",
    type: "commonjs",
    options: { module: "commonjs", moduleResolution: "node" },
    files: onNode,
    without: peerEntries,
    // TypeScript 6 has deprecated it, and 7 has removed it.
    below: 6,
  },
  {
    name: "bundler, types of the DOM alone",
    type: "module",
    options: { ...bundler, lib: ["es2022", "dom", "dom.iterable"], types: [] },
    files: everywhere,
    without: othersTypes,
  },
  {
    name: "bundler, types of Workers alone",
    type: "module",
    options: { ...bundler, types: ["@cloudflare/workers-types"] },
    files: everywhere,
    without: othersTypes,
    // The types of Workers use `NoInfer` and buffers with a type parameter.
    from: 5.6,
  },
  {
    name: "nodenext, with msw",
    type: "module",
    // The declarations of msw 3.0.5 themselves do not compile beside those of Node 26.
    options: { module: "nodenext", lib: ["es2022", "dom"], skipLibCheck: true },
    files: ["msw.ts"],
    without: ["serviceapi/opentelemetry"],
    // msw asks for it.
    from: 5.9,
  },
];

function strictest(version, type) {
  return {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022"],
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    forceConsistentCasingInFileNames: true,
    isolatedModules: true,
    noFallthroughCasesInSwitch: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUncheckedIndexedAccess: true,
    // In a CommonJS file it asks for `import x = require()`, which erasableSyntaxOnly forbids.
    verbatimModuleSyntax: type === "module",
    ...(version >= 5.6 && { noUncheckedSideEffectImports: true }),
    ...(version >= 5.8 && { erasableSyntaxOnly: true }),
    // The types of newer versions of Node ask for TypeScript 5.6; those of Node 22 came with 22.12, the oldest one we run on.
    types: ["node"],
    ...(version < 5.6 && { typeRoots: ["../../older-types"] }),
  };
}

/** Imports every entry point, and holds all that it exports to contain no `any`. */
function everyEntry(names) {
  const imports = names.map((name, i) => `import * as entry${i} from "${name}";`);
  const checks = names.map((name, i) =>
    othersTypes.includes(name) ? `export { entry${i} };` : `sure<Same<AnyIn<typeof entry${i}>, never>>();`,
  );
  return [...imports, 'import { type AnyIn, type Same, sure } from "./any.js";', ...checks].join("\n");
}

async function compile(name, version, { type, options, files, without }) {
  const folder = join("variants", name.replace(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  cpSync("program", folder, { recursive: true });
  const imported = entries.filter((entry) => !without.includes(entry));
  writeFileSync(join(folder, "entries.ts"), everyEntry(imported));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  const compilerOptions = { ...strictest(version, type), ...options };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...files, "entries.ts"] }));
  const compiler = join("node_modules", `typescript-${version.toFixed(1)}`, "bin/tsc");
  await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch(({ stdout, stderr }) => {
    throw `${stdout}${stderr}`;
  });
}

mkdirSync("older-types");
symlinkSync("../node_modules/types-node-22", "older-types/node");
for (const version of versions) {
  for (const setting of settings.filter(({ from = 0, below = 9 }) => from <= version && version < below)) {
    const name = `${version.toFixed(1)}, ${setting.name}`;
    await variant(name, () => compile(name, version, setting));
  }
}
