import { ConfigurationError } from "../errors/request.ts";
import { checkedClock } from "../shared/clock.ts";
import {
  anyOf,
  func,
  integer,
  listOf,
  nonEmptyString,
  objectWith,
  oneOf,
  type Rules,
  readOptions,
} from "../shared/options.ts";
import { authRule } from "./authenticate.ts";
import { memoryStore } from "./stores/memory.ts";
import type { WebhookHandlers, WebhookHooks, WebhooksOptions } from "./types.ts";

/** The options with every default filled in. */
export type Settings = {
  readonly [Name in Exclude<keyof WebhooksOptions, keyof WebhookHooks | "auth" | "expectedPayout">]-?: NonNullable<
    WebhooksOptions[Name]
  >;
} & Pick<WebhooksOptions, keyof WebhookHooks | "auth" | "expectedPayout">;

const hooks: Rules<WebhookHooks> = {
  onUnknown: func,
  onConflict: func,
  onRefused: func,
  onError: func,
  onLateError: func,
};
const handlerRules: Rules<WebhookHandlers> = {
  SUCCESS: func,
  FAILED: func,
  REJECTED: func,
  DUPLICATE: func,
  ...hooks,
};
const rules: Rules<WebhooksOptions> = {
  // These two are asked for where they are needed: `parse` and `acknowledge` work without them.
  auth: authRule,
  expectedPayout: anyOf('must be a function or "none"', func, oneOf("none")),
  store: objectWith("claim", "complete", "release", "recordConflict", "find", "forget"),
  requiredFields: oneOf("essential", "all"),
  redeliverBy: oneOf("failed", "http500", "noAnswer"),
  /** §6.3: an answer after seven seconds is a late one. */
  ackDeadline: integer(1, 7_000),
  workDeadline: integer(1, 3_600_000),
  claimLease: integer(1, 3_600_000),
  maxBodyBytes: integer(1, 16_777_216),
  bodyTimeout: integer(1, 7_000),
  trustedProxies: listOf(nonEmptyString, 0),
  refusalStatus: integer(200, 599),
  now: func,
  ...hooks,
};

/** Refuses unknown names and impossible values, and fills in the defaults. */
export function resolveOptions(given: WebhooksOptions): Settings {
  const options = readOptions<WebhooksOptions>("Webhooks", given, rules);
  const claimLease = options.claimLease ?? 12_000;
  const settings = {
    expectedPayout: undefined,
    ...options,
    // A copy: what was checked is what runs.
    auth: Array.isArray(options.auth) ? [...options.auth] : options.auth,
    store: options.store ?? memoryStore(),
    requiredFields: options.requiredFields ?? "essential",
    redeliverBy: options.redeliverBy ?? "failed",
    ackDeadline: options.ackDeadline ?? 5_500,
    workDeadline: options.workDeadline ?? Math.ceil(Math.min(10_000, (claimLease * 5) / 6)),
    claimLease,
    maxBodyBytes: options.maxBodyBytes ?? 65_536,
    bodyTimeout: options.bodyTimeout ?? 2_000,
    trustedProxies: options.trustedProxies ?? [],
    refusalStatus: options.refusalStatus ?? 200,
    now: checkedClock("Webhooks", options.now),
  };
  if (settings.workDeadline > settings.claimLease) {
    throw new ConfigurationError(
      "Webhooks: `claimLease` must be at least `workDeadline`, or two may work on one event.",
    );
  }
  return settings;
}

/** The statuses that end a payout: each needs a handler (docs/assumptions.md, W10). */
const needed = ["SUCCESS", "FAILED", "REJECTED"] as const;

/**
 * Returns the handlers, with the hooks of the options for those that they do not have.
 *
 * @param owner - Whose handlers they are, for the message.
 */
export function resolveHandlers(owner: string, handlers: unknown, settings: Settings): WebhookHandlers {
  const { onUnknown, onConflict, onRefused, onError, onLateError } = settings;
  return {
    ...{ onUnknown, onConflict, onRefused, onError, onLateError },
    ...readOptions<WebhookHandlers>(owner, handlers, handlerRules, needed, "handler"),
  };
}
