import { describe, expect, it, vi } from "vitest";
import { sleep } from "../../../src/shared/promises.ts";
import { nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { hmac, sign } from "../../../src/webhooks/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { listen } from "../../support/server.ts";
import { eventOf, receiver, reference } from "../support.ts";

const check = hmac({ header: "x-signature", secrets: ["s"] });
const deliver = async (url: string) => {
  const { headers, body } = await sign(eventOf("SUCCESS"), check);
  return (await fetch(url, { method: "POST", headers, body })).json();
};

describe("§6.3 over HTTP", () => {
  it("a handler that sleeps 8 s: the response leaves before 7 s, and the redelivery is DUPLICATE", async () => {
    stopClock("setTimeout", "clearTimeout", "performance");
    const [begun, committed] = [gate(), gate()];
    const { handler, told } = receiver({
      SUCCESS: () => {
        begun.open();
        return sleep(8_000).then(() => setImmediate(committed.open));
      },
    });
    const { url } = await listen(nodeHandler(handler));
    const response = deliver(url);
    await begun.opened;
    vi.advanceTimersByTime(6_999);
    expect(await response).toMatchObject({ status: "FAILED", client_referenceId: reference });
    vi.advanceTimersByTime(1_001);
    await committed.opened;
    expect(await deliver(url)).toMatchObject({ status: "DUPLICATE" });
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "ackTimeout" } }]);
  });
});
