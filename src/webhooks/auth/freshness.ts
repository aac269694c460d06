import type { WebhookAuthError } from "../../errors/webhook.ts";
import { indianTime } from "../../shared/clock.ts";
import { isString } from "../../shared/json.ts";
import { headerName, number, oneOf, type Rules, readOptions } from "../../shared/options.ts";
import { isPrintable } from "../../shared/printable.ts";
import {
  authError,
  type CheckOutcome,
  type ReceivedDelivery,
  readHeader,
  type SigningMoment,
  type WebhookCheck,
} from "./check.ts";

/** Options for the time of sending and the nonce of a delivery. */
export interface FreshnessHeaders {
  /** The header with the time of sending. */
  readonly timestampHeader?: string | undefined;
  /**
   * The format of the timestamp: Unix time in seconds or milliseconds, RFC 3339 with an offset, or a wall-clock time in
   * India. @default "unix", in seconds
   */
  readonly timestampFormat?: "unix" | "milliseconds" | "iso" | "YYYY-MM-DD HH:mm:ss" | undefined;
  /** Milliseconds by which the timestamp may differ from this clock, in both directions: a day at most. @default 300_000 */
  readonly tolerance?: number | undefined;
  /** The header with a nonce that is accepted once (§5, for high-risk transactions). @default no nonce */
  readonly nonceHeader?: string | undefined;
}

/** Options of {@link freshness}. */
export interface FreshnessOptions extends FreshnessHeaders {
  readonly timestampHeader: string;
}

const day = 86_400_000;

export const freshnessRules: Rules<FreshnessHeaders> = {
  timestampHeader: headerName,
  timestampFormat: oneOf("unix", "milliseconds", "iso", "YYYY-MM-DD HH:mm:ss"),
  // A clock that is wrong by a time zone is still within a day; beyond it, a timestamp proves nothing.
  tolerance: (value) => number(0, day)(value, "") && `must be a number of milliseconds between 0 and ${day} (a day)`,
  nonceHeader: headerName,
};

/**
 * Returns a check that refuses a delivery whose timestamp is too old or in the future. Use it beside a check that
 * authenticates the sender: `basic`, `ipAllowList` or `custom` (§5). With a signature, use the `timestampHeader` of
 * `hmac` instead: there, the signature protects the timestamp.
 *
 * @param options - See {@link FreshnessOptions}.
 * @throws ConfigurationError for an unknown option or an invalid value. `new Webhooks` refuses it as the only check.
 *
 * @example
 * ```ts
 * import { basic, freshness, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({
 *   auth: [
 *     basic({ credentials: [{ username: "payouts", password: secret }] }),
 *     freshness({ timestampHeader: "x-sent-at", timestampFormat: "YYYY-MM-DD HH:mm:ss" }),
 *   ],
 * });
 * ```
 */
export function freshness(options: FreshnessOptions): WebhookCheck {
  const given = readOptions("freshness", options, freshnessRules, ["timestampHeader"]);
  return {
    name: "freshness",
    provesNoSender: true,
    check: (delivery) => checkFreshness(given, delivery),
    sign: async (_body, moment) => writeFreshness(given, moment),
  };
}

/** @throws WebhookAuthError for a header that is missing or invalid, and for a timestamp that is ahead. */
export function checkFreshness(options: FreshnessHeaders, delivery: ReceivedDelivery): CheckOutcome {
  const { timestampHeader, timestampFormat = "unix", tolerance = 300_000, nonceHeader } = options;
  let stale: WebhookAuthError | undefined;
  if (timestampHeader !== undefined) {
    const timestamp = readHeader(delivery, timestampHeader);
    if (timestamp === "") throw authError("timestampMissing", `The header "${timestampHeader}" is missing.`);
    const { must, pattern, read } = formats[timestampFormat];
    const age = delivery.now - (pattern.test(timestamp) ? read(timestamp) : Number.NaN);
    if (Number.isNaN(age)) throw authError("timestampInvalid", `The timestamp is not ${must}.`);
    if (Math.abs(age) > tolerance) {
      const difference = `${Math.round(Math.abs(age) / 1_000)} s ${age > 0 ? "old" : "ahead"}`;
      const message = `The timestamp is ${difference}; ${tolerance / 1_000} s are allowed. Check this machine's clock.`;
      stale = authError("timestampOutOfRange", message);
      if (age < 0) throw stale;
    }
  }
  const nonce = readHeader(delivery, nonceHeader);
  if (nonceHeader !== undefined && !isNonce(nonce)) {
    const must = `missing, has unprintable characters, or is longer than ${maxNonce} characters`;
    throw authError("nonceMissing", `The header "${nonceHeader}" is ${must}.`);
  }
  const given = nonceHeader === undefined ? undefined : { nonce };
  return stale === undefined ? given : { ...given, stale };
}

/** Returns the headers that {@link checkFreshness} accepts. */
export function writeFreshness(options: FreshnessHeaders, { now, id }: SigningMoment): Record<string, string> {
  const { timestampHeader, timestampFormat = "unix", nonceHeader } = options;
  return {
    ...(timestampHeader !== undefined && { [timestampHeader]: formats[timestampFormat].write(now) }),
    ...(nonceHeader !== undefined && { [nonceHeader]: id }),
  };
}

/** The longest nonce or identifier. */
export const maxNonce = 256;

export function isNonce(value: unknown): value is string {
  return isString(value) && value.length <= maxNonce && value.trim() !== "" && isPrintable(value);
}

interface Format {
  /** A description for messages. */
  readonly must: string;
  /** `parseInt` would read `1614265330abc`, and `Date.parse` almost anything. */
  readonly pattern: RegExp;
  /** Milliseconds since 1970. */
  read(text: string): number;
  write(now: number): string;
}

const digits = /^\d{1,15}$/;

const formats: Readonly<Record<NonNullable<FreshnessHeaders["timestampFormat"]>, Format>> = {
  unix: {
    must: "a number of seconds",
    pattern: digits,
    read: (text) => Number(text) * 1_000,
    write: (now) => String(Math.floor(now / 1_000)),
  },
  milliseconds: {
    must: "a number of milliseconds",
    pattern: digits,
    read: Number,
    write: (now) => String(Math.floor(now)),
  },
  iso: {
    must: "a time with an offset, such as 2026-11-20T06:00:00Z",
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
    read: Date.parse,
    write: (now) => new Date(now).toISOString(),
  },
  "YYYY-MM-DD HH:mm:ss": {
    must: "a time such as 2026-11-20 11:30:00",
    pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    read: (text) => Date.parse(`${text.replace(" ", "T")}+05:30`),
    write: indianTime,
  },
};
