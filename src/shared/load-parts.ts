import { ConfigurationError } from "../errors/request.ts";

/**
 * Waits for parts of this package that are loaded later. A deployment may lack them, as after an update of the files
 * beneath a running process.
 *
 * @throws ConfigurationError if one cannot be loaded.
 */
export async function loadParts(...parts: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.all(parts);
  } catch (cause) {
    throw couldNotLoad("A part of this package", cause);
  }
}

/** Returns the error of a part that could not be loaded. */
export function couldNotLoad(part: string, cause: unknown): ConfigurationError {
  const message = `${part} could not be loaded. Nothing was sent. Restart the process, or install the package again.`;
  return new ConfigurationError(message, { cause });
}
