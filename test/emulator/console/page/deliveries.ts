import { expect, it } from "vitest";
import { acknowledge, type ConsolePage } from "./console-page.ts";

/** Tests of the payouts that the console sends, and of their deliveries. */
export function deliveryTests(ui: ConsolePage): void {
  it("sends a payout of each status, and shows its delivery", async () => {
    ui.emulator.deliverTo(acknowledge);
    for (const status of ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"]) {
      await ui.button(status).click();
      const delivery = ui.page.locator("#delivery-rows > li").filter({ hasText: `${status}delivered` });
      await delivery.getByText("delivered").waitFor();
      expect(await delivery.textContent()).toMatch(
        new RegExp(`demo-po-\\d+${status}delivered.*HTTP 200SUCCESSacknowledged\\d+ ms`),
      );
      expect(ui.emulator.deliveries.at(-1)?.event.status).toBe(status);
    }
  });

  it("shows the notifications of each plan", async () => {
    ui.emulator.deliverTo(acknowledge);
    for (const [plan, statuses] of [
      ["race", ["SUCCESS", "SUCCESS"]],
      ["conflict", ["SUCCESS", "FAILED"]],
      ["twice", ["SUCCESS", "SUCCESS"]],
    ] as const) {
      await ui.button("Reset").click();
      await ui.page.getByText("No payouts yet.").waitFor();
      await ui.emulator.payout({ plan });
      await ui.page.locator("#delivery-rows > li").nth(1).waitFor();
      await ui.button("+15 min").click();
      await ui.page.locator("#delivery-rows > li").filter({ hasText: "acknowledged" }).nth(1).waitFor();
      expect(ui.emulator.deliveries.map(({ event }) => event.status)).toEqual(statuses);
    }
  });

  it("shows the verdict on each acknowledgement, the retries, and the end of them", async () => {
    ui.emulator.deliverTo(async () => Response.json({ status: "SUCCESS" }, { status: 500 }));
    await ui.button("SUCCESS").click();
    const delivery = ui.page.locator("#delivery-rows > li").first();
    await delivery.getByText("next attempt at 06:00:30").waitFor();
    for (const problem of ui.emulator.deliveries[0]?.attempts[0]?.problems ?? ["?"]) {
      expect(await delivery.textContent()).toContain(problem);
    }
    await ui.button("+15 min").click();
    await delivery.getByText("Failed Delivery").waitFor();
    expect(await delivery.locator("ol > li").count()).toBe(4);
  });
}
