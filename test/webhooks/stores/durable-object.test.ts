import { describe, expect, it } from "vitest";
import { durableObjectStore, type PayoutClaimStub } from "../../../examples/webhooks-stores/durable-object.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { hasWorkerd, serveWorker } from "../../support/workerd.ts";

/** The worker of the example, with a door for the tests: each request calls one method of one object's stub. */
const worker = `
import { DurableObject } from "cloudflare:workers";
import { PayoutClaim } from "./examples/webhooks-stores/durable-object.ts";
export class PayoutClaims extends DurableObject {
  #claim = new PayoutClaim(this.ctx.storage.kv);
  claim(key, request) { return this.#claim.claim(key, request); }
  complete(claim) { return this.#claim.complete(claim); }
  release(claim) { return this.#claim.release(claim); }
  recordConflict(status) { return this.#claim.recordConflict(status); }
  find() { return this.#claim.find(); }
  forget() { return this.#claim.forget(); }
}
export default {
  async fetch(request, env) {
    const { key, method, given } = await request.json();
    const stub = env.PAYOUT_CLAIMS.get(env.PAYOUT_CLAIMS.idFromName(key));
    return Response.json({ result: await stub[method](...given) });
  },
};`;

const objects = `durableObjectNamespaces = [(className = "PayoutClaims", uniqueKey = "claims", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "PAYOUT_CLAIMS", durableObjectNamespace = "PayoutClaims")],`;

describe.skipIf(!hasWorkerd)("examples/webhooks-stores/durable-object.ts, on real Durable Objects", () => {
  const url = serveWorker(worker, objects);

  const objectOf = (key: string): PayoutClaimStub => {
    const call =
      (method: string) =>
      async (...given: unknown[]) => {
        const response = await fetch(url(), { method: "POST", body: JSON.stringify({ key, method, given }) });
        expect(response.status).toBe(200);
        return ((await response.json()) as { readonly result: never }).result;
      };
    return {
      claim: call("claim"),
      complete: call("complete"),
      release: call("release"),
      recordConflict: call("recordConflict"),
      find: call("find"),
      forget: call("forget"),
    };
  };

  for (const { name, run } of storeSuite(() => durableObjectStore(objectOf))) it(name, run);
});
