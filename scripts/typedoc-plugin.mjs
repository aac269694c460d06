/**
 * A plugin of TypeDoc, for typedoc.config.mjs: names each module as it is imported, lets a link such as
 * `{@link ConfigurationError}` lead to that export from modules that do not import it, and knows the anchors of the guides.
 */
import { readFileSync } from "node:fs";
import { Converter, PageEvent, ReflectionKind } from "typedoc";

const { paths } = JSON.parse(readFileSync(new URL("../tsconfig.json", import.meta.url), "utf8")).compilerOptions;
const names = new Map(
  Object.entries(paths).map(([name, [file]]) => [file.replace(/^\.\/src\/|(?:\/index)?\.ts$/g, ""), name]),
);

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (reflection.kind === ReflectionKind.Module) reflection.name = names.get(reflection.name) ?? reflection.name;
  });
  app.converter.addUnknownSymbolResolver((reference, from) => {
    const name = reference.symbolReference?.path?.[0]?.path ?? reference.moduleSource;
    const target = exportsOf(from.project).find((found) => found.name === name);
    return target && { target };
  });
  app.renderer.on(PageEvent.BEGIN, ({ model }) => {
    if (model.kind !== ReflectionKind.Document) return;
    const text = model.content.map((part) => part.text).join("");
    // TypeDoc takes only headings for anchors.
    for (const [, id] of text.matchAll(/<a id="([^"]+)">/g)) app.renderer.router?.getSlugger(model).slug(id);
  });
}

/** @param {import("typedoc").ProjectReflection} project */
function exportsOf(project) {
  const modules = project.getReflectionsByKind(ReflectionKind.Module);
  return modules.filter(({ name }) => Object.hasOwn(paths, name)).flatMap(({ children = [] }) => children);
}
