import { describe, expect, it } from "vitest";
import { memoryStore, type WebhookStore } from "../../../src/webhooks/index.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { faultyOf } from "../support.ts";

/** Stores with one fault each, of the kinds that people write. */
const faults: Record<string, (store: WebhookStore) => Partial<WebhookStore>> = {
  "checks, then acts": (store) => {
    const seen = new Set<string>();
    return {
      async claim(key, request) {
        if (seen.has(key)) return { kind: "inFlight" };
        await new Promise((resolve) => setTimeout(resolve, 1));
        seen.add(key);
        return { kind: "claimed", claim: { key, effect: request.effect, token: String(Date.now()) }, takenOver: false };
      },
      forget: (key) => store.forget(key),
    };
  },
  "has no lease": (store) => ({ claim: (key, request) => store.claim(key, { ...request, lease: 1e9 }) }),
  "has no fencing": () => ({ complete: async () => true }),
  "completes a claim once": (store) => {
    const tokens = new Set<string>();
    return {
      async complete(claim) {
        if (tokens.has(claim.token)) return false;
        tokens.add(claim.token);
        return store.complete(claim);
      },
    };
  },
  "cannot release": () => ({ release: async () => {} }),
  "forgets on release": (store) => ({ release: (claim) => store.forget(claim.key) }),
  "cannot forget": () => ({ forget: async () => {} }),
  "folds the case of keys": (store) => ({ claim: (key, request) => store.claim(key.toLowerCase(), request) }),
  "cannot record a conflict": () => ({ recordConflict: async () => {} }),
  "records a conflict before it was told": (store) => ({
    claim: async (key, request) => {
      const result = await store.claim(key, request);
      if (result.kind === "done") await store.recordConflict(key, request.effect);
      return result;
    },
  }),
  "reports no conflict": (store) => ({
    claim: async (key, request) => {
      const result = await store.claim(key, request);
      return result.kind === "done" ? { ...result, conflicts: [] } : result;
    },
  }),
  "finds nothing": () => ({ find: async () => undefined }),
  "lets what is done run out with its lease": (store) => {
    const leases = new Map<string, number>();
    return {
      async claim(key, request) {
        if ((leases.get(key) ?? Number.POSITIVE_INFINITY) <= Date.now()) await store.forget(key);
        const result = await store.claim(key, request);
        if (result.kind === "claimed") leases.set(key, Date.now() + request.lease);
        return result;
      },
    };
  },
  "keeps the last effect": (store) => ({
    claim: async (key, request) => {
      const result = await store.claim(key, request);
      return result.kind === "done" ? { ...result, effect: request.effect } : result;
    },
  }),
};

describe("storeSuite finds a store that", () => {
  it.each(Object.entries(faults))("%s", async (_, fault) => {
    const outcomes = await Promise.allSettled(
      storeSuite(() => {
        const store = memoryStore();
        return faultyOf(store, fault(store));
      }).map(({ run }) => run()),
    );
    const messages = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.every((message) => message.includes("does not keep its promise"))).toBe(true);
  });

  it("is not created by a function, and refuses it", () => {
    expect(() => storeSuite(memoryStore() as never)).toThrow(/must be a function/);
  });
});
