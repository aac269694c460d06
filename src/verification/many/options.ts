import { checkOptions, type RequestOptions, requestRules } from "../../options.ts";
import {
  anyOf,
  anything,
  func,
  type Given,
  integer,
  milliseconds,
  number,
  oneOf,
  type Rules,
  readOptions,
  signal,
} from "../../shared/options.ts";
import type { FindManyOptions } from "./types.ts";

/** Four times as many inputs are held, and each request may have its own connection. */
const maxConcurrency = 1_000;

const rules: Rules<FindManyOptions> = {
  // The client has the rules for these.
  ...{ timeout: anything, maxRetries: anything, headers: anything, validation: anything },
  signal,
  consent: (value) =>
    value === "Y" ? undefined : 'must be "Y", given by the account holders; it is never filled in for you',
  concurrency: integer(1, maxConcurrency),
  perSecond: number(0.01),
  order: oneOf("input", "completed"),
  startAt: integer(0),
  dedupeWindow: anyOf("must be an integer of at least 1, or `false` to look up each input", integer(1), oneOf(false)),
  pendingRetries: integer(0),
  pendingDelay: milliseconds(),
  drainSignal: signal,
  total: integer(0),
  onProgress: func,
};

const manyDefaults = {
  concurrency: 4,
  perSecond: 5,
  order: "input" as "input" | "completed",
  startAt: 0,
  dedupeWindow: 10_000 as number | false,
  pendingRetries: 0,
  pendingDelay: 10_000,
};

/** Options that were read, with the defaults of those that were omitted. */
export type Settings = Omit<Given<FindManyOptions>, keyof typeof manyDefaults> &
  typeof manyDefaults & {
    /** The options of each call. The client does not retry it: `look-up.ts` does. */
    readonly call: RequestOptions;
  };

/**
 * Checks the options and returns a copy of them, with defaults.
 *
 * @throws ConfigurationError for an unknown name or an invalid value.
 */
export function readManyOptions(options: FindManyOptions): Settings {
  const given = readOptions<FindManyOptions>("findMany", options, rules);
  const { timeout, maxRetries, headers, validation } = given;
  const call = checkOptions("findMany", { timeout, maxRetries, headers, validation }, requestRules);
  return { ...manyDefaults, ...given, call: { ...call, maxRetries: 0 } };
}
