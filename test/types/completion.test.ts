/** What an editor offers: `npx tsc` cannot tell. */
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const { compilerOptions } = ts.parseJsonConfigFileContent(
  ts.readConfigFile("tsconfig.json", ts.sys.readFile).config,
  ts.sys,
  process.cwd(),
).raw as { compilerOptions: unknown };
const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, process.cwd());
const file = join(process.cwd(), "test/types/virtual.ts");

/** What an editor offers at the `|` of such a program. */
function completionsAt(program: string): readonly string[] {
  const text = program.replace("|", "");
  const read = (name: string) => (name === file ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = read(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => process.cwd(),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const found = service.getCompletionsAtPosition(file, program.indexOf("|"), {});
  return found?.entries.map(({ name }) => name) ?? [];
}

it.each([
  [
    "the name of an event",
    'import type { AiEvent } from "serviceapi"; export const is = (e: AiEvent) => e.event === "|";',
    ["response_initiated", "response_output", "response_completed"],
  ],
  [
    "the status of a notification",
    'import type { WebhookEvent } from "serviceapi/webhooks"; export const is = (e: WebhookEvent) => e.status === "|";',
    ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"],
  ],
])(
  "an editor offers the documented strings, and nothing else, for %s",
  (_name, program, documented) => {
    expect([...completionsAt(program)].sort()).toEqual([...documented].sort());
  },
  60_000,
);
