/**
 * Measures the cost of a delivery, compared with bare node:crypto and the usual libraries:
 *
 *   npm run bench:webhook
 *
 * The rounds alternate, so that a busy machine disturbs all alike. The result is the median of their ratios.
 */
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { Webhooks as OctokitWebhooks } from "@octokit/webhooks";
import { hmac, Webhooks } from "serviceapi/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";

const calls = 2_000;
const rounds = 21;
const secret = "bench secret of a usual length, 40 chars";
const key = createSecretKey(Buffer.from(secret));
const eventOf = (reference: string) =>
  JSON.stringify({
    status: "SUCCESS",
    statusCode: "200",
    transactionId: "TXN202611210000000001",
    client_referenceId: reference,
    txn_amount: 1500.5,
    acknowledged: "1",
    utr: "432112345678",
    description: "Amount settled and credited to the beneficiary account named in the request. ".repeat(2).trim(),
  });
const text = eventOf("01JD5Q0000000000000000BENCH");
const body = Buffer.from(text);
const hex = createHmac("sha256", key).update(body).digest("hex");

const seconds = Math.floor(Date.now() / 1_000);
const whsec = `whsec_${Buffer.from(secret).toString("base64")}`;
const standardHeaders = {
  "webhook-id": "msg_1",
  "webhook-timestamp": String(seconds),
  "webhook-signature": new StandardWebhook(whsec).sign("msg_1", new Date(seconds * 1_000), text),
};
const stripeHeader = Stripe.webhooks.generateTestHeaderString({ payload: text, secret });
const stripe = new Stripe("sk_test_bench");
const svix = new SvixWebhook(whsec);
const svixHeaders = Object.fromEntries(
  Object.entries(standardHeaders).map(([k, v]) => [k.replace("webhook", "svix"), v]),
);
const standard = new StandardWebhook(whsec);
const octokit = new OctokitWebhooks({ secret });

const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [secret] })],
  expectedPayout: () => 1500.5,
});
const handler = webhooks.handler({ SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} });
const headers = { "content-type": "application/json", "x-signature": hex };

/** The handler claims each reference once, so each call needs a new delivery, which is created before the clock starts. */
let number = 0;
const deliveries: { headers: Record<string, string>; body: Buffer }[] = [];
const requests: Request[] = [];
const bareRequests: Request[] = [];
function prepare(): void {
  deliveries.length = 0;
  requests.length = 0;
  bareRequests.length = 0;
  for (let i = 0; i < 3 * calls; i += 1) {
    number += 1;
    const own = Buffer.from(eventOf(`01JD5Q${String(number).padStart(16, "0")}BENCH`));
    const signature = createHmac("sha256", key).update(own).digest("hex");
    const delivery = { headers: { ...headers, "x-signature": signature }, body: own };
    if (i % 3 === 0) deliveries.push(delivery);
    else {
      const request = new Request("http://localhost/hook", { method: "POST", ...delivery, body: new Uint8Array(own) });
      (i % 3 === 1 ? requests : bareRequests).push(request);
    }
  }
}

function bare(bytes: Buffer = body, signature: string = headers["x-signature"]): { client_referenceId: string } {
  const digest = createHmac("sha256", key).update(bytes).digest();
  if (!timingSafeEqual(digest, Buffer.from(signature, "hex"))) throw new Error("no match");
  return JSON.parse(bytes.toString());
}

/** The cost of `Request` and `Response` alone in Node: the same three lines inside both. */
async function bareResponse(request: Request = new Request("http://localhost/hook")): Promise<Response> {
  const bytes = Buffer.from(await request.arrayBuffer());
  const { client_referenceId } = bare(bytes, request.headers.get("x-signature") ?? "");
  return Response.json({ http_status: true, status: "SUCCESS", client_referenceId });
}

const contestants: Record<string, () => unknown> = {
  "node:crypto + JSON.parse": () => bare(),
  "the same, Request to Response": () => bareResponse(bareRequests.pop()),
  "serviceapi verify": () => webhooks.verify({ headers, body }),
  "serviceapi handler, memory store": () => handler.receive(deliveries.pop() ?? { headers, body }),
  "serviceapi handler, Request to Response": () => handler(requests.pop() ?? new Request("http://localhost/hook")),
  stripe: () => stripe.webhooks.constructEvent(body, stripeHeader, secret),
  svix: () => svix.verify(text, svixHeaders),
  standardwebhooks: () => standard.verify(text, standardHeaders),
  octokit: async () => (await octokit.verify(text, `sha256=${hex}`)) && JSON.parse(text),
};

async function cost(call: () => unknown): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < calls; i += 1) await call();
  return ((performance.now() - startedAt) * 1_000) / calls;
}

const costs = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
const entries = Object.entries(contestants);
for (let round = 0; round < rounds + 3; round += 1) {
  prepare();
  // They take turns to be first, because the first one pays for the garbage of the preparation.
  const first = round % entries.length;
  for (const [name, call] of [...entries.slice(first), ...entries.slice(0, first)]) {
    const microseconds = await cost(call);
    if (round >= 3) costs[name]?.push(microseconds);
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const reference = costs["node:crypto + JSON.parse"];
console.log(`A delivery of ${body.length} bytes, median of ${rounds} rounds of ${calls}`);
console.table(
  Object.fromEntries(
    Object.entries(costs).map(([name, values]) => [
      name,
      {
        µs: Number(median(values).toFixed(1)),
        "to node:crypto": Number(median(values.map((value, i) => value / (reference?.[i] ?? Number.NaN))).toFixed(2)),
      },
    ]),
  ),
);
