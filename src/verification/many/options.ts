import { requestRules } from "../../check-options.ts";
import { ConfigurationError } from "../../errors/request.ts";
import {
  anyOf,
  func,
  type Given,
  integer,
  milliseconds,
  number,
  oneOf,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import type { FindManyInputs, FindManyOptions } from "./types.ts";

const { signal, timeout, maxRetries, headers, validation } = requestRules;

const rules: Rules<FindManyOptions> = {
  ...{ signal, timeout, maxRetries, headers, validation },
  consent: (value) =>
    value === "Y" ? undefined : 'must be "Y", given by the account holders; it is never filled in for you',
  concurrency: integer(1),
  perSecond: number(0.01),
  order: oneOf("input", "completed"),
  startAt: integer(0),
  dedupe: anyOf("must be an integer of at least 1, or `false` to look up each input", integer(1), oneOf(false)),
  pendingRetries: integer(0),
  pendingDelay: milliseconds(),
  total: integer(0),
  onProgress: func,
};

/** Options that were read, with the defaults of those that were omitted. */
export type Settings = Given<FindManyOptions> & typeof manyDefaults;

export const manyDefaults = {
  concurrency: 4,
  perSecond: 5,
  order: "input" as "input" | "completed",
  startAt: 0,
  dedupe: 10_000 as number | false,
  pendingRetries: 0,
  pendingDelay: 10_000,
};

/**
 * Checks the options and returns a copy of them, with defaults.
 *
 * @throws ConfigurationError for an unknown name or an invalid value.
 */
export function readManyOptions(options: FindManyOptions): Settings {
  return { ...manyDefaults, ...readOptions<FindManyOptions>("findMany", options, rules) };
}

/**
 * Refuses what cannot be iterated. One number is refused as well: its characters could be.
 *
 * @throws ConfigurationError if so.
 */
export function requireInputs(inputs: FindManyInputs<unknown>): void {
  const given: object = Object(inputs);
  if (typeof inputs !== "string" && (Symbol.iterator in given || Symbol.asyncIterator in given)) return;
  throw new ConfigurationError(
    "findMany: the second argument must be an iterable of mobile numbers, such as a list. For one number call findVpas().",
  );
}

/** The number of inputs, if they know it. */
export function countInputs(inputs: FindManyInputs<unknown>): number | undefined {
  const { length, size }: { length?: unknown; size?: unknown } = Object(inputs);
  return [length, size].find((count): count is number => Number.isInteger(count));
}
