import { InvalidArgumentError } from "commander";
import type { AreaName } from "../../area.ts";
import { ConfigurationError } from "../../errors/request.ts";

/** Collects the values of a flag that may be passed several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Reads a flag with a port. */
export function readPort(text: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be an integer between 0 and 65535.");
}

/** Reads a flag with a web URL, which is returned unchanged. */
export function readUrl(text: string): string {
  if (/^https?:/i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be an http or https URL, such as http://127.0.0.1:3000/hook.");
}

/** Reads a flag with a time, as milliseconds since 1970. */
export function readTime(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError("It must be a time, such as 2026-11-20T06:00:00Z, or milliseconds since 1970.");
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
