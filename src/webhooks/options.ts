import { ConfigurationError } from "../errors/request.ts";
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
import { quoteNames, similarName } from "../shared/unknown-names.ts";
import { addressOrRange } from "./proxy-ranges.ts";
import { authRule } from "./receive/authenticate.ts";
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
/** A refusal is JSON: `new Response()` throws if a status cannot carry it. */
const statusWithBody: Rule = (value, name) => {
  const isPossible = integer(200, 599)(value, name) === undefined && !/^3|^20[45]$/.test(String(value));
  return isPossible
    ? undefined
    : "must be an HTTP status that carries a body, 2xx, 4xx or 5xx, and neither 204 nor 205";
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
  trustedProxies: listOf(addressOrRange, 0),
  refusalStatus: statusWithBody,
  now: func,
  ...hooks,
};

/** Refuses unknown names and impossible values, and fills in the defaults. */
export function resolveOptions(given: WebhooksOptions): Settings {
  const options = readOptions<WebhooksOptions>("Webhooks", given, rules);
  const claimLease = options.claimLease ?? 12_000;
  // Without a prototype, and with copies of lists: what was checked is what runs.
  const settings: Settings = Object.assign(Object.create(null), {
    expectedPayout: undefined,
    ...options,
    auth: Array.isArray(options.auth) ? [...options.auth] : options.auth,
    store: options.store ?? memoryStore(),
    requiredFields: options.requiredFields ?? "essential",
    redeliverBy: options.redeliverBy ?? "failed",
    ackDeadline: options.ackDeadline ?? 5_500,
    workDeadline: options.workDeadline ?? Math.ceil(Math.min(10_000, (claimLease * 5) / 6)),
    claimLease,
    maxBodyBytes: options.maxBodyBytes ?? 65_536,
    bodyTimeout: options.bodyTimeout ?? 2_000,
    trustedProxies: [...(options.trustedProxies ?? [])],
    refusalStatus: options.refusalStatus ?? 200,
    now: checkedClock("Webhooks", options.now),
  } satisfies Settings);
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
  refuseUnknownStatuses(owner, handlers);
  const { onUnknown, onConflict, onRefused, onError, onLateError } = settings;
  return Object.assign(Object.create(null), {
    ...{ onUnknown, onConflict, onRefused, onError, onLateError },
    ...readOptions<WebhookHandlers>(owner, handlers, handlerRules, needed, "handler"),
  } satisfies WebhookHandlers);
}

const handlerNames = Object.keys(handlerRules);

/** A name that looks like a status, and not like a misspelt one: its events go to `onUnknown`. */
function refuseUnknownStatuses(owner: string, handlers: unknown): void {
  const statuses = Object.keys(Object(handlers)).filter(
    (name) =>
      /^[A-Z][A-Z_]*$/.test(name) && !handlerNames.includes(name) && similarName(name, handlerNames) === undefined,
  );
  if (statuses.length === 0) return;
  throw new ConfigurationError(
    `${owner}: unknown handler ${quoteNames(statuses, (name) => JSON.stringify(name.slice(0, 40)))}. ` +
      `Known: ${handlerNames.join(", ")}. Handle a status that is not among them in \`onUnknown\`.`,
  );
}
