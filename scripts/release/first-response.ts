const print = `
  let text = "";
  for await (const part of api.ai.stream({ user: { text: "Plan a day in Pune" } }).textStream) text += part;
  console.log("streamed: " + text.replaceAll(/\\s+/g, " "));
`;
const inModules = `
  import { ServiceApi } from "serviceapi";
  import { createEmulator } from "serviceapi/emulator";

  const api = new ServiceApi({
    baseUrl: "https://emulator.example",
    clientId: "any",
    clientSecret: "any",
    fetch: createEmulator().fetch,
  });
  ${print}
`;

/** The program for a command line: without line breaks and double quotes, which shells read differently. */
export const inOneLine = inModules
  .replaceAll(/\s*\n\s*/g, " ")
  .replaceAll('"', "'")
  .trim();

/** Programs that stream a first response, by the names of their files. */
export const programs = {
  /** From the emulator in its process. */
  "start.mjs": inModules,
  /** The same with `require`, which cannot wait at the top. */
  "start.cjs": `(async () => {${inModules.replaceAll(/import (.*) from (.*);/g, "const $1 = require($2);")}})();`,
  /** Over HTTP: it starts the command, and reads the variables that it prints. */
  "emulator.mjs": `
  import { spawn } from "node:child_process";
  import { ServiceApi } from "serviceapi";

  const command = process.platform === "win32" ? "node_modules\\\\.bin\\\\serviceapi.cmd" : "node_modules/.bin/serviceapi";
  const child = spawn(command, ["emulator", "--port", "0"], { shell: process.platform === "win32" });
  let output = "";
  const baseUrl = await new Promise((resolve, reject) => {
    child.on("close", () => reject(new Error(output)));
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => {
      output += data;
      const found = /SERVICEAPI_BASE_URL=(\\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
  });
  const api = new ServiceApi({ baseUrl, clientId: "any", clientSecret: "any" });
  ${print}
  child.kill();
`,
};
