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
  objectWith,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
  string,
} from "../shared/options.ts";
import { framings } from "./ai/framing.ts";
import { quoteSamples } from "./catalogue/quotes.ts";
import type { FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";
import { behaviours } from "./service/serve.ts";
import type { EmulatorOptions, ListenOptions, ScenarioOptions } from "./types.ts";

const check = objectWith("check");
const settingRules: Rules<Omit<WebhookSettings, "to">> = {
  auth: anyOf('must be a check, a non-empty list of checks, or "none"', oneOf("none"), listOf(check), single(check)),
  retryAfter: listOf(number(0), 0),
  ackTimeout: milliseconds(),
  failedAnswer: oneOf("retry", "final"),
};
const target: Rule = (value) => {
  if (typeof value === "function" || isWebUrl(value)) return undefined;
  return isWebUrl(typeof value === "string" && value.trim())
    ? "must not have white space before or after the URL"
    : "must be an http or https URL, or a function that takes a Request";
};
const webhookRules: Rules<WebhookSettings> = { ...settingRules, to: target };
const emulatorRules: Rules<EmulatorOptions> = {
  // Whether it is a time is told where it is read.
  now: anyOf("must be a Date, a number or a string", string, number(-Number.MAX_VALUE), date),
  pace: milliseconds(),
  framing: oneOf(...Object.keys(framings)),
  strict: boolean,
  sessionMs: number(0),
  failureStatus: oneOf("asCode", 200),
  retryAfterSeconds: integer(0),
  pathPrefixes: group<Record<"verification" | "ai" | "flight", string>>({
    verification: string,
    ai: string,
    flight: string,
  }),
  scenario: nonEmptyString,
  webhook: group(webhookRules),
  onRequest: func,
};
const listenRules: Rules<ListenOptions> = {
  port: integer(0, 65_535),
  host: nonEmptyString,
  allowedHosts: listOf(nonEmptyString, 0),
};
const scenarioRules: Rules<ScenarioOptions> = {
  operation: oneOf(...new Set(behaviours.map(({ operation }) => operation.name))),
  times: anyOf("must be an integer of at least 1, or Infinity", integer(1), oneOf(Number.POSITIVE_INFINITY)),
};
const payoutRules: Rules<PayoutRequest> = {
  // Negative amounts as well: what a receiver makes of them is worth a test.
  amount: number(-Number.MAX_VALUE),
  outcome: string,
  client_referenceId: string,
  plan: string,
};
const fireRules: Rules<FireOptions> = { ackTimeout: milliseconds() };

/** Checks the arguments of the emulator's functions and returns copies; `ConfigurationError` names what is wrong. */
export const checked = {
  options: (given: EmulatorOptions): EmulatorOptions => {
    const options = readOptions("createEmulator", given, emulatorRules);
    const { webhook } = options;
    return webhook === undefined ? options : { ...options, webhook: readOptions("webhook", webhook, webhookRules) };
  },
  where: (given: ListenOptions) => readOptions("emulator.listen", given, listenRules),
  scenario: (given: ScenarioOptions) => readOptions("emulator.use", given, scenarioRules),
  payout: (given: PayoutRequest) => readOptions("emulator.payout", given, payoutRules),
  fire: (given: FireOptions) => readOptions("emulator.fire", given, fireRules),
  event: (given: unknown) =>
    readOptions<{ event: object | string }>(
      "emulator.fire",
      { event: given },
      { event: anyOf("must be an outcome or an object", string, object) },
    ),
  webhook: (to: unknown, settings: Omit<WebhookSettings, "to">): WebhookSettings => ({
    ...readOptions("emulator.deliverTo", settings, settingRules),
    to: readOptions<WebhookSettings>("emulator.deliverTo", { to }, webhookRules, ["to"]).to,
  }),
  search: (name: unknown) =>
    readOptions<{ name: string }>("emulator.seedSearch", { name }, { name: oneOf(...Object.keys(quoteSamples)) }),
};

function single(rule: Rule): Rule {
  return (value, name) => (Array.isArray(value) ? "must be a check" : rule(value, name));
}

/** `URL` would trim it: what is given is what is delivered to. */
function isWebUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:/i.test(value) && value === value.trim() && URL.canParse(value);
}

function date(value: unknown): ReturnType<Rule> {
  return value instanceof Date ? undefined : "must be a Date";
}
