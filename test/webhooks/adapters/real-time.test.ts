import { describe, expect, it } from "vitest";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { hmac, sign } from "../../../src/webhooks/index.ts";
import { listen } from "../../support/server.ts";
import { eventOf, receiver, reference } from "../support.ts";

const check = hmac({ header: "x-signature", secrets: ["s"] });
const deliver = async (url: string) => {
  const { headers, body } = await sign(eventOf("SUCCESS"), check);
  return (await fetch(url, { method: "POST", headers, body })).json();
};

describe("§6.3 in real time", () => {
  it("a handler that sleeps 8 s: the response leaves before 7 s, and the redelivery is DUPLICATE", {
    timeout: 15_000,
  }, async () => {
    let wake = () => {};
    const committed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const { handler, told } = receiver({
      SUCCESS: () => new Promise<void>((resolve) => setTimeout(resolve, 8_000)).then(() => setImmediate(wake)),
    });
    const { url } = await listen(nodeHandler(handler));
    const startedAt = performance.now();
    expect(await deliver(url)).toMatchObject({ status: "FAILED", client_referenceId: reference });
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    await committed;
    expect(await deliver(url)).toMatchObject({ status: "DUPLICATE" });
    expect(told).toMatchObject([{ hook: "onError", error: { reason: "ackTimeout" } }]);
  });
});
