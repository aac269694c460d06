import { ConfigurationError } from "../../errors/request.ts";
import type { HeaderSource } from "../types.ts";

/**
 * Returns a reader of headers by lower-case name, for all three forms of a {@link HeaderSource}. Values that came several
 * times are joined by `, `.
 *
 * @throws ConfigurationError for a list that is not flat.
 */
export function headerReader(source: HeaderSource): (name: string) => string | undefined {
  if (Array.isArray(source) && !source.every((part) => typeof part === "string")) {
    throw new ConfigurationError(
      "Webhooks: a list of headers must be flat, as `rawHeaders` of Node: name, value, name, value.",
    );
  }
  if (isHeaders(source)) return (name) => source.get(name) ?? undefined;
  if (isFlatList(source)) return (name) => readFlatList(source, name);
  return (name) => readRecord(source, name);
}

function isHeaders(source: HeaderSource): source is Headers {
  return "get" in source && typeof source.get === "function";
}

function isFlatList(source: HeaderSource): source is readonly string[] {
  return Array.isArray(source);
}

/** Node's `rawHeaders`: name, value, name, value. */
function readFlatList(list: readonly string[], name: string): string | undefined {
  return join(list.filter((_, i) => i % 2 === 1 && list[i - 1]?.toLowerCase() === name));
}

function readRecord(
  record: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | undefined {
  // A header that came twice in different letters must not count as one.
  const found = Object.keys(record).filter((key) => key.toLowerCase() === name);
  return join(found.flatMap((key) => record[key] ?? []));
}

function join(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(", ");
}
