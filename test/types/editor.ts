import { join } from "node:path";
import ts from "typescript";

/** The language service of an editor that has one file of the project open, which is not on the disk. */
export interface Editor {
  readonly file: string;
  readonly service: ts.LanguageService;
}

export function openEditor(text: string): Editor {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, process.cwd());
  const file = join(process.cwd(), "test/types/virtual.ts");
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
  return { file, service };
}
