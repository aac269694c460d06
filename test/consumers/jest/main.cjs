const { execFile } = require("node:child_process");
const { promisify } = require("node:util");

const variants = [
  ["CommonJS", "commonjs.test.cjs", []],
  ["ES modules", "esm.test.mjs", ["--experimental-vm-modules"]],
  ["jsdom with the globals of Node (jest-fixed-jsdom), CommonJS", "commonjs.test.cjs", [], "jest-fixed-jsdom"],
  ["jsdom, CommonJS", "jsdom.test.cjs", [], "jsdom"],
];

(async () => {
  const { variant } = await import("./shared/variants.mjs");
  for (const [name, file, flags, environment = "node"] of variants) {
    const args = [...flags, "node_modules/jest/bin/jest.js", "--runTestsByPath", file, "--env", environment];
    await variant(name, () =>
      promisify(execFile)(process.execPath, args).catch(({ stdout, stderr }) => {
        throw `${stdout}${stderr}`;
      }),
    );
  }
})();
