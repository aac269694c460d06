import { readFile } from "node:fs/promises";
import { declareCommand } from "./shared/command.ts";
import { printJson } from "./shared/print.ts";

export const addSchema = declareCommand("schema", {
  description: "print the service as an OpenAPI 3.1 document, for other languages, mocks and API clients",
  options: [],
  examples: `
  $ npx serviceapi schema > openapi.json
  $ npx serviceapi schema | npx openapi-typescript --output service.d.ts
`,
  async run() {
    printJson(JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")));
  },
});
