/** A script that settles a payout while the store is away: for longer than anything but the commit keeps it alive. */
import { memoryStore, Webhooks } from "../../../src/webhooks/index.ts";

const inner = memoryStore();
let isAway = true;
setTimeout(() => (isAway = false), 1_000).unref();
const store = {
  claim: inner.claim.bind(inner),
  complete: async (claim: Parameters<typeof inner.complete>[0]) => {
    if (isAway) throw new Error("the store is away");
    return inner.complete(claim);
  },
  release: inner.release.bind(inner),
  recordConflict: inner.recordConflict.bind(inner),
  find: inner.find.bind(inner),
  forget: inner.forget.bind(inner),
};
const webhooks = new Webhooks({ store, findOrder: "none", ackTimeout: 500, workTimeout: 500 });
const event = { status: "REJECTED", client_referenceId: "po-1" };
console.log(await webhooks.process(event, { SUCCESS() {}, FAILED() {}, REJECTED() {} }));
