import { ConfigurationError } from "../../errors/request.ts";
import type { SigningMoment } from "../../webhooks/auth/check.ts";
import { own, unknownName } from "../names.ts";
import { BoundedList } from "../state/bounded.ts";
import type { Clock } from "../state/clock.ts";
import { ids } from "../state/ids.ts";
import { attemptDelivery, type DeliveryTarget } from "./attempt.ts";
import { type PayoutEvent, payoutEvent } from "./payout-event.ts";
import type { Delivery, DeliveryAttempt, DeliveryPlan, FireOptions, PayoutRequest, WebhookSettings } from "./types.ts";

/** Three retries are documented (§6.4); their times are not. */
const defaultRetrySchedule = [30_000, 120_000, 600_000];

type Row = { -readonly [Field in keyof Delivery]: Delivery[Field] } & { attempts: DeliveryAttempt[] };

/** Delivers notifications as §6.4 describes, and keeps their history. */
export class Deliveries {
  settings: WebhookSettings;
  readonly #rows = new BoundedList<Row>((row) => this.#clock.forget(row));
  readonly #clock: Clock;
  readonly #next: () => number;
  /** When a notification was signed last. */
  readonly #signed = new WeakMap<PayoutEvent, SigningMoment>();

  /** @param next - Returns the number of the next identifier. */
  constructor(settings: WebhookSettings, clock: Clock, next: () => number) {
    this.settings = settings;
    this.#clock = clock;
    this.#next = next;
  }

  /** Oldest first. */
  get history(): readonly Row[] {
    return this.#rows.entries;
  }

  clear(): void {
    this.#rows.clear();
  }

  /** Sends the first row of a payout, and the rows that its plan adds. */
  readonly #plans: Readonly<Record<DeliveryPlan, (row: Row, target: DeliveryTarget) => Promise<unknown>>> = {
    standard: (row, target) => this.#attempt(row, target),
    race: (row, target) => Promise.all([row, this.#open(row.event)].map((each) => this.#attempt(each, target))),
    twice: async (row, target) => {
      await this.#attempt(row, target);
      this.#later(this.#open(row.event), target, this.#schedule(target)[0] ?? 0);
    },
    conflict: async (row, target) => {
      await this.#attempt(row, target);
      this.#later(this.#open(contradiction(row.event)), target, this.#schedule(target)[0] ?? 0);
    },
  };

  async payout(request: PayoutRequest): Promise<Delivery> {
    const target = this.#target();
    const { plan: name = "standard" } = request;
    const plan = own(this.#plans, name);
    if (plan === undefined) throw new ConfigurationError(unknownName("delivery plan", name, Object.keys(this.#plans)));
    const event = payoutEvent(request, this.#next());
    const row = this.#open(event);
    await plan(row, target);
    return row;
  }

  async fire(event: PayoutRequest["outcome"] | PayoutEvent, options: FireOptions): Promise<DeliveryAttempt> {
    const body = typeof event === "object" ? event : payoutEvent({ outcome: event }, this.#next());
    return this.#send(body, { ...this.#target(), ...options });
  }

  #send(event: PayoutEvent, target: DeliveryTarget, isScheduled = false): Promise<DeliveryAttempt> {
    const now = this.#clock.now();
    const kept = target.resign === false ? this.#signed.get(event) : undefined;
    const signed = kept ?? { now, id: ids.delivery(this.#next()) };
    this.#signed.set(event, signed);
    return attemptDelivery(event, target, { now, signed, isScheduled });
  }

  #target(): DeliveryTarget {
    const { to } = this.settings;
    if (to !== undefined) return { ...this.settings, to };
    throw new ConfigurationError(
      "No target for webhooks is set. Start the emulator with --webhook-url, or in code pass `webhook: { to }` or call `deliverTo()`.",
    );
  }

  #schedule(target: DeliveryTarget): readonly number[] {
    return target.retrySchedule ?? defaultRetrySchedule;
  }

  #open(event: PayoutEvent): Row {
    const row: Row = {
      client_referenceId: `${event.client_referenceId}`,
      event,
      state: "delivering",
      attempts: [],
      nextAttemptAt: undefined,
    };
    this.#rows.add(row, JSON.stringify(event).length);
    return row;
  }

  #later(row: Row, target: DeliveryTarget, delay: number): void {
    row.nextAttemptAt = this.#clock.now() + delay;
    this.#clock.at(row.nextAttemptAt, () => this.#attempt(row, target, true), row);
  }

  async #attempt(row: Row, target: DeliveryTarget, isScheduled = false): Promise<void> {
    row.nextAttemptAt = undefined;
    const attempt = await this.#send(row.event, target, isScheduled);
    row.attempts.push(attempt);
    if (attempt.problem === undefined) row.state = "delivered";
    else if (isPlainFailed(attempt) && target.failedAcknowledgement === "final") row.state = "refused";
    else this.#retry(row, target, row.attempts[0] ?? attempt);
  }

  /** Retries up to 3 times; then the state is Failed Delivery (§6.4). */
  #retry(row: Row, target: DeliveryTarget, first: DeliveryAttempt): void {
    const delay = this.#schedule(target)[row.attempts.length - 1];
    if (delay === undefined) row.state = "Failed Delivery";
    else this.#later(row, target, Math.max(0, first.at + delay - this.#clock.now()));
  }
}

/** Returns true for a valid acknowledgement FAILED. An invalid one is retried in any case (§6.4). */
function isPlainFailed({ problems }: DeliveryAttempt): boolean {
  return problems.length === 1 && problems[0] === "acknowledged FAILED";
}

/** Returns the same payout as failed. */
function contradiction(event: PayoutEvent): PayoutEvent {
  return {
    ...event,
    status: "FAILED",
    statusCode: "400",
    description: "Reversed by bank",
    utr: undefined,
    acknowledged: undefined,
  };
}
