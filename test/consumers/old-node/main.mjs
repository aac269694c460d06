/** The oldest Node that the package runs on, and two that are too old: they say so in one sentence. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
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

const construct = `
  for (const create of [() => new ServiceApi(), () => new Client(), () => new Webhooks(), () => createEmulator()]) {
    try { create(); console.log("created"); } catch (error) { console.log(error.name, "|", error.message); }
  }`;
const programs = {
  module: `import { ServiceApi } from "serviceapi";
    import { Client } from "serviceapi/core";
    import { createEmulator } from "serviceapi/emulator";
    import { Webhooks } from "serviceapi/webhooks";
    ${construct}`,
  commonjs: `const { ServiceApi } = require("serviceapi");
    const { Client } = require("serviceapi/core");
    const { createEmulator } = require("serviceapi/emulator");
    const { Webhooks } = require("serviceapi/webhooks");
    ${construct}`,
};

async function isRefused(name, version) {
  const ended = await run(name, command, "--version");
  assert.deepEqual(ended, { code: 1, stdout: "", stderr: refusal(version) });
  for (const [type, program] of Object.entries(programs)) {
    const { stdout } = await run(name, `--input-type=${type}`, "--eval", program);
    const line = `ConfigurationError | ${refusal(version)}`;
    assert.equal(stdout, [line, line, line, line].join("\n"));
  }
}

async function works(name) {
  const ended = await run(name, command, "--version");
  assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" });
  for (const [type, program] of Object.entries(programs)) {
    const { stdout, stderr } = await run(name, `--input-type=${type}`, "--eval", program);
    assert.deepEqual({ stdout, stderr }, { stdout: "created\ncreated\ncreated\ncreated", stderr: "" });
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
