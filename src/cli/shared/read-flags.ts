import { type Command, InvalidArgumentError } from "commander";
import type { AreaName } from "../../area.ts";
import { ConfigurationError } from "../../errors/request.ts";

/** Collects the values of a flag that may be passed several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/**
 * Refuses flags that were passed although they do nothing.
 *
 * @param names - Their names as commander has them, such as `bookingId`.
 * @param where - Completes the sentence, such as `without --file`.
 * @throws ConfigurationError with the name of the first of them.
 */
export function refuseUnused(command: Command, names: readonly string[], where: string): void {
  const unused = command.options.find((option) => {
    const name = option.attributeName();
    return names.includes(name) && command.getOptionValueSource(name) === "cli";
  });
  if (unused !== undefined) throw new ConfigurationError(`${unused.long} has no effect ${where}.`);
}

/** Reads `--result`, the index of a result of a quote. */
export function readResultIndex(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer, counted from 0.");
}

/** Reads a flag with a port. */
export function readPort(text: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be an integer between 0 and 65535.");
}

/** Reads a flag with a web URL, which is returned unchanged. */
export function readUrl(text: string): string {
  if (/^https?:/i.test(text) && URL.canParse(text)) return refuseCredentials(text);
  throw new InvalidArgumentError("It must be an http or https URL, such as http://127.0.0.1:3000/hook.");
}

/** Returns a URL unchanged. One that holds a user name or a password is refused: command lines can be read by others. */
export function refuseCredentials(text: string): string {
  const { username, password } = URL.parse(text) ?? {};
  if (!username && !password) return text;
  throw new InvalidArgumentError("It must not contain a user name or a password.");
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

/** Reads a timeout. `0` is refused, as by the options: it would end every call at once. */
export function readTimeout(text: string): number {
  if (/^0*$/.test(text)) throw new InvalidArgumentError("It must be a number of milliseconds of at least 1.");
  return readMilliseconds(text);
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
