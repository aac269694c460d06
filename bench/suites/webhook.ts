/**
 * A payout notification of 400 bytes, signed with HMAC. `verify` is to HMAC, `timingSafeEqual` and `JSON.parse`. Each
 * contestant gets the bytes, as a server receives them, and decodes them if its library takes strings; svix and octokit
 * leave the parsing to the caller. stripe, svix and standardwebhooks also check a time stamp. The whole handler also
 * checks the amount, claims the reference in a store, calls the work and commits: it is held to the same floor. From
 * `Request` to `Response`, Node's own two classes are the floor, around the same three lines.
 */
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { Webhooks as OctokitWebhooks } from "@octokit/webhooks";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { type Delivery, deliveryOf, newDeliveries, secret } from "../deliveries.ts";
import { type Contestant, compare, type Figure } from "../measure.ts";

type Event = { readonly client_referenceId: string };

const key = createSecretKey(Buffer.from(secret));
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [secret] })],
  store: memoryStore(),
  findOrder: () => 1500.5,
});
const handler = webhooks.handler({ SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} });

function bare(body: Buffer, signature: string): Event {
  const digest = createHmac("sha256", key).update(body).digest();
  if (!timingSafeEqual(digest, Buffer.from(signature, "hex"))) throw new Error("no match");
  return JSON.parse(body.toString()) as Event;
}

async function bareResponse(request: Request): Promise<Response> {
  const { client_referenceId } = bare(
    Buffer.from(await request.arrayBuffer()),
    request.headers.get("x-signature") ?? "",
  );
  return Response.json({ http_status: true, status: "SUCCESS", client_referenceId });
}

const floor = "HMAC + parse";

export async function run(): Promise<Figure[]> {
  const shared = { unit: "µs", floor, operations: 2_000 };
  const expect = "01JD5Q0000000000000000BENCH";
  return [
    ...(await compare({ ...shared, measure: "verify", contestants: verifiers(deliveryOf(expect)), expect })),
    ...(await compare({ ...shared, measure: "handler", contestants: handlers(), expect: 200 })),
    ...(await compare({
      ...shared,
      measure: "handler, Request to Response",
      contestants: responders(),
      expect: 200,
    })),
  ];
}

/** Each verifies the same body and returns the reference in it. */
function verifiers({ headers, body }: Delivery): Contestant[] {
  const text = body.toString();
  const signature = headers["x-signature"] ?? "";
  const now = new Date();
  const whsec = `whsec_${Buffer.from(secret).toString("base64")}`;
  const standard = new StandardWebhook(whsec);
  const svix = new SvixWebhook(whsec);
  const octokit = new OctokitWebhooks({ secret });
  const stripe = new Stripe("sk_test_bench");
  const stripeHeader = Stripe.webhooks.generateTestHeaderString({ payload: text, secret });
  const signed = (prefix: string) => ({
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(Math.floor(now.getTime() / 1_000)),
    [`${prefix}-signature`]: standard.sign("msg_1", now, text),
  });
  const [standardHeaders, svixHeaders] = [signed("webhook"), signed("svix")];
  const referenceOf = (event: unknown) => (event as Event).client_referenceId;
  return [
    { name: floor, run: () => bare(body, signature).client_referenceId },
    { name: "serviceapi", run: async () => (await webhooks.verify({ headers, body })).client_referenceId },
    { name: "stripe", run: () => referenceOf(stripe.webhooks.constructEvent(body, stripeHeader, secret)) },
    {
      name: "svix",
      run: () => {
        const decoded = body.toString();
        // It throws, or returns nothing.
        svix.verify(decoded, svixHeaders);
        return referenceOf(JSON.parse(decoded));
      },
    },
    { name: "standardwebhooks", run: () => referenceOf(standard.verify(body.toString(), standardHeaders)) },
    {
      name: "octokit",
      run: async () => {
        const decoded = body.toString();
        return (await octokit.verify(decoded, `sha256=${signature}`)) && referenceOf(JSON.parse(decoded));
      },
    },
  ];
}

/** A handler claims each reference once, so each operation needs a new delivery, made before the clock starts. */
function handlers(): Contestant[] {
  const queue = newDeliveries((delivery) => delivery);
  const respond = ({ headers, body }: Delivery) => (bare(body, headers["x-signature"] ?? "") ? 200 : 500);
  return [
    { name: floor, setup: queue.fill, run: () => respond(queue.take()) },
    { name: "serviceapi", setup: queue.fill, run: async () => (await handler.receive(queue.take())).status },
  ];
}

function responders(): Contestant[] {
  const queue = newDeliveries((delivery) => new Request("http://localhost/hook", { method: "POST", ...delivery }));
  return [
    { name: floor, setup: queue.fill, run: async () => (await bareResponse(queue.take())).status },
    { name: "serviceapi", setup: queue.fill, run: async () => (await handler(queue.take())).status },
  ];
}
