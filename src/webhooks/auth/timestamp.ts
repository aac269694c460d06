import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { number, oneOf, type Rule, type Rules } from "../../shared/options.ts";

/** The unit of a Unix timestamp. */
export type TimestampUnit = "seconds" | "milliseconds";

/** Format of a timestamp: a Unix timestamp, RFC 3339 with an offset, or a wall-clock time. */
export type TimestampFormat = "unix" | "iso" | "YYYY-MM-DD HH:mm:ss";

/** Options for timestamps: their format, and how old they may be. */
export interface TimestampOptions {
  /** The format of the timestamp. @default "unix" */
  readonly timestampFormat?: TimestampFormat | undefined;
  /** The unit of a Unix timestamp. @default "seconds" */
  readonly timestampUnit?: TimestampUnit | undefined;
  /** The UTC offset of a wall-clock time (`YYYY-MM-DD HH:mm:ss`), such as `+00:00`. @default "+05:30", Indian time */
  readonly timestampOffset?: string | undefined;
  /** Milliseconds by which the timestamp may differ from this clock, in both directions: a day at most. @default 300_000 */
  readonly tolerance?: number | undefined;
}

export const timestampRules: Rules<TimestampOptions> = {
  timestampFormat: oneOf("unix", "iso", "YYYY-MM-DD HH:mm:ss"),
  timestampUnit: oneOf("seconds", "milliseconds"),
  timestampOffset: utcOffset,
  tolerance: toleranceRule,
};

const day = 86_400_000;

/** A clock that is wrong by a time zone is still within a day; beyond it, a timestamp proves nothing. */
export function toleranceRule(value: unknown): ReturnType<Rule> {
  return number(0, day)(value, "") && `must be a number of milliseconds between 0 and ${day} (a day)`;
}

/** Reads and writes timestamps of one format. */
export interface TimestampScheme {
  /** Returns why a timestamp is too old. Throws a `WebhookAuthError` for one that is ahead, or invalid. */
  check(text: string, now: number): WebhookAuthError | undefined;
  write(now: number): string;
}

/** @throws ConfigurationError for options that have no effect together. */
export function timestampScheme(owner: string, options: TimestampOptions): TimestampScheme {
  const { timestampFormat = "unix", timestampUnit, timestampOffset, tolerance = 300_000 } = options;
  if (timestampUnit !== undefined && timestampFormat !== "unix") {
    throw new ConfigurationError(`${owner}: \`timestampUnit\` applies to \`timestampFormat: "unix"\` only.`);
  }
  if (timestampOffset !== undefined && timestampFormat !== "YYYY-MM-DD HH:mm:ss") {
    throw new ConfigurationError(
      `${owner}: \`timestampOffset\` applies to \`timestampFormat: "YYYY-MM-DD HH:mm:ss"\` only.`,
    );
  }
  const { must, read, write } = notations[timestampFormat](timestampUnit ?? "seconds", timestampOffset ?? "+05:30");
  return {
    write,
    check(text, now) {
      const time = read(text);
      if (time === undefined || Number.isNaN(time)) {
        throw new WebhookAuthError({ reason: "timestampInvalid", message: `The timestamp is not ${must}.` });
      }
      const difference = now - time;
      if (difference > tolerance) return outOfRange(difference, tolerance);
      // Negated, so that NaN is refused.
      if (!(difference >= -tolerance)) throw outOfRange(difference, tolerance);
      return undefined;
    },
  };
}

interface Notation {
  /** A description for messages. */
  readonly must: string;
  /** Milliseconds since 1970; undefined or NaN for anything else. */
  read(text: string): number | undefined;
  write(now: number): string;
}

const notations: Readonly<Record<TimestampFormat, (unit: TimestampUnit, offset: string) => Notation>> = {
  unix: (unit) => {
    const unitMs = unit === "seconds" ? 1_000 : 1;
    return {
      must: `a number of ${unit}`,
      // `parseInt` would read `1614265330abc`.
      read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) * unitMs : undefined),
      write: (now) => String(Math.floor(now / unitMs)),
    };
  },
  iso: () => ({
    must: "a time with an offset, such as 2026-11-20T06:00:00Z",
    read: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : undefined,
    write: (now) => new Date(now).toISOString(),
  }),
  "YYYY-MM-DD HH:mm:ss": (_, offset) => {
    const offsetMs = Date.parse("1970-01-01T00:00:00Z") - Date.parse(`1970-01-01T00:00:00${offset}`);
    return {
      must: "a time such as 2026-11-20 11:30:00",
      read: (text) =>
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(" ", "T")}${offset}`) : undefined,
      write: (now) => new Date(now + offsetMs).toISOString().slice(0, 19).replace("T", " "),
    };
  },
};

function outOfRange(difference: number, tolerance: number): WebhookAuthError {
  const [seconds, side] = [Math.round(Math.abs(difference) / 1_000), difference > 0 ? "old" : "ahead"];
  return new WebhookAuthError({
    reason: "timestampOutOfRange",
    message: `The timestamp is ${seconds} s ${side}; ${tolerance / 1_000} s are allowed. Check this machine's clock.`,
  });
}

function utcOffset(value: unknown): ReturnType<Rule> {
  return typeof value === "string" && /^[+-](?:0\d|1[0-4]):[0-5]\d$/.test(value)
    ? undefined
    : "must be a UTC offset such as +05:30";
}
