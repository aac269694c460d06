import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { expect, it } from "vitest";
import { aiPath, ask } from "../../helpers.ts";
import { send } from "../support.ts";
import { acknowledge, asha, type ConsolePage, path } from "./console-page.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Tests with the keyboard, with windows of all sizes, and with axe. */
export function accessibilityTests(ui: ConsolePage): void {
  it("can be used with the keyboard alone", async () => {
    ui.emulator.deliverTo(acknowledge);
    await send(ui.server.url, path, asha);
    await ui.row("findVpas").waitFor();
    const focused = () =>
      ui.page.evaluate(() => {
        const element = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(element ?? document.body);
        const text = element === document.body ? undefined : element?.textContent;
        return { text, id: element?.id, outline: `${outlineStyle} ${outlineWidth}` };
      });
    /** Tabs to what bears a name, and expects each stop on the way to show that it has the focus. */
    const tabTo = async (text: string) => {
      for (let count = 0; count < 80; count++) {
        await ui.page.keyboard.press("Tab");
        const stop = await focused();
        if (stop.text == null) continue; // The browser's own stop, after the last one of the page.
        expect(stop.outline, stop.text).toBe("solid 3px");
        if (stop.text.includes(text)) return;
      }
      throw new Error(`No stop at ${text}.`);
    };
    await ui.page.keyboard.press("Tab");
    expect((await focused()).text).toBe("Skip to the requests");
    await ui.page.keyboard.press("Enter");
    expect(await focused()).toMatchObject({ id: "requests" });
    await tabTo("verification.findVpas");
    await ui.page.keyboard.press("Enter");
    await ui.row("findVpas").locator(".details pre").first().waitFor();
    await tabTo("+1 min");
    await ui.page.keyboard.press("Space");
    await ui.page.locator("#now").getByText("06:01:00").waitFor();
    await tabTo("HTTP 503");
    await ui.page.keyboard.press("Space");
    await ui.page.locator("#active").getByText("unavailable").waitFor();
    await tabTo("Turn off");
    // A request that arrives in the meantime does not take the focus.
    ui.emulator.on("*", "html-502", { times: 1 });
    await send(ui.server.url, path, asha);
    await ui.row("html-502").waitFor();
    expect((await focused()).text).toBe("Turn off");
    await ui.page.keyboard.press("Enter");
    await ui.page.getByText("None. The latest that fits").waitFor();
    expect((await focused()).text).toBe("Active");
    await tabTo("REJECTED");
    await ui.page.keyboard.press("Enter");
    await ui.page.getByText("delivered", { exact: true }).waitFor();
    await tabTo("Reset");
    await ui.page.keyboard.press("Enter");
    await ui.page.getByText("No requests yet.").waitFor();
  });

  it.each([
    ["light", "rgb(246, 248, 250)"],
    ["dark", "rgb(13, 17, 23)"],
  ] as const)("fits large and small windows in %s, and axe finds nothing", async (colorScheme, background) => {
    // axe itself is a script that the policy would refuse.
    await ui.reopen({ colorScheme, bypassCSP: true });
    ui.emulator.deliverTo(async () => new Response(null, { status: 500 }));
    ui.emulator.on("flights.book", "unavailable");
    await send(ui.server.url, path, asha);
    await send(ui.server.url, aiPath, { ...ask("one two"), stream: true });
    await send(ui.server.url, `${"long".repeat(100)}/path`, {});
    await send(ui.server.url, path, asha, { "x-emulator-response": "html-502" });
    await ui.button("FAILED").click();
    await ui.row("ai.stream").locator("summary").click();
    await ui.page.locator(".pieces > li").first().waitFor();
    await ui.row("longlong").locator("summary").click();
    await ui.page.locator("#delivery-rows > li").waitFor();
    expect(await ui.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(background);
    await ui.page.evaluate(axe);
    for (const [width, height] of [
      [1280, 800],
      [768, 1024],
      [360, 740],
    ] as const) {
      await ui.page.setViewportSize({ width, height });
      expect(await ui.overflow(), `at ${width}`).toBeLessThanOrEqual(0);
      expect((await ui.page.screenshot({ fullPage: true })).length).toBeGreaterThan(10_000);
      const results = (await ui.page.evaluate("axe.run()")) as AxeResults;
      expect(results.violations.map(({ id, nodes }) => [width, id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(results.passes.length).toBeGreaterThan(20);
    }
  });
}
