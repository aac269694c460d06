/**
 * A Node module, if the runtime has it. Asked for at run time, so that no bundle imports it and workerd needs no
 * compatibility flag. Never throws: on Next.js's edge runtime the mere look at `process.getBuiltinModule` does.
 *
 * @param name - Such as `node:crypto`.
 */
export function nodeModule<Module>(name: string): Module | undefined {
  try {
    const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Module | undefined } };
    return process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}
