import { type WebhookStore, Webhooks } from "../../../src/webhooks/index.ts";

export const claim = { key: "payout:a", effect: "SUCCESS", token: "1" };

/** Calls of each method of a store, and of what `webhooks` does with one. */
export const methods: Readonly<Record<string, (store: WebhookStore) => Promise<unknown>>> = {
  claim: (store) => store.claim("payout:a", { effect: "SUCCESS", lease: 10 }),
  complete: (store) => store.complete(claim),
  release: (store) => store.release(claim),
  recordConflict: (store) => store.recordConflict("payout:a", "FAILED"),
  find: (store) => store.find("payout:a"),
  forget: (store) => store.forget("payout:a"),
  "webhooks.find": (store) => new Webhooks({ store }).find("a"),
  "webhooks.forget": (store) => new Webhooks({ store }).forget("a"),
};
