import { ConfigurationError } from "../../errors/request.ts";
import { stringOf } from "../../shared/json.ts";
import {
  anyOf,
  boolean,
  type Given,
  listOf,
  milliseconds,
  object,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
  string,
} from "../../shared/options.ts";
import type { SigningMoment } from "../../webhooks/auth/check.ts";
import { type AcknowledgementProblemCode, checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { schemeRule, signAt } from "../../webhooks/sign.ts";
import { untilAborted } from "../http/wait.ts";
import { lookUp } from "../names.ts";
import { BoundedList } from "../state/bounded.ts";
import type { Clock } from "../state/clock.ts";
import { ids } from "../state/ids.ts";
import { type PayoutEvent, type PayoutRequest, payoutEvent, payoutRules, plans } from "./payout-event.ts";
import type { Delivery, DeliveryAttempt, DeliveryProblem, FireOptions, WebhookSettings } from "./types.ts";

const times = listOf(milliseconds(), 0);
const settingRules: Rules<Omit<WebhookSettings, "to">> = {
  auth: schemeRule,
  retrySchedule: (value, name) =>
    times(value, name) ??
    (Object(value).length > 3 ? "must have at most 3 times: the service retries no more" : undefined),
  ackTimeout: milliseconds(1),
  failedAcknowledgement: oneOf("retry", "final"),
  resign: boolean,
};
/** The URL is delivered to as it was passed, but `URL` would trim it. */
const target: Rule = (value) => {
  if (typeof value === "function") return undefined;
  const url = typeof value === "string" ? value.trim() : "";
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    return "must be an http or https URL, or a function that takes a Request";
  }
  return url === value ? undefined : "must not have white space before or after the URL";
};
export const webhookRules: Rules<WebhookSettings> = { ...settingRules, to: target };
const eventRules = { event: anyOf("must be an outcome or an object", string, object) };

const defaults = {
  auth: "none",
  // Three retries are documented (§6.4); their times are not.
  retrySchedule: [30_000, 120_000, 600_000],
  // The time that the service waits for an acknowledgement (§6.3).
  ackTimeout: 7_000,
  resign: true,
} satisfies WebhookSettings;

type Defaults = Required<Pick<Given<WebhookSettings>, keyof typeof defaults>>;
type Target = WebhookSettings & Defaults & { readonly to: NonNullable<WebhookSettings["to"]> };

type Row = { -readonly [Field in keyof Delivery]: Delivery[Field] } & { attempts: DeliveryAttempt[] };

/** Delivers notifications as §6.4 describes, and keeps their history. Checks its arguments. */
export class Deliveries {
  #settings: WebhookSettings & Defaults;
  readonly #rows = new BoundedList<Row>((row) => this.#clock.forget(row));
  readonly history: readonly Delivery[] = this.#rows.entries;
  readonly #clock: Clock;
  readonly #next: () => number;
  readonly #signed = new WeakMap<PayoutEvent, SigningMoment>();

  constructor(settings: WebhookSettings, clock: Clock, next: () => number) {
    this.#settings = { ...defaults, ...readOptions("webhook", settings, webhookRules) };
    this.#clock = clock;
    this.#next = next;
  }

  clear(): void {
    this.#rows.clear();
  }

  deliverTo(to: unknown, settings: Omit<WebhookSettings, "to">): void {
    const checked = readOptions("emulator.deliverTo", settings, settingRules);
    const { to: target } = readOptions<WebhookSettings>("emulator.deliverTo", { to }, webhookRules, ["to"]);
    this.#settings = { ...this.#settings, ...checked, to: target };
  }

  async payout(given: PayoutRequest): Promise<Delivery> {
    const request = readOptions<PayoutRequest>("emulator.payout", given, { ...payoutRules, plan: string });
    const target = this.#target();
    const { twin, later } = lookUp(plans, request.plan ?? "standard", "delivery plan");
    const row = this.#open(payoutEvent(request, this.#next()));
    const rows = twin ? [row, this.#open(row.event)] : [row];
    const next = later && this.#open(later(row.event));
    await Promise.all(rows.map((each) => this.#attempt(each, target)));
    if (next) this.#later(next, target, target.retrySchedule[0] ?? 0);
    return row;
  }

  async fire(event: PayoutRequest["outcome"] | PayoutEvent, given: FireOptions): Promise<DeliveryAttempt> {
    readOptions("emulator.fire", { event }, eventRules);
    const options = readOptions<FireOptions>("emulator.fire", given, { ackTimeout: settingRules.ackTimeout });
    const body = typeof event === "object" ? event : payoutEvent({ outcome: event }, this.#next());
    return this.#send(body, { ...this.#target(), ...options });
  }

  #target(): Target {
    const { to } = this.#settings;
    if (to !== undefined) return { ...this.#settings, to };
    throw new ConfigurationError(
      "No target for webhooks is set. Start the emulator with --webhook-url, or in code pass `webhook: { to }` or call `deliverTo()`.",
    );
  }

  #open(event: PayoutEvent): Row {
    const client_referenceId = `${event.client_referenceId}`;
    const row: Row = { client_referenceId, event, state: "delivering", attempts: [], nextAttemptAt: undefined };
    this.#rows.add(row);
    return row;
  }

  #later(row: Row, target: Target, delay: number): void {
    // Forgotten during an attempt.
    if (!this.#rows.entries.includes(row)) return;
    row.nextAttemptAt = this.#clock.now() + delay;
    this.#clock.at(row.nextAttemptAt, () => this.#attempt(row, target, true), row);
  }

  /** Retries up to 3 times what is not acknowledged; then the state is Failed Delivery (§6.4). */
  async #attempt(row: Row, target: Target, isScheduled = false): Promise<void> {
    row.nextAttemptAt = undefined;
    const attempt = await this.#send(row.event, target, isScheduled);
    row.attempts.push(attempt);
    const { problem, problems } = attempt;
    const delay = target.retrySchedule[row.attempts.length - 1];
    // An acknowledgement FAILED that is not valid is retried in any case (§6.4).
    const isFinal = target.failedAcknowledgement === "final" && problems.length === 1;
    if (problem === undefined) row.state = "delivered";
    else if (isFinal && problem === "acknowledged FAILED") row.state = "refused";
    else if (delay === undefined) row.state = "Failed Delivery";
    else this.#later(row, target, Math.max(0, (row.attempts[0] ?? attempt).at + delay - this.#clock.now()));
  }

  /**
   * Signs a notification, sends it once and checks the acknowledgement (§6.3).
   *
   * @param isScheduled - Whether the clock makes the attempt and nobody waits for it: a scheme that cannot sign is then a
   *   problem like any other.
   * @throws ConfigurationError if the scheme cannot sign, unless the attempt was scheduled.
   */
  async #send(event: PayoutEvent, target: Target, isScheduled = false): Promise<DeliveryAttempt> {
    const at = this.#clock.now();
    const kept = target.resign ? undefined : this.#signed.get(event);
    const moment = kept ?? { now: at, id: ids.delivery(this.#next()) };
    this.#signed.set(event, moment);
    const startedAt = Date.now();
    const ends = (outcome: Omit<DeliveryAttempt, "at" | "problem" | "duration">): DeliveryAttempt => ({
      ...{ at, ...outcome, problem: outcome.problems[0], duration: Date.now() - startedAt },
    });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), target.ackTimeout);
    let failure: DeliveryProblem = "could not be signed";
    const deliver = async () => {
      const checks = target.auth === "none" ? [] : [target.auth].flat();
      const { headers, body } = await signAt(JSON.stringify(event), checks, moment);
      failure = "no connection";
      // §6.6.4: a redirected callback URL is not allowed, so no redirect is followed.
      const init: RequestInit = { method: "POST", headers, body, redirect: "manual", signal: late.signal };
      const { to } = target;
      const response = await (typeof to === "string"
        ? fetch(to, init)
        : to(new Request("https://callback.example/webhook", init)));
      return { status: response.status, body: await response.text() };
    };
    try {
      const response = await Promise.race([deliver(), untilAborted(late.signal)]);
      const { status, problems } = checkAcknowledgement(response, stringOf(event.client_referenceId));
      return ends({ httpStatus: response.status, status, problems: problems.map(({ code }) => problemNames[code]) });
    } catch (error) {
      if (late.signal.aborted) failure = "no response in time";
      if (failure === "could not be signed" && !isScheduled && ConfigurationError.isInstance(error)) throw error;
      return ends({ httpStatus: undefined, status: undefined, problems: [failure] });
    } finally {
      clearTimeout(timer);
    }
  }
}

const problemNames: Readonly<Record<AcknowledgementProblemCode, DeliveryProblem>> = {
  httpStatus: "HTTP status is not 200",
  notJson: "body is not JSON",
  referenceNotEchoed: "client_referenceId is not echoed",
  unknownStatus: "status is not known",
  failed: "acknowledged FAILED",
  wrongStatusCode: "statusCode does not fit the status",
  wrongHttpStatusField: "http_status is not true",
  wrongAcknowledged: "acknowledged is not 1",
};
