/** The oldest Node that the package runs on, and two that are too old: they say so in one sentence. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

const command = "node_modules/serviceapi/dist/cli/main.js";
const binary = (name) => `node_modules/${name}/bin/node`;
const refusal = (version) => `serviceapi needs Node 22.12 or later; this is v${version}.`;

/** Runs Node, and returns how it ended. */
async function run(name, ...args) {
  const { code = 0, stdout, stderr } = await promisify(execFile)(binary(name), args).catch((error) => error);
  return { code, stdout: stdout.trim(), stderr: stderr.trim() };
}

/** All modules but those whose peer is not installed here. */
const entryPoints = Object.keys(JSON.parse(readFileSync("node_modules/serviceapi/package.json", "utf8")).exports)
  .filter((path) => !path.endsWith(".json") && path !== "./msw" && path !== "./opentelemetry")
  .map((path) => path.replace(".", "serviceapi"));
/** Loads each entry point, and prints how that ended. */
const programs = {
  module: `for (const name of ${JSON.stringify(entryPoints)}) {
    const text = await import(name).then(() => "loaded", (error) => error.name + " | " + error.message);
    console.log(text);
  }`,
  commonjs: `for (const name of ${JSON.stringify(entryPoints)}) {
    try { require(name); console.log("loaded"); } catch (error) { console.log(error.name, "|", error.message); }
  }`,
};

async function isRefused(name, version) {
  const ended = await run(name, command, "--version");
  assert.deepEqual(ended, { code: 1, stdout: "", stderr: refusal(version) });
  for (const [type, program] of Object.entries(programs)) {
    const { stdout } = await run(name, `--input-type=${type}`, "--eval", program);
    assert.deepEqual(
      stdout.split("\n"),
      entryPoints.map(() => `ConfigurationError | ${refusal(version)}`),
    );
  }
}

async function works(name) {
  const ended = await run(name, command, "--version");
  assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" });
  for (const [type, program] of Object.entries(programs)) {
    const { stdout, stderr } = await run(name, `--input-type=${type}`, "--eval", program);
    assert.deepEqual({ lines: stdout.split("\n"), stderr }, { lines: entryPoints.map(() => "loaded"), stderr: "" });
  }
  const journeys = await run(name, "--test", "journeys.test.mjs");
  assert.equal(journeys.code, 0, journeys.stdout);
}

const variants = [
  ["Node 18.20: refused", "node-18", (name) => isRefused(name, "18.20.8")],
  ["Node 20.11: refused", "node-20.11", (name) => isRefused(name, "20.11.1")],
  ["Node 22.12, the oldest that is supported", "node-22.12", works],
];
for (const [title, name, test] of variants) {
  if (existsSync(binary(name))) await variant(title, () => test(name));
  else console.log(JSON.stringify({ variant: title, result: "skipped", output: "installed for Linux x64 alone" }));
}
