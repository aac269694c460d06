/** Deliveries that anybody may send to a receiver. */
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import {
  basic,
  custom,
  freshness,
  hmac,
  memoryStore,
  type ReceiverOptions,
  standardWebhooks,
  type WebhookCheck,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { readBody } from "../../../src/webhooks/receive/read-delivery.ts";
import type { DeliveryOptions } from "../../../src/webhooks/types.ts";
import type { Making, Work } from "../count.ts";

/** All keys are equally long, so that the share of digits does not grow with the size. */
const keyOf = (i: number) => `k${String(i).padStart(7, "0")}`;

/** Bodies of about `size` bytes that anybody may send. */
const bodies: Record<string, (size: number) => string> = {
  "nested arrays": (size) => `{"a":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}`,
  "nested objects": (size) => `${'{"a":'.repeat(size / 6)}1${"}".repeat(size / 6)}`,
  "many keys": (size) => `{${Array.from({ length: size / 13 }, (_, i) => `"${keyOf(i)}":1`).join(",")}}`,
  "the same key again and again": (size) =>
    `{${Array.from({ length: size / 16 }, () => '"status":"FAILED"').join(",")}}`,
  "a long reference": (size) => `{"status":"SUCCESS","client_referenceId":"${"x".repeat(size)}"}`,
  "a reference of spaces": (size) => `{"status":"SUCCESS","client_referenceId":"${" ".repeat(size)}x"}`,
  "a long status": (size) => `{"status":"${"S".repeat(size)}1","client_referenceId":"a"}`,
  "white space": (size) => `${" ".repeat(size)}x`,
  "a long number": (size) => `{"status":"FAILED","txn_amount":${"9".repeat(size)}}`,
  "a string of digits": (size) => `{"status":"REJECTED","client_referenceId":"a","txn_amount":"${"0".repeat(size)}x"}`,
  "a prototype key at the end": (size) => `{"a":[${"{},".repeat(size / 3)}{"__proto__":1}]}`,
  escapes: (size) => `{"status":"${"\\u0000".repeat(size / 6)}","client_referenceId":"a"}`,
};

const accept = (options: DeliveryOptions & Pick<ReceiverOptions, "findOrder">) =>
  new Webhooks({ ...options, store: memoryStore() }).handler({
    SUCCESS: () => {},
    FAILED: () => {},
    REJECTED: () => {},
  });
const handler = accept({ auth: "none", findOrder: () => 8500, maxBodyBytes: 16_777_216 });

/** Values that are long in another way. */
const others: Readonly<Record<string, Making>> = {
  "chunks of a body": (count) => {
    const chunk = new Uint8Array(64).fill(32);
    async function* chunks() {
      for (let i = 0; i < count; i += 1) yield chunk;
    }
    return () => readBody(chunks(), { maxBodyBytes: 16_777_216, bodyTimeout: 60_000 });
  },
  headers: (count) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "1"]));
    return () => handler.receive({ headers, body: "{}" });
  },
  "digits of a content-length": (size) => {
    const declared = "9".repeat(size);
    return () => readBody(new Blob(["x"]).stream(), { maxBodyBytes: 100, bodyTimeout: 1_000 }, declared);
  },
};

const secrets = ["k"];
const signed = "timestamp.nonce.body";
/** Every check that reads headers, with the headers that an unauthenticated sender can make long. */
const checks: readonly (readonly [string, WebhookCheck, readonly string[]])[] = [
  ["hmac in hex", hmac({ header: "x-s", secrets }), ["x-s"]],
  ["hmac in base64", hmac({ header: "x-s", encoding: "base64", secrets }), ["x-s"]],
  [
    "hmac with every header",
    hmac({
      header: "x-s",
      prefix: "v1,",
      signed,
      timestampHeader: "x-t",
      nonceHeader: "x-n",
      secrets,
    }),
    ["x-s", "x-t", "x-n"],
  ],
  [
    "standardWebhooks",
    standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
    ["webhook-signature", "webhook-timestamp", "webhook-id"],
  ],
  ["basic", basic({ credentials: [{ username: "u", password: "p" }] }), ["authorization"]],
  ["freshness", freshness({ timestampHeader: "x-t", nonceHeader: "x-n" }), ["x-t", "x-n"]],
  ["ipAllowList", ipAllowList(["203.0.113.0/24"], { trustedProxies: ["10.0.0.0/8"] }), ["x-forwarded-for"]],
  ["no check that reads them", custom(() => false), ["content-type", "content-length", "content-encoding"]],
];
/** Strings of a given length that make backtracking patterns slow. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  padding: (length) => fill("", "=", "b=", length),
  "a prefix and padding": (length) => fill("v1,", "=", "b=", length),
  "fields and padding": (length) => fill("t=1700000000,n=n,v1=", "=", "b=", length),
  spaces: (length) => fill("basic ", " ", "x", length),
  commas: (length) => fill("", ",", "x", length),
  digits: (length) => fill("", "1", "x", length),
  fields: (length) => fill("", "t=1,v1=a,", "x", length),
  base64: (length) => fill("Basic ", "A", "!", length),
  proxies: (length) => fill("", "10.0.0.1, ", "", length),
};
const valid = {
  "x-s": "00",
  "x-t": "1700000000",
  "x-n": "n",
  "webhook-signature": "v1,AA",
  "webhook-timestamp": "1700000000",
};

function fill(start: string, middle: string, end: string, length: number): string {
  const room = length - start.length - end.length;
  return start + middle.repeat(Math.ceil(room / middle.length)).slice(0, room) + end;
}

function receiving(check: WebhookCheck, header: string, make: (length: number) => string): Making {
  return (length) => {
    const { receive } = accept({
      auth: [check, custom(() => false)],
      findOrder: "none",
      now: () => 1_700_000_000_000,
    });
    const headers = { ...valid, [header]: make(length) };
    return () => receive({ headers, body: "{}", remoteAddress: "10.0.0.1" });
  };
}

export const works: Readonly<Record<string, Work>> = Object.fromEntries([
  ...Object.entries(bodies).map(([name, body]) => {
    const make: Making = (size) => {
      const delivery = { headers: {}, body: body(size) };
      return () => handler.receive(delivery);
    };
    return [`a body of ${name}`, { size: 16_000, make }];
  }),
  ...Object.entries(others).map(([name, make]) => [`many ${name}`, { size: 1_000, make }]),
  ...checks.flatMap(([check, auth, headers]) =>
    headers.flatMap((header) =>
      Object.entries(shapes).flatMap(([shape, make]) =>
        // The lengths of the first are within the bound of every header that has one; the others are for those without.
        [256, 4_096].map((size) => [
          `${check}: ${header} of ${size} ${shape}`,
          { size, make: receiving(auth, header, make) },
        ]),
      ),
    ),
  ),
]);
