import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createRequire } from "node:module";
import { build } from "esbuild";
import { type Delivery, functionUrl, gatewayV1, gatewayV2, loadBalancer, multiValueLoadBalancer } from "./events.ts";
import { credited, handler, limited, limitedBehindLoadBalancer, refusals, webhooks } from "./function.ts";
import { payout } from "./shared/payouts.mjs";
import { variant } from "./shared/variants.mjs";

type Event = Parameters<typeof handler>[0];
type Result = Awaited<ReturnType<typeof handler>>;

const triggers: Readonly<Record<string, (delivery: Delivery) => Event>> = {
  "API Gateway v1": gatewayV1,
  "API Gateway v2": gatewayV2,
  "function URL": functionUrl,
  ALB: loadBalancer,
  "ALB, multi-value headers": multiValueLoadBalancer,
};

for (const [name, eventOf] of Object.entries(triggers)) {
  const reference = name.replaceAll(/\W+/g, "-");
  const sign = () => webhooks.sign(payout(reference));

  await variant(name, async () => {
    const delivery = await sign();
    const wrong = { ...delivery, headers: { ...delivery.headers, "x-signature": "0".repeat(64) } };
    deepStrictEqual(statusOf(name, await invoke(handler, eventOf(wrong))), "FAILED");
    deepStrictEqual(refusals.splice(0), ["signatureMismatch"]);
    deepStrictEqual(statusOf(name, await invoke(handler, eventOf(delivery))), "SUCCESS");
    deepStrictEqual(statusOf(name, await invoke(handler, eventOf(delivery))), "DUPLICATE");
    deepStrictEqual(credited.splice(0), [reference]);
  });

  await variant(`${name}: the sender's IP address`, async () => {
    const isLoadBalancer = name.startsWith("ALB");
    const checked = async (check: typeof handler, sent: Event) => {
      const status = statusOf(name, await invoke(check, sent));
      return [status, ...refusals.splice(0), credited.splice(0).length];
    };
    const delivery = eventOf(await sign());
    deepStrictEqual(
      await checked(limited, delivery),
      isLoadBalancer ? ["FAILED", "addressUnknown", 0] : ["SUCCESS", 1],
    );
    if (!isLoadBalancer) return;
    deepStrictEqual(await checked(limitedBehindLoadBalancer, delivery), ["SUCCESS", 1]);
    const forged = JSON.parse(
      JSON.stringify(delivery).replace("198.51.100.1, 203.0.113.7", "203.0.113.7, 198.51.100.1"),
    );
    deepStrictEqual(await checked(limitedBehindLoadBalancer, forged), ["FAILED", "refusedByCheck", 0]);
  });
}

await variant("bundled to CommonJS", async () => {
  await build({
    entryPoints: ["function.ts"],
    bundle: true,
    minify: true,
    platform: "node",
    target: "node22",
    outfile: "out/function.cjs",
  });
  const bundled = createRequire(import.meta.url)("./out/function.cjs") as typeof import("./function.ts");
  const delivery = await bundled.webhooks.sign({ status: "DUPLICATE", client_referenceId: "po-1" });
  const result = await invoke(bundled.handler, gatewayV2(delivery));
  strictEqual(statusOf("API Gateway v2", result), "DUPLICATE");
});

/** An event and a result cross as JSON. */
async function invoke(invoked: typeof handler, event: Event): Promise<Result> {
  return JSON.parse(JSON.stringify(await invoked(JSON.parse(JSON.stringify(event)))));
}

/** The status of the acknowledgement, from a response that the trigger accepts. */
function statusOf(name: string, { statusCode, headers, multiValueHeaders, body, isBase64Encoded }: Result): string {
  strictEqual(statusCode, 200);
  strictEqual(isBase64Encoded, false);
  const type = name.endsWith("multi-value headers")
    ? multiValueHeaders?.["content-type"]?.[0]
    : headers["content-type"];
  strictEqual(type?.startsWith("application/json"), true, `content-type: ${type}`);
  return JSON.parse(body).status;
}
