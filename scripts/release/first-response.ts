const print = `
  let text = "";
  for await (const part of api.ai.stream({ user: { text: "Plan a day in Pune" } }).textStream) text += part;
  console.log("streamed: " + text.replaceAll(/\\s+/g, " "));
`;
const client = `
  const api = new ServiceApi({
    baseUrl: "https://emulator.example",
    clientId: "any",
    clientSecret: "any",
    fetch: createEmulator().fetch,
  });
`;

/** A program that streams a response from the emulator in its process. */
export const inModules = `
  import { ServiceApi } from "serviceapi";
  import { createEmulator } from "serviceapi/emulator";
  ${client}${print}
`;

/** The same with `require`, which cannot wait at the top. */
export const inCommonJs = `(async () => {${inModules.replaceAll(/import (.*) from (.*);/g, "const $1 = require($2);")}})();`;

/** The same for a command line: without line breaks and double quotes, which shells read differently. */
export const inOneLine = inModules
  .replaceAll(/\s*\n\s*/g, " ")
  .replaceAll('"', "'")
  .trim();

/** A program that starts the command, reads the variables that it prints, and streams a response over HTTP. */
export const overHttp = `
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
`;
