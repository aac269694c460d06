import { join } from "node:path";
import ts from "typescript";
import { root } from "../docs/blocks.ts";
import { compilerOptions } from "../docs/surface.ts";

/** The language service of an editor that has one file of the project open, which is not on the disk. */
export interface Editor {
  readonly file: string;
  readonly service: ts.LanguageService;
}

export function openEditor(text: string): Editor {
  const options = compilerOptions();
  const file = join(root, "test/types/virtual.ts");
  const read = (name: string) => (name === file ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = read(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return { file, service };
}
