import { payoutStores, timing } from "../receiver.ts";
import { type Account, any, type Effect, none, some, type Truth } from "./truth.ts";

/** Accounts for the effects of payouts: one each in Postgres; in Redis, repeats need a reason that docs/stores.md names. */
export function accountForPayouts(truth: Truth): Account[] {
  return payoutStores.flatMap((store) => {
    const references = truth.payouts.filter((payout) => payout.store === store).map(({ reference }) => reference);
    const ofStore = new Set(references);
    const statuses = truth.deliveries
      .filter(({ reference }) => ofStore.has(reference))
      .flatMap((each) => each.statuses);
    const answered = (status: string) => statuses.filter((each) => each === status);
    const effects = new Map<string, Effect[]>(references.map((reference) => [reference, []]));
    for (const effect of truth.effects) if (effect.store === store) effects.get(effect.payout)?.push(effect);
    const isAcknowledged = new Set(
      truth.deliveries
        .filter((each) => each.statuses.some((status) => status === "SUCCESS" || status === "DUPLICATE"))
        .map(({ reference }) => reference),
    );
    const without = references.filter((reference) => effects.get(reference)?.length === 0);
    return [
      some(`${store}: payouts`, references),
      some(`${store}: acknowledged SUCCESS`, answered("SUCCESS")),
      some(`${store}: acknowledged DUPLICATE`, answered("DUPLICATE")),
      some(`${store}: acknowledged FAILED`, answered("FAILED")),
      any(`${store}: no response, or none that can be read`, answered("none")),
      none(
        `${store}: acknowledged without an effect`,
        without.filter((reference) => isAcknowledged.has(reference)),
      ),
      none(`${store}: no effect after the last redelivery`, without),
      ...(store === "postgres"
        ? [
            none(
              "postgres: effect at least twice",
              [...effects.values()].filter(({ length }) => length > 1),
            ),
          ]
        : repeatsInRedis([...effects.values()], truth)),
    ];
  });
}

const reasons = ["killed", "threw", "suspended", "outage", "failover", "eviction"] as const;

function repeatsInRedis(effects: readonly Effect[][], truth: Truth): Account[] {
  const found = effects.flatMap(([first, ...later]) =>
    later.map((again, i) => {
      const before = (i === 0 ? first : later[i - 1]) ?? again;
      return { before, again, reason: reasonFor(before, again, truth) };
    }),
  );
  const because = (reason: (typeof found)[number]["reason"]) => found.filter((each) => each.reason === reason);
  return [
    ...reasons.map((reason) => any(`redis: effect again, ${words[reason]}`, because(reason))),
    none("redis: effect again, for any other reason", because(undefined)),
  ];
}

const words = {
  killed: "process killed between effect and commit",
  threw: "handler lost its database and did not learn of its effect",
  suspended: "process suspended beyond the lease",
  outage: "Redis away at the commit, beyond the lease",
  failover: "latest writes lost in a failover",
  eviction: "claim evicted",
} as const satisfies Record<(typeof reasons)[number], string>;

/** A claim that was completed is lost only by a failover or an eviction; one that was not, by the end of its process too. */
function reasonFor(first: Effect, again: Effect, truth: Truth): (typeof reasons)[number] | undefined {
  const { ledgers, exits, suspensions, struck } = truth;
  const entries = ledgers.find(({ process }) => process === first.process)?.entries ?? [];
  const commit = entries.find(
    (entry) =>
      entry.type === "commit" && entry.reference === first.payout && entry.at >= first.at && entry.at <= again.at,
  );
  const between = (kind: string, from: number) =>
    struck.some(({ redis, ...span }) => redis === kind && span.to >= from && span.from <= again.at);
  if (commit?.type === "commit") {
    if (between("eviction", commit.at)) return "eviction";
    return struckSoon(commit.at, truth) ? "failover" : undefined;
  }
  if (entries.some((entry) => entry.type === "threw" && entry.reference === first.payout)) return "threw";
  if (
    exits.some(
      ({ process, how, at }) => process === first.process && how === "killed" && at >= first.at && at <= again.at,
    )
  )
    return "killed";
  const isSuspended = suspensions.some(
    ({ name, from, to }) =>
      name === first.process && from <= again.at && to >= first.at && to - from >= timing.claimLease,
  );
  if (isSuspended) return "suspended";
  // The claim itself may have been lost before the effect: it was made within the lease.
  const claimedAt = first.at - timing.claimLease;
  if (between("eviction", claimedAt)) return "eviction";
  if (between("failover", claimedAt)) return "failover";
  return between("outage", first.at) ? "outage" : undefined;
}

/** Returns whether a failover began within seconds of a commit, so that the write may not have reached the replica. */
function struckSoon(commit: number, { struck }: Truth): boolean {
  return struck.some(({ redis, from, to }) => redis === "failover" && commit >= from - 1_000 && commit <= to);
}
