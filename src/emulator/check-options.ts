import { prefixesByArea } from "../area.ts";
import { ConfigurationError } from "../errors/request.ts";
import { isLoopbackHost } from "../shared/loopback.ts";
import {
  anyOf,
  boolean,
  func,
  group,
  integer,
  listOf,
  milliseconds,
  nonEmptyString,
  number,
  object,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
  string,
} from "../shared/options.ts";
import { framings } from "./ai/framing.ts";
import { quoteSamples, type SearchName } from "./catalogue/quotes.ts";
import { authRule } from "./deliveries/auth-rule.ts";
import type { FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";
import { defaultHost } from "./http/server.ts";
import type { ConsoleOptions, ListenOptions } from "./http/types.ts";
import type { EmulatorOptions } from "./options.ts";
import type { RuleOptions } from "./rules/types.ts";

const settingRules: Rules<Omit<WebhookSettings, "to">> = {
  auth: authRule,
  retrySchedule: listOf(milliseconds(), 0),
  ackTimeout: milliseconds(1),
  failedAcknowledgement: oneOf("retry", "final"),
  resign: boolean,
};
const target: Rule = (value) => {
  if (typeof value === "function" || isWebUrl(value)) return undefined;
  return isWebUrl(typeof value === "string" && value.trim())
    ? "must not have white space before or after the URL"
    : "must be an http or https URL, or a function that takes a Request";
};
const webhookRules: Rules<WebhookSettings> = { ...settingRules, to: target };
const emulatorRules: Rules<EmulatorOptions> = {
  now: time,
  pace: milliseconds(),
  framing: oneOf(...Object.keys(framings)),
  strict: boolean,
  sessionLifetime: milliseconds(),
  failureStatus: oneOf("asCode", 200),
  retryAfter: milliseconds(),
  pathPrefixes: prefixesByArea,
  webhook: group(webhookRules),
  onRequest: func,
};
const consoleRules: Rules<ConsoleOptions> = { allowNonLoopbackHost: boolean };
const listenRules: Rules<ListenOptions> = {
  port: integer(0, 65_535),
  host: nonEmptyString,
  allowedHosts: listOf(nonEmptyString, 0),
  console: (value, name) => (typeof value === "object" ? group(consoleRules)(value, name) : boolean(value, name)),
};
const times = anyOf("must be an integer of at least 1, or Infinity", integer(1), oneOf(Number.POSITIVE_INFINITY));
const ruleRules: Rules<RuleOptions> = { times, delay: milliseconds(), eventDelay: milliseconds() };
const payoutRules: Rules<PayoutRequest> = {
  // Negative amounts as well: how a receiver handles them is worth a test.
  amount: number(-Number.MAX_VALUE),
  outcome: string,
  client_referenceId: string,
  plan: string,
};
const fireRules: Rules<FireOptions> = { ackTimeout: milliseconds(1) };
const eventRules: Rules<{ event: object | string }> = {
  event: anyOf("must be an outcome or an object", string, object),
};
const searchRules: Rules<{ name: string }> = { name: oneOf(...Object.keys(quoteSamples)) };

/** The names of all options, for the flags of the command. */
export const optionNames = {
  emulator: Object.keys(emulatorRules),
  webhook: Object.keys(webhookRules),
  listen: Object.keys(listenRules),
};

/** Checks of the arguments of the emulator's functions. They return copies, or throw a `ConfigurationError`. */
export const checked = {
  options: (given: EmulatorOptions) => {
    const options = readOptions("createEmulator", given, emulatorRules);
    const { webhook } = options;
    return webhook === undefined ? options : { ...options, webhook: readOptions("webhook", webhook, webhookRules) };
  },
  listen: (given: ListenOptions): ListenOptions => {
    const { console = false, ...options } = readOptions("emulator.listen", given, listenRules);
    const { allowNonLoopbackHost = false } =
      typeof console === "object" ? readOptions("console", console, consoleRules) : {};
    if (console === false || allowNonLoopbackHost || isLoopbackHost(options.host ?? defaultHost)) {
      return { ...options, console: console !== false };
    }
    throw new ConfigurationError(
      "emulator.listen: the console needs a loopback `host`. To serve it on another, pass " +
        "`console: { allowNonLoopbackHost: true }`.",
    );
  },
  rule: (given: RuleOptions) => readOptions("emulator.on", given, ruleRules),
  payout: (given: PayoutRequest) => readOptions("emulator.payout", given, payoutRules),
  fire: (event: unknown, given: FireOptions) => {
    readOptions("emulator.fire", { event }, eventRules);
    return readOptions("emulator.fire", given, fireRules);
  },
  webhook: (to: unknown, settings: Omit<WebhookSettings, "to">): WebhookSettings => ({
    ...readOptions("emulator.deliverTo", settings, settingRules),
    to: readOptions("emulator.deliverTo", { to }, webhookRules, ["to"]).to,
  }),
  search: (name: SearchName) => readOptions("emulator.seedSearch", { name }, searchRules),
};

/** The URL is delivered to as it was passed, but `URL` would trim it. */
function isWebUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:/i.test(value) && value === value.trim() && URL.canParse(value);
}

function time(value: unknown): ReturnType<Rule> {
  if (!(value instanceof Date) && typeof value !== "number" && typeof value !== "string") {
    return "must be a Date, a number or a string";
  }
  return Number.isNaN(new Date(value).getTime()) ? "must be a time that `new Date(now)` can read" : undefined;
}
