import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { durableObjectStore, type PayoutClaimStub } from "../../../examples/webhooks-stores/durable-object.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { workerdPort } from "../../support/workerd-port.ts";

/** Comes with `npm --prefix test/runtimes ci`. */
const binary = "test/runtimes/node_modules/@cloudflare/workerd-linux-64/bin/workerd";
const directory = mkdtempSync(join(tmpdir(), "serviceapi-durable-object-"));
afterAll(() => rmSync(directory, { recursive: true }));

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

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "${directory}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "PayoutClaims", uniqueKey = "claims", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "PAYOUT_CLAIMS", durableObjectNamespace = "PayoutClaims")],
);`;

describe.skipIf(!existsSync(binary))("examples/webhooks-stores/durable-object.ts, on real Durable Objects", () => {
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    await build({
      stdin: { contents: worker, resolveDir: "." },
      external: ["cloudflare:workers"],
      bundle: true,
      format: "esm",
      platform: "neutral",
      outfile: join(directory, "worker.mjs"),
      logLevel: "error",
    });
    writeFileSync(join(directory, "config.capnp"), config);
    const child = spawn(binary, ["serve", "--control-fd=3", join(directory, "config.capnp")], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    stop = async () => {
      child.kill();
      await once(child, "close");
    };
    url = `http://127.0.0.1:${await workerdPort(child.stdio[3] as Readable)}`;
  });
  afterAll(() => stop());

  const objectOf = (key: string): PayoutClaimStub => {
    const call =
      (method: string) =>
      async (...given: unknown[]) => {
        const response = await fetch(url, { method: "POST", body: JSON.stringify({ key, method, given }) });
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
