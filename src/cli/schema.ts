import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { action, helpText } from "./shared/command.ts";
import { printJson } from "./shared/print.ts";

const examples = `
  $ npx serviceapi schema > openapi.json
  $ npx serviceapi schema | npx openapi-typescript --output service.d.ts
`;

/** `serviceapi schema`: the service as an OpenAPI document, which is also `openapi.json` in the package. */
export function registerSchemaCommand(program: Command): void {
  program
    .command("schema")
    .description("print the service as an OpenAPI 3.1 document, for other languages, mocks and API clients")
    .addHelpText("after", helpText(examples))
    .action(action(run));
}

async function run(): Promise<undefined> {
  printJson(JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")));
}
