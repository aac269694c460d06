import { describe, it } from "vitest";
import {
  durableObjectStore,
  PayoutClaim,
  type PayoutClaimStub,
} from "../../../examples/webhooks-stores/durable-object.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";

describe("examples/webhooks-stores/durable-object.ts, on objects that run one call at a time", () => {
  for (const { name, run } of storeSuite(() => durableObjectStore(fakeNamespace()))) it(name, run);
});

/** One object for each key; a call takes its turn, and its arguments and results are copied, as over the wire. */
function fakeNamespace(): (key: string) => PayoutClaimStub {
  const objects = new Map<string, PayoutClaim>();
  const later = async <T>(call: () => T): Promise<T> => {
    await new Promise((resolve) => setImmediate(resolve));
    return structuredClone(call());
  };
  return (key) => {
    const object = objects.get(key) ?? makeObject();
    objects.set(key, object);
    return {
      claim: (...given) => later(() => object.claim(...structuredClone(given))),
      complete: (...given) => later(() => object.complete(...structuredClone(given))),
      release: (...given) => later(() => object.release(...structuredClone(given))),
      recordConflict: (...given) => later(() => object.recordConflict(...structuredClone(given))),
      find: () => later(() => object.find()),
      forget: () => later(() => object.forget()),
    };
  };
}

function makeObject(): PayoutClaim {
  const values = new Map<string, unknown>();
  return new PayoutClaim({
    get: (key) => structuredClone(values.get(key)),
    put: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => values.delete(key),
  });
}
