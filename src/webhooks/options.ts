import { ConfigurationError } from "../errors/request.ts";
import { refuseUnknownNames } from "../errors/unknown-names.ts";
import { memoryStore } from "./stores/memory.ts";
import type { WebhookHandlers, WebhookHooks, WebhooksOptions } from "./types.ts";

/** The options with every default filled in. */
export type Settings = {
  readonly [Name in Exclude<keyof WebhooksOptions, keyof WebhookHooks | "auth" | "expectedPayout">]-?: NonNullable<
    WebhooksOptions[Name]
  >;
} & Pick<WebhooksOptions, keyof WebhookHooks | "auth" | "expectedPayout">;

const hooks: Record<keyof WebhookHooks, true> = {
  onUnknown: true,
  onConflict: true,
  onRefused: true,
  onError: true,
  onLateError: true,
};
const knownHandlers: Record<keyof WebhookHandlers, true> = {
  SUCCESS: true,
  FAILED: true,
  REJECTED: true,
  DUPLICATE: true,
  ...hooks,
};
const knownOptions: Record<keyof WebhooksOptions, true> = {
  auth: true,
  store: true,
  expectedPayout: true,
  requiredFields: true,
  redeliverBy: true,
  ackDeadline: true,
  workDeadline: true,
  claimLease: true,
  maxBodyBytes: true,
  bodyTimeout: true,
  trustedProxies: true,
  refusalStatus: true,
  now: true,
  ...hooks,
};

/** [smallest, largest] of each number. */
const ranges = {
  /** §6.3: an answer after seven seconds is a late one. */
  ackDeadline: [1, 7_000],
  workDeadline: [1, 3_600_000],
  claimLease: [1, 3_600_000],
  maxBodyBytes: [1, 16_777_216],
  bodyTimeout: [1, 7_000],
  refusalStatus: [200, 599],
} as const;

const words = { requiredFields: ["essential", "all"], redeliverBy: ["failed", "http500", "noAnswer"] } as const;

/** Refuses unknown names and impossible values, and fills in the defaults. */
export function resolveOptions(options: WebhooksOptions): Settings {
  const claimLease = options.claimLease ?? 12_000;
  const settings = {
    ...options,
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
    now: options.now ?? Date.now,
  };
  check(settings);
  return settings;
}

function check(settings: Settings): void {
  refuseUnknownNames("Webhooks", "option", settings, Object.keys(knownOptions));
  for (const name of Object.keys(hooks) as (keyof WebhookHooks)[]) {
    if (!isFunctionOrAbsent(settings[name])) throw new ConfigurationError(`Webhooks: \`${name}\` must be a function.`);
  }
  for (const name of Object.keys(ranges) as (keyof typeof ranges)[]) {
    const [least, most] = ranges[name];
    if (!(Number.isInteger(settings[name]) && settings[name] >= least && settings[name] <= most)) {
      throw new ConfigurationError(`Webhooks: \`${name}\` must be a whole number from ${least} to ${most}.`);
    }
  }
  for (const name of Object.keys(words) as (keyof typeof words)[]) {
    if (!(words[name] as readonly string[]).includes(settings[name])) {
      throw new ConfigurationError(
        `Webhooks: \`${name}\` must be ${words[name].map((word) => `"${word}"`).join(" or ")}.`,
      );
    }
  }
  if (settings.workDeadline > settings.claimLease) {
    throw new ConfigurationError(
      "Webhooks: `claimLease` must be at least `workDeadline`, or two may work on one event.",
    );
  }
}

/**
 * The handlers with the hooks of the options where they have none of their own. `SUCCESS` and `FAILED` move money: a
 * handler for each is required, by type and here (policy 40).
 */
export function resolveHandlers(handlers: WebhookHandlers, settings: Settings): WebhookHandlers {
  if (typeof handlers !== "object" || handlers === null) {
    throw new ConfigurationError(
      "Webhooks: handler() must be given an object of functions, SUCCESS and FAILED at least.",
    );
  }
  refuseUnknownNames("Webhooks", "handler", handlers, Object.keys(knownHandlers));
  for (const name of Object.keys(knownHandlers) as (keyof WebhookHandlers)[]) {
    const isRequired = name === "SUCCESS" || name === "FAILED";
    if (isRequired ? typeof handlers[name] !== "function" : !isFunctionOrAbsent(handlers[name])) {
      throw new ConfigurationError(`Webhooks: handler({ ${name} }) must be a function.`);
    }
  }
  return {
    ...handlers,
    onUnknown: handlers.onUnknown ?? settings.onUnknown,
    onConflict: handlers.onConflict ?? settings.onConflict,
    onRefused: handlers.onRefused ?? settings.onRefused,
    onError: handlers.onError ?? settings.onError,
    onLateError: handlers.onLateError ?? settings.onLateError,
  };
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function";
}
