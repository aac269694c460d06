import { InvalidArgumentError } from "commander";
import type { AreaName } from "../../area.ts";
import { ConfigurationError } from "../../errors/request.ts";

/** Collects the values of a flag that may be passed several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Reads a flag with a duration. */
export function readMilliseconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number of milliseconds.");
}

/**
 * Reads the pairs of `--path-prefix`. Their areas are checked where the prefixes are used.
 *
 * @throws ConfigurationError for one that is not `area=path`.
 */
export function readPrefixes(pairs: readonly string[]): Partial<Record<AreaName, string>> {
  const entries = pairs.map((pair) => {
    const [area, ...path] = pair.split("=");
    if (path.length === 0) throw new ConfigurationError("--path-prefix must be area=path, such as flights=v1/api.");
    return [area, path.join("=")];
  });
  return Object.fromEntries(entries);
}
