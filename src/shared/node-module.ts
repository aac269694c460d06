import { ConfigurationError } from "../errors/request.ts";

/**
 * Returns a Node module, if the runtime has it. It is loaded at run time, so that no bundle imports it and workerd
 * needs no compatibility flag. This does not throw, although reading `process.getBuiltinModule` does on Next.js's edge
 * runtime.
 *
 * @param name - Name of the module, such as `node:crypto`.
 */
export function nodeModule<Module>(name: string): Module | undefined {
  try {
    const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Module | undefined } };
    return process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}

/**
 * Returns a Node module that something cannot do without.
 *
 * @throws ConfigurationError if the runtime does not have it.
 */
export function requireNodeModule<Module>(name: string, user: string): Module {
  const module = nodeModule<Module>(name);
  if (module === undefined) throw new ConfigurationError(`${user} needs ${name}, which this runtime does not have.`);
  return module;
}
