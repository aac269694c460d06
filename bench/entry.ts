/** Entry points of the built package that not every build has. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether the built package has an entry point, such as `serviceapi/core`. */
export function hasEntry(name: string): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false;
  }
}

/** Imports an entry point, or returns undefined if the built package has none of this name. */
export async function importEntry<Module>(name: string): Promise<Module | undefined> {
  return hasEntry(name) ? ((await import(name)) as Module) : undefined;
}
