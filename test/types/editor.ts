import { join } from "node:path";
import ts from "typescript";
import { root } from "../docs/blocks.ts";
import { compilerOptions } from "../docs/surface.ts";

const folder = join(root, "test/types/virtual");

/** Returns the path of a program that is open in an editor. */
export function fileOf(name: string): string {
  return join(folder, `${name}.ts`);
}

/** Opens an editor with these programs, by name, in a folder that is not on the disk, and returns its language service. */
export function openEditor(programs: Readonly<Record<string, string>>): ts.LanguageService {
  const options = compilerOptions();
  const texts = new Map(Object.entries(programs).map(([name, text]) => [fileOf(name), text]));
  const read = (path: string) => texts.get(path) ?? ts.sys.readFile(path);
  return ts.createLanguageService({
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const content = read(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => texts.has(path) || ts.sys.fileExists(path),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
}
