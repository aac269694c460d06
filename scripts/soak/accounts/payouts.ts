import { type Account, any, none, some } from "../../accounts.ts";
import type { Time } from "../ledger.ts";
import { payoutStores } from "../payouts.ts";
import { timing } from "../receiver.ts";
import type { Effect, Truth } from "./truth.ts";

/** Accounts for the effects of payouts: one each in Postgres; in Redis, repeats need a reason of docs/stores.md. */
export function accountForPayouts(truth: Truth): Account[] {
  return payoutStores.flatMap((store) => {
    const payouts = truth.payouts.filter((payout) => payout.store === store);
    const references = payouts.map(({ reference }) => reference);
    const ofStore = new Set(references);
    const statuses = truth.deliveries
      .filter(({ reference }) => ofStore.has(reference))
      .flatMap((each) => each.statuses);
    const acknowledged = (status: (typeof statuses)[number]) => statuses.filter((each) => each === status);
    const effects = new Map<string, Effect[]>(references.map((reference) => [reference, []]));
    for (const effect of truth.effects) if (effect.store === store) effects.get(effect.payout)?.push(effect);
    const isAcknowledged = new Set(
      truth.deliveries
        .filter((each) => each.statuses.some((status) => status === "SUCCESS" || status === "DUPLICATE"))
        .map(({ reference }) => reference),
    );
    const without = references.filter((reference) => effects.get(reference)?.length === 0);
    const refused = truth.ledgers
      .flatMap(({ entries }) => entries)
      .filter((entry) => entry.type === "refused" && entry.store === store);
    return [
      some(`${store}: payouts`, references),
      some(`${store}: handlers that threw ${store === "postgres" ? "after" : "before"} their effect`, refused),
      some(`${store}: acknowledged SUCCESS`, acknowledged("SUCCESS")),
      some(`${store}: acknowledged DUPLICATE`, acknowledged("DUPLICATE")),
      some(`${store}: acknowledged FAILED`, acknowledged("FAILED")),
      any(`${store}: no response`, acknowledged("none")),
      none(`${store}: responses that the service does not accept`, acknowledged("invalid")),
      none(
        `${store}: acknowledged without an effect`,
        without.filter((reference) => isAcknowledged.has(reference)),
      ),
      none(`${store}: no effect after the last redelivery`, without),
      none(
        `${store}: effect of another status than that of the payout`,
        payouts.filter(({ reference, status }) => effects.get(reference)?.some((effect) => effect.status !== status)),
      ),
      ...(store === "postgres"
        ? [
            none(
              "postgres: effect at least twice",
              [...effects.values()].filter(({ length }) => length > 1),
            ),
          ]
        : repeatsInRedis(references, [...effects.values()], truth)),
    ];
  });
}

const reasons = ["evicted", "failover", "threw", "killed", "suspended", "outage"] as const;
type Reason = (typeof reasons)[number];

const words = {
  evicted: "this claim evicted in between",
  failover: "claim or commit lost in a failover",
  threw: "handler lost its database and did not learn of its effect",
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
  if (entries.some((entry) => entry.type === "threw" && entry.claim === attempt.claim)) return "threw";
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
