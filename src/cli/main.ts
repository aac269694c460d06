#!/usr/bin/env node
/** Imports nothing before the check: an older Node fails at the first import that it does not know. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 12)) {
  void import("./program.ts").then(({ runProgram }) => runProgram());
} else {
  console.error(`serviceapi needs Node 22.12 or later; this is ${process.version}.`);
  process.exitCode = 1;
}
