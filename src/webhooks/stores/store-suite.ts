import { ConfigurationError } from "../../errors/request.ts";
import { requireEqual } from "../../shared/objects.ts";
import { sleep } from "../../shared/promises.ts";
import type { Claim, ClaimResult, WebhookStore } from "./store.ts";

/** A test of one promise of {@link WebhookStore}. */
export interface StoreTest {
  /** The promise, as a test title. */
  readonly name: string;
  /** Runs the test. It rejects with a description if the store does not keep the promise. */
  run(): Promise<void>;
}

/**
 * Returns the conformance tests that your own store must pass (docs/stores.md), for any test runner.
 *
 * @param makeStore - Returns the store, or a new handle on it. Keys are random, so the tests may share one database.
 * @returns The tests. Those that wait for a lease take a few hundred milliseconds.
 * @throws {@link ConfigurationError} if `makeStore` is not a function.
 *
 * @example
 * ```ts
 * import { memoryStore } from "serviceapi/webhooks";
 * import { storeSuite } from "serviceapi/testing";
 * import { describe, it } from "vitest";
 *
 * describe("my store", () => {
 *   for (const { name, run } of storeSuite(() => memoryStore())) it(name, run);
 * });
 * ```
 */
export function storeSuite(makeStore: () => WebhookStore | Promise<WebhookStore>): readonly StoreTest[] {
  if (typeof makeStore !== "function")
    throw new ConfigurationError("storeSuite: `makeStore` must be a function that returns a store.");
  return Object.entries(promises).map(([name, check]) => ({
    name,
    run: async () => check(await makeStore(), `suite ${crypto.randomUUID()}`),
  }));
}

const [effect, other] = ["status=SUCCESS&transactionId=T1", "status=FAILED&transactionId=T2"];
const request = { effect, lease: 60_000 };
/** Long enough for a claim and what follows it, short enough to wait for it. */
const short = { effect, lease: 150 };

const promises: Record<string, (store: WebhookStore, key: string) => Promise<void>> = {
  "a claim on a new key succeeds, with a token of decimal digits": async (store, key) => {
    const result = await store.claim(key, request);
    equal(result.kind, "claimed", "kind");
    equal(result.kind === "claimed" && result.takenOver, false, "takenOver");
    const claim = claimOf(result);
    equal({ key: claim.key, effect: claim.effect }, { key, effect }, "claim");
    equal(/^\d+$/.test(claim.token), true, `the token ${claim.token} is digits`);
  },
  "a second claim finds the first in flight": async (store, key) => {
    await take(store, key);
    equal(await store.claim(key, request), { kind: "inFlight" }, "second claim");
    equal(await store.claim(key, { ...request, effect: other }), { kind: "inFlight" }, "claim of another effect");
  },
  "of fifty claims at the same moment one succeeds": async (store, key) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => store.claim(key, request)));
    equal(results.filter(({ kind }) => kind === "claimed").length, 1, "successful claims");
    equal(results.filter(({ kind }) => kind === "inFlight").length, 49, "claims in flight");
  },
  "a completed claim is done, with the effect that was claimed": async (store, key) => {
    equal(await store.complete(await take(store, key)), true, "complete");
    const done = { kind: "done", effect, conflicts: [] };
    equal(await store.claim(key, { ...request, effect: other }), done, "claim after complete");
  },
  "a claim that another effect is completed with is done with that one": async (store, key) => {
    equal(await store.complete({ ...(await take(store, key)), effect: other }), true, "complete");
    equal(await store.claim(key, request), { kind: "done", effect: other, conflicts: [] }, "claim after complete");
  },
  "a completed claim stays done after its lease": async (store, key) => {
    await store.complete(await take(store, key, short));
    await sleep(short.lease + 30);
    equal((await store.claim(key, request)).kind, "done", "claim after the lease");
  },
  "a conflict is recorded once, and only for a key that is done": async (store, key) => {
    await store.recordConflict(key, other);
    equal(await store.find(key), undefined, "entry of a key that nobody claimed");
    const claim = await take(store, key);
    await store.recordConflict(key, other);
    await store.complete(claim);
    equal((await store.find(key))?.conflicts, [], "conflicts of a key that was not done");
    const recorded: string[] = [];
    for (const conflict of [other, "status=REJECTED"]) {
      await Promise.all(Array.from({ length: 20 }, () => store.recordConflict(key, conflict)));
      recorded.push(conflict);
      const result = await store.claim(key, request);
      equal(result.kind === "done" && [...result.conflicts].sort(), recorded, `conflicts after ${conflict}`);
      equal(result.kind === "done" && result.effect, effect, "the first effect stays");
    }
  },
  "find returns the entry of a key": async (store, key) => {
    equal(await store.find(key), undefined, "entry of a key that nobody claimed");
    const claim = await take(store, key);
    equal(await store.find(key), { state: "claimed", effect, conflicts: [] }, "entry of a claim");
    await store.complete(claim);
    equal(await store.find(key), { state: "done", effect, conflicts: [] }, "entry of a key that is done");
    await store.recordConflict(key, other);
    equal(await store.find(key), { state: "done", effect, conflicts: [other] }, "entry with a conflict");
    await store.forget(key);
    equal(await store.find(key), undefined, "entry of a forgotten key");
  },
  "a released key can be claimed again, and is not taken over": async (store, key) => {
    await store.release(await take(store, key));
    const result = await store.claim(key, { ...request, effect: other });
    equal(result.kind === "claimed" && !result.takenOver && result.claim.effect, other, "claim after release");
  },
  "a lease that runs out lets another take over, with a larger token": async (store, key) => {
    const lost = await take(store, key, short);
    equal(await store.claim(key, request), { kind: "inFlight" }, "claim within the lease");
    await sleep(short.lease + 30);
    const result = await store.claim(key, request);
    equal(result.kind === "claimed" && result.takenOver, true, "takenOver");
    equal(BigInt(claimOf(result).token) > BigInt(lost.token), true, "the token grew");
    equal(await store.claim(key, request), { kind: "inFlight" }, "claim after the takeover");
  },
  "of twenty takeovers at the same moment one succeeds": async (store, key) => {
    await takeAndExpire(store, key);
    const results = await Promise.all(Array.from({ length: 20 }, () => store.claim(key, request)));
    equal(results.filter(({ kind }) => kind === "claimed").length, 1, "successful claims");
  },
  "a lost claim can be neither completed nor released": async (store, key) => {
    const lost = await takeAndExpire(store, key);
    const held = await take(store, key);
    equal(await store.complete(lost), false, "complete of the lost claim");
    await store.release(lost);
    equal(await store.claim(key, request), { kind: "inFlight" }, "the other still holds it");
    equal(await store.complete(held), true, "complete of the held claim");
    equal(await store.complete(lost), false, "complete of the lost claim, later");
    equal((await store.claim(key, request)).kind, "done", "state");
  },
  "a lease that ran out with nobody else there can still be completed": async (store, key) => {
    const claim = await takeAndExpire(store, key);
    equal(await store.complete(claim), true, "complete");
    equal((await store.claim(key, request)).kind, "done", "state");
  },
  "complete may be called again, and release after it does nothing": async (store, key) => {
    const claim = await take(store, key);
    equal([await store.complete(claim), await store.complete(claim)], [true, true], "complete twice");
    await store.release(claim);
    equal((await store.claim(key, request)).kind, "done", "state");
  },
  "complete may be called again while it is under way, and after the lease": async (store, key) => {
    const claim = await take(store, key, short);
    const results = await Promise.all(Array.from({ length: 5 }, () => store.complete(claim)));
    equal(results, Array(5).fill(true), "complete at the same moment");
    await sleep(short.lease + 30);
    await store.claim(key, { ...request, effect: other });
    equal(await store.complete(claim), true, "complete after the lease");
    equal((await store.find(key))?.effect, effect, "effect");
  },
  "claims by others do not extend a lease": async (store, key) => {
    await take(store, key, short);
    const startedAt = performance.now();
    let result = await store.claim(key, request);
    while (result.kind === "inFlight" && performance.now() - startedAt < 10 * short.lease) {
      await sleep(25);
      result = await store.claim(key, request);
    }
    equal(result.kind, "claimed", "claim after the lease, asked for all the while");
  },
  "forget makes a key new, whatever it was, and lets no older claim through": async (store, key) => {
    await store.forget(key);
    const old = await take(store, key);
    await store.complete(old);
    await store.forget(key);
    const result = await store.claim(key, request);
    equal(result.kind === "claimed" && !result.takenOver, true, "claim after forget");
    equal(await store.complete(old), false, "complete of the older claim");
    equal(await store.claim(key, request), { kind: "inFlight" }, "state");
  },
  "forget makes conflicts new as well": async (store, key) => {
    for (const round of ["first", "second"]) {
      await store.complete(await take(store, key));
      equal((await store.find(key))?.conflicts, [], `conflicts, ${round} time`);
      await store.recordConflict(key, other);
      await store.forget(key);
    }
  },
  "tokens grow with every claim, over release and forget": async (store, key) => {
    const tokens: bigint[] = [];
    for (const end of ["release", "forget", "release", "forget"]) {
      const claim = await take(store, key);
      tokens.push(BigInt(claim.token));
      await (end === "release" ? store.release(claim) : store.forget(key));
    }
    const isGrowing = tokens.every((token, i) => i === 0 || token > (tokens[i - 1] ?? token));
    equal(isGrowing, true, `growing: ${tokens.join(", ")}`);
  },
  "keys that look alike are apart, and odd ones are fit": async (store, key) => {
    const ends = ["", "e\u0301", "{a}", "x".repeat(150), ..." aA%'\\:/😀\u00e9\u00c9"];
    for (const end of ends)
      equal((await store.claim(key + end, request)).kind, "claimed", `claim on ${JSON.stringify(key + end)}`);
  },
};

async function take(store: WebhookStore, key: string, asked = request): Promise<Claim> {
  return claimOf(await store.claim(key, asked));
}

/** Takes a claim whose lease then runs out. */
async function takeAndExpire(store: WebhookStore, key: string): Promise<Claim> {
  const claim = await take(store, key, short);
  await sleep(short.lease + 30);
  return claim;
}

function claimOf(result: ClaimResult): Claim {
  if (result.kind === "claimed") return result.claim;
  throw new Error(`The store does not keep its promise: expected a claim, got ${JSON.stringify(result)}.`);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  requireEqual("store", actual, expected, what);
}
