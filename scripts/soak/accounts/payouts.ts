import type { Effect, StoreName, Time } from "../ledger.ts";
import { timing } from "../receiver.ts";
import { type Account, any, none, some } from "./account.ts";
import { type Acknowledged, type Acknowledgement, entriesOf, type Truth } from "./truth.ts";

/** Accounts for the effects of payouts: one each; in Redis, repeats need a reason of docs/stores.md. */
export function accountForPayouts(truth: Truth): Account[] {
  const isCommitted = committedBy(truth);
  return truth.plan.stores.flatMap((store) => {
    const payouts = truth.payouts.filter((payout) => payout.store === store);
    const references = payouts.map(({ reference }) => reference);
    const ofStore = new Set(references);
    const deliveries = truth.deliveries.filter(({ reference }) => ofStore.has(reference));
    const statuses = deliveries.flatMap((each) => each.statuses);
    const acknowledged = new Set(
      deliveries.flatMap(({ reference, statuses }) =>
        statuses.some((status) => status === "SUCCESS" || status === "DUPLICATE") ? reference : [],
      ),
    );
    const effects = truth.effects.filter((effect) => effect.store === store);
    const during = Map.groupBy(
      effects.filter(({ phase }) => phase === "during"),
      ({ payout }) => payout,
    );
    const isOf = (status: Acknowledged) => (each: Acknowledged) => each === status;
    const isOfStore = (entry: { readonly store: StoreName }) => entry.store === store;
    const hasNoEffect = (reference: string) => !during.has(reference);
    return [
      some(`${store}: payouts`, references),
      some(
        `${store}: handlers that threw ${store === "postgres" ? "after" : "before"} their effect`,
        entriesOf(truth.ledgers, "refused"),
        isOfStore,
      ),
      some(`${store}: handlers that stalled past the deadline`, entriesOf(truth.ledgers, "stalled"), isOfStore),
      some(`${store}: acknowledged SUCCESS`, statuses, isOf("SUCCESS")),
      some(`${store}: acknowledged DUPLICATE`, statuses, isOf("DUPLICATE")),
      some(`${store}: acknowledged FAILED`, statuses, isOf("FAILED")),
      any(`${store}: no response`, statuses, isOf("none")),
      any(`${store}: no response in time`, statuses, isOf("late")),
      none(`${store}: responses that the service does not accept`, statuses, isOf("invalid")),
      none(
        `${store}: acknowledged before the commit`,
        truth.acknowledgements,
        (each) => ofStore.has(each.reference) && !isCommitted(each),
      ),
      none(`${store}: acknowledged without an effect`, [...acknowledged], hasNoEffect),
      none(`${store}: no effect after the last redelivery`, references, hasNoEffect),
      none(
        `${store}: effect of another status than that of the payout`,
        payouts,
        ({ reference, status }) => during.get(reference)?.some((effect) => effect.status !== status) ?? false,
      ),
      ...(store === "redis"
        ? repeatsInRedis(references, [...during.values()], truth)
        : [none(`${store}: effect at least twice`, [...during.values()], ({ length }) => length > 1)]),
      none(`${store}: effect again after 100 days, with \`settled\``, effects, ({ phase }) => phase === "settled"),
      // Redis and memory keep references for 90 days, Postgres indefinitely.
      (store === "postgres" ? none : any)(`${store}: … without it`, effects, ({ phase }) => phase === "unsettled"),
    ];
  });
}

/**
 * Returns whether the claim of a payout was complete when it was acknowledged. Other processes find it done before the one
 * that commits knows. One that was killed meanwhile, or whose store went away, never knows.
 */
function committedBy({ ledgers }: Truth): (acknowledgement: Acknowledgement) => boolean {
  const begun = Map.groupBy(entriesOf(ledgers, "committing"), ({ reference }) => reference);
  const ends = new Map(entriesOf(ledgers, "commit").map((commit) => [`${commit.claim} ${commit.from}`, commit]));
  return ({ reference, isFirst, at }) =>
    (begun.get(reference) ?? []).some(({ claim, from }) => {
      const end = ends.get(`${claim} ${from}`);
      return from <= at && (end === undefined || (end.isComplete && (end.to <= at || !isFirst)));
    });
}

/** An attempt of a payout that had an effect, although one before it had one. */
interface Repeat {
  readonly payout: string;
  /** The process that held the claim before. */
  readonly process: string;
  /** From that claim to the end of its lease, after which another may be made. */
  readonly held: Time;
  /** When that claim was last written to the store: at its commit, if it has one. */
  readonly written: Time;
  /** Whether that claim was never completed, and its lease had run out. */
  readonly isLapsed: boolean;
  /** When the next claim was made. */
  readonly at: number;
}

/** Why a claim did not keep the next one from its effect: what struck its own record, process or commit. */
const reasons: Readonly<Record<string, (repeat: Repeat, truth: Truth) => boolean>> = {
  "this claim evicted in between": ({ payout, written, at }, truth) =>
    evictions(truth).some(({ reference, from, to }) => reference === payout && to >= written.from && from <= at),
  "claim or commit lost in a failover": ({ written, at }, { strikes }) =>
    strikes.some(({ lost }) => lost !== undefined && overlap(lost, written) && at >= lost.to),
  "process killed between claim and commit": ({ isLapsed, held, process }, { exits }) =>
    isLapsed && exits.some((exit) => exit.process === process && exit.how === "killed" && isWithin(exit.at, held)),
  "process suspended until the lease had run out": ({ isLapsed, held, process }, { strikes }) =>
    isLapsed && strikes.some(({ suspended }) => suspended?.process === process && isWithin(held.to, suspended)),
  "Redis away between claim and commit, and the lease ran out": ({ isLapsed, held }, { strikes }) =>
    isLapsed && strikes.some((strike) => strike.isOutage && overlap(held, strike)),
};

/** An eviction explains the repeats of one payout, so payouts whose claim was not evicted have to be left. */
function repeatsInRedis(references: readonly string[], effects: readonly Effect[][], truth: Truth): Account[] {
  const evicted = new Set(evictions(truth).map(({ reference }) => reference));
  const found = effects.flatMap((ofPayout) => {
    const inOrder = [...ofPayout].sort((one, other) => Number(one.claim) - Number(other.claim));
    return inOrder.slice(1).map((again, i) => {
      const before = inOrder[i] ?? again;
      const repeat = repeatOf(before, again, truth);
      const reason = Object.keys(reasons).find((reason) => reasons[reason]?.(repeat, truth));
      return { before, again, reason, strikes: strikesAround(before, again, truth) };
    });
  });
  const isBecause = (reason: string | undefined) => (each: (typeof found)[number]) => each.reason === reason;
  return [
    some("redis: payouts whose claim was not evicted", references, (reference) => !evicted.has(reference)),
    ...Object.keys(reasons).map((reason) => any(`redis: effect again, ${reason}`, found, isBecause(reason))),
    none("redis: effect again, for any other reason", found, isBecause(undefined)),
  ];
}

const evictions = ({ strikes }: Truth) => strikes.flatMap(({ evicted = [] }) => evicted);

function repeatOf(attempt: Effect, next: Effect, { ledgers }: Truth): Repeat {
  const [claimedAt, at] = [timeOf(attempt), timeOf(next)];
  const held = { from: claimedAt, to: claimedAt + timing.claimLease };
  const commit = entriesOf(ledgers, "commit").find(
    ({ isComplete, reference, claim }) =>
      // It may be recorded under a later claim of the same process, which had no effect.
      isComplete && reference === attempt.payout && +claim >= +attempt.claim && +claim < +next.claim,
  );
  return {
    ...{ payout: attempt.payout, process: attempt.process, held, at },
    written: commit ?? { from: claimedAt, to: claimedAt },
    isLapsed: commit === undefined && at >= held.to,
  };
}

/** Returns the faults that struck at about the time of an attempt and of the next one. */
function strikesAround(attempt: Effect, next: Effect, { strikes }: Truth): readonly string[] {
  const around = { from: timeOf(attempt) - 2 * timing.claimLease, to: timeOf(next) };
  return strikes.filter((strike) => overlap(strike, around)).map(({ name, from, to }) => `${name}, ${from} to ${to}`);
}

/** Returns when a claim was made, in milliseconds. */
const timeOf = ({ claim }: Effect) => Math.floor(Number(claim) / 1_000);

const overlap = (one: Time, other: Time) => one.from <= other.to && other.from <= one.to;
const isWithin = (at: number, { from, to }: Time) => from <= at && at <= to;
