import { ConfigurationError } from "../errors/request.ts";
import { WebhookAuthError } from "../errors/webhook.ts";
import { checkedClock } from "../shared/clock.ts";
import {
  anyOf,
  func,
  integer,
  listOf,
  objectWith,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
} from "../shared/options.ts";
import type { WebhookCheck } from "./auth/check.ts";
import type { ReceiverOptions, WebhookHandlers, WebhookHooks, WebhooksOptions } from "./types.ts";

/** The options that have no default: hooks, and what `parse` and `acknowledge` do not need. */
type NoDefault = keyof WebhookHooks | "auth" | "findOrder" | "store";

/** The options with their defaults filled in. */
export type Settings = {
  readonly [Name in Exclude<keyof WebhooksOptions, NoDefault>]-?: NonNullable<WebhooksOptions[Name]>;
} & Pick<WebhooksOptions, NoDefault>;

export type ReceiverSettings = Settings & ReceiverOptions;
export type HandlerSettings = ReceiverSettings & { readonly auth: Auth };

/** The checks of `auth`, once it is set. */
export type Auth = readonly WebhookCheck[] | "none";

const checks = listOf(objectWith("check"));
const advice = 'set `auth` to a list of checks, such as [hmac({ header, secrets })], or explicitly to "none"';

/** A rule for `auth`: `"none"`, or a list of checks of which at least one proves who sent a delivery. */
const authRule: Rule = (value, name) => {
  if (value === "none") return undefined;
  const complaint = checks(value, name);
  if (complaint !== undefined) return `${complaint}; ${advice}`;
  return Array.isArray(value) && value.every((check) => check.provesNoSender === true)
    ? "needs a check that proves who sent a delivery, such as basic() or ipAllowList(), beside freshness()"
    : undefined;
};

/** The defaults. Durations are milliseconds. */
const defaults = {
  requiredFields: "essential",
  redeliverBy: "failed",
  /** The seven seconds of §6.3, less what the network may take. */
  ackTimeout: 5_500,
  /** §8 allows 10 seconds. */
  workTimeout: 10_000,
  /** Longer than the work, shorter than the service's pause before a redelivery (§6.4). */
  claimLease: 12_000,
  maxBodyBytes: 65_536,
  bodyTimeout: 2_000,
} as const satisfies Partial<Settings>;

/** §6.3: a response after seven seconds is a delayed one. */
export const maxAckTimeout = 7_000;
/** The longest that work may take, or a claim may be held: an hour. */
const maxWorkTimeout = 3_600_000;

const hooks: Rules<WebhookHooks> = {
  onUnknown: func,
  onConflict: func,
  onFailure: func,
  onAccepted: func,
};
const handlerRules: Rules<WebhookHandlers> = {
  SUCCESS: func,
  FAILED: func,
  REJECTED: func,
  DUPLICATE: func,
  ...hooks,
};
const rules: Rules<WebhooksOptions> = {
  // These three are required by the methods that need them: `parse` and `acknowledge` work without.
  auth: authRule,
  findOrder: anyOf('must be a function or "none"', func, oneOf("none")),
  store: objectWith("claim", "complete", "release", "recordConflict", "find", "forget"),
  requiredFields: oneOf("essential", "all"),
  redeliverBy: oneOf("failed", "http500"),
  ackTimeout: integer(1, maxAckTimeout),
  workTimeout: integer(1, maxWorkTimeout),
  claimLease: integer(1, maxWorkTimeout),
  maxBodyBytes: integer(1, 16_777_216),
  bodyTimeout: integer(1, maxAckTimeout),
  now: func,
  ...hooks,
};

/**
 * Returns the options with their defaults.
 *
 * @throws ConfigurationError for an unknown name or an invalid value.
 */
export function resolveOptions(given: WebhooksOptions): Settings {
  const options = readOptions<WebhooksOptions>("Webhooks", given, rules);
  const { claimLease = defaults.claimLease } = options;
  // Without a prototype, and with copies of lists: what was checked is what runs.
  const settings: Settings = Object.assign(Object.create(null), {
    ...defaults,
    // With a short lease, work stops before the lease has run out.
    workTimeout: Math.ceil(Math.min(defaults.workTimeout, (claimLease * 5) / 6)),
    ...options,
    auth: Array.isArray(options.auth) ? [...options.auth] : options.auth,
    now: checkedClock("Webhooks", options.now),
  } satisfies Settings);
  if (settings.workTimeout > settings.claimLease) {
    throw new ConfigurationError(
      "Webhooks: `claimLease` must be at least `workTimeout`, or two handlers may run for one event.",
    );
  }
  return settings;
}

/** There is no default for any of them (docs/assumptions.md, W2, W11, W18): a store in memory would pay twice in two processes. */
const missing = {
  auth: () => new WebhookAuthError({ reason: "notConfigured", message: `Webhooks: ${advice}.` }),
  findOrder: () =>
    new ConfigurationError(
      'Webhooks: set `findOrder` to a function that returns the amount ordered under a reference, or explicitly to "none".',
    ),
  store: () =>
    new ConfigurationError("Webhooks: set `store` to redisStore, postgresStore or, for one process, memoryStore()."),
};

/** Returns the settings, or refuses while one of these options is not set. */
export function requireOptions<Name extends keyof typeof missing>(settings: Settings, ...names: readonly Name[]) {
  for (const name of names) if (settings[name] === undefined) throw missing[name]();
  return settings as Settings & { readonly [Each in Name]: NonNullable<Settings[Each]> };
}

/** The statuses that end a payout: each needs a handler (docs/assumptions.md, W10). */
const needed = ["SUCCESS", "FAILED", "REJECTED"] as const;

/**
 * Returns the handlers, with the hooks of the options for those that they do not have.
 *
 * @param owner - Whose handlers they are, for the message.
 */
export function resolveHandlers(owner: string, handlers: unknown, settings: Settings): WebhookHandlers {
  const advice = " Handle a status that is not among them in `onUnknown`.";
  const { onUnknown, onConflict, onFailure, onAccepted } = settings;
  return Object.assign(Object.create(null), {
    ...{ onUnknown, onConflict, onFailure, onAccepted },
    ...readOptions<WebhookHandlers>(owner, handlers, handlerRules, needed, "handler", advice),
  } satisfies WebhookHandlers);
}
