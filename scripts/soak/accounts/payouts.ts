import type { Effect, Entry, Time } from "../ledger.ts";
import { timing } from "../receiver.ts";
import { type Account, any, none, some } from "./account.ts";
import type { Acknowledgement, Truth } from "./truth.ts";

/** Accounts for the effects of payouts: one each; in Redis, repeats need a reason of docs/stores.md. */
export function accountForPayouts(truth: Truth): Account[] {
  const entries = truth.ledgers.flatMap((ledger) => ledger.entries);
  const isCommitted = committedBy(entries);
  return truth.plan.stores.flatMap((store) => {
    const payouts = truth.payouts.filter((payout) => payout.store === store);
    const references = payouts.map(({ reference }) => reference);
    const ofStore = new Set(references);
    const statuses = truth.deliveries
      .filter(({ reference }) => ofStore.has(reference))
      .flatMap((each) => each.statuses);
    const acknowledged = (status: (typeof statuses)[number]) => statuses.filter((each) => each === status);
    const all = truth.effects.filter((effect) => effect.store === store);
    const effects = new Map<string, Effect[]>(references.map((reference) => [reference, []]));
    for (const effect of all) if (effect.phase === "during") effects.get(effect.payout)?.push(effect);
    const isAcknowledged = new Set(
      truth.deliveries
        .filter((each) => each.statuses.some((status) => status === "SUCCESS" || status === "DUPLICATE"))
        .map(({ reference }) => reference),
    );
    const without = references.filter((reference) => effects.get(reference)?.length === 0);
    const handlersThat = (did: "refused" | "stalled") =>
      entries.filter((entry) => entry.type === did && entry.store === store);
    return [
      some(`${store}: payouts`, references),
      some(
        `${store}: handlers that threw ${store === "postgres" ? "after" : "before"} their effect`,
        handlersThat("refused"),
      ),
      some(`${store}: handlers that stalled past the deadline`, handlersThat("stalled")),
      some(`${store}: acknowledged SUCCESS`, acknowledged("SUCCESS")),
      some(`${store}: acknowledged DUPLICATE`, acknowledged("DUPLICATE")),
      some(`${store}: acknowledged FAILED`, acknowledged("FAILED")),
      any(`${store}: no response`, acknowledged("none")),
      any(`${store}: no response in time`, acknowledged("late")),
      none(`${store}: responses that the service does not accept`, acknowledged("invalid")),
      none(
        `${store}: acknowledged before the commit`,
        truth.acknowledgements.filter((each) => ofStore.has(each.reference) && !isCommitted(each)),
      ),
      none(
        `${store}: acknowledged without an effect`,
        without.filter((reference) => isAcknowledged.has(reference)),
      ),
      none(`${store}: no effect after the last redelivery`, without),
      none(
        `${store}: effect of another status than that of the payout`,
        payouts.filter(({ reference, status }) => effects.get(reference)?.some((effect) => effect.status !== status)),
      ),
      ...(store === "redis"
        ? repeatsInRedis(references, [...effects.values()], truth)
        : [
            none(
              `${store}: effect at least twice`,
              [...effects.values()].filter(({ length }) => length > 1),
            ),
          ]),
      none(
        `${store}: effect again after 100 days, with \`settled\``,
        all.filter(({ phase }) => phase === "settled"),
      ),
      // Redis and memory keep references for 90 days, Postgres indefinitely.
      (store === "postgres" ? none : any)(
        `${store}: … without it`,
        all.filter(({ phase }) => phase === "unsettled"),
      ),
    ];
  });
}

/**
 * Returns whether the claim of a payout was complete when it was acknowledged. Other processes find it done before the one
 * that commits knows. One that was killed meanwhile, or whose store went away, never knows.
 */
function committedBy(entries: readonly Entry[]): (acknowledgement: Acknowledgement) => boolean {
  const keyOf = ({ claim, from }: { readonly claim: string; readonly from: number }) => `${claim} ${from}`;
  const begun = new Map<string, Extract<Entry, { type: "committing" }>[]>();
  const ended = new Map<string, Extract<Entry, { type: "commit" }>>();
  for (const entry of entries) {
    if (entry.type === "committing") begun.set(entry.reference, [...(begun.get(entry.reference) ?? []), entry]);
    if (entry.type === "commit") ended.set(keyOf(entry), entry);
  }
  return ({ reference, isFirst, at }) =>
    (begun.get(reference) ?? []).some((commit) => {
      const end = ended.get(keyOf(commit));
      return commit.from <= at && (end === undefined || (end.isComplete && (end.to <= at || !isFirst)));
    });
}

const reasons = ["evicted", "failover", "killed", "suspended", "outage"] as const;
type Reason = (typeof reasons)[number];

const words = {
  evicted: "this claim evicted in between",
  failover: "claim or commit lost in a failover",
  killed: "process killed between claim and commit",
  suspended: "process suspended until the lease had run out",
  outage: "Redis away between claim and commit, and the lease ran out",
} as const satisfies Record<Reason, string>;

/** An eviction explains the repeats of one payout, so payouts whose claim was not evicted have to be left. */
function repeatsInRedis(references: readonly string[], effects: readonly Effect[][], truth: Truth): Account[] {
  const evicted = new Set(evictions(truth).map(({ reference }) => reference));
  const found = effects.flatMap((ofPayout) => {
    const [first, ...later] = [...ofPayout].sort((one, other) => Number(one.claim) - Number(other.claim));
    return later.map((again, i) => {
      const before = (i === 0 ? first : later[i - 1]) ?? again;
      return { before, again, reason: reasonFor(before, again, truth), strikes: strikesAround(before, again, truth) };
    });
  });
  const because = (reason: Reason | undefined) => found.filter((each) => each.reason === reason);
  return [
    some(
      "redis: payouts whose claim was not evicted",
      references.filter((reference) => !evicted.has(reference)),
    ),
    ...reasons.map((reason) => any(`redis: effect again, ${words[reason]}`, because(reason))),
    none("redis: effect again, for any other reason", because(undefined)),
  ];
}

const evictions = ({ strikes }: Truth) => strikes.flatMap(({ evicted = [] }) => evicted);

/**
 * Returns the reason why the claim of an attempt did not keep the next one of the same payout from its effect. Each has
 * to have struck that attempt: its claim, its process or its commit, while the claim was held.
 */
function reasonFor(attempt: Effect, next: Effect, truth: Truth): Reason | undefined {
  const { ledgers, exits, suspensions, strikes } = truth;
  const [claimedAt, nextAt] = [timeOf(attempt), timeOf(next)];
  const leaseEnd = claimedAt + timing.claimLease;
  const entries = ledgers.flatMap((ledger) => ledger.entries);
  // The commit may be recorded under a later claim of the same process, which had no effect.
  const commit = entries.find(
    (entry) =>
      entry.type === "commit" &&
      entry.isComplete &&
      entry.reference === attempt.payout &&
      Number(entry.claim) >= Number(attempt.claim) &&
      Number(entry.claim) < Number(next.claim),
  );
  const written = commit?.type === "commit" ? commit : { from: claimedAt, to: claimedAt };
  const isEvicted = evictions(truth).some(
    ({ reference, from, to }) => reference === attempt.payout && to >= written.from && from <= nextAt,
  );
  if (isEvicted) return "evicted";
  if (strikes.some(({ lost }) => lost !== undefined && overlap(lost, written) && nextAt >= lost.to)) return "failover";
  // A claim that was completed is lost in no other way.
  if (commit !== undefined) return undefined;
  // While the lease runs, nobody else gets the claim.
  if (nextAt < leaseEnd) return undefined;
  const held = { from: claimedAt, to: leaseEnd };
  const isKilled = exits.some(
    ({ process, how, at }) => process === attempt.process && how === "killed" && overlap(held, { from: at, to: at }),
  );
  if (isKilled) return "killed";
  const isSuspended = suspensions.some(
    ({ name, from, to }) => name === attempt.process && from <= leaseEnd && to >= leaseEnd,
  );
  if (isSuspended) return "suspended";
  return strikes.some((strike) => strike.isOutage && overlap(held, strike)) ? "outage" : undefined;
}

/** Returns the faults that struck at about the time of an attempt and of the next one. */
function strikesAround(attempt: Effect, next: Effect, { strikes }: Truth): readonly string[] {
  const around = { from: timeOf(attempt) - 2 * timing.claimLease, to: timeOf(next) };
  return strikes.filter((strike) => overlap(strike, around)).map(({ name, from, to }) => `${name}, ${from} to ${to}`);
}

/** Returns when a claim was made, in milliseconds. */
const timeOf = ({ claim }: Effect) => Math.floor(Number(claim) / 1_000);

const overlap = (one: Time, other: Time) => one.from <= other.to && other.from <= one.to;
