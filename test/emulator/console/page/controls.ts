import { expect, it } from "vitest";
import { SessionExpiredError, StreamTruncatedError } from "../../../../src/errors/index.ts";
import { ServiceApi } from "../../../../src/index.ts";
import { send } from "../support.ts";
import { asha, type ConsolePage, path } from "./console-page.ts";

/** Tests of the controls: rules and the clock. */
export function controlTests(ui: ConsolePage): void {
  it("switches each fault on and off", async () => {
    for (const [name, rule] of [
      ["Latency of 2 s", { name: "slow:2000", operation: "*" }],
      ["HTTP 503", { name: "unavailable", operation: "*" }],
      ["Cut streams", { name: "reset-mid-body", operation: "ai.stream" }],
      ["Lost booking responses", { name: "reset-after", operation: "flights.book" }],
      ["Price changes", { name: "success-price-changed", operation: "flights.book" }],
    ] as const) {
      await ui.faultSwitch(name).click();
      await ui.page.locator(`[role="switch"][aria-checked="true"]`, { hasText: name }).waitFor();
      expect(ui.emulator.active).toMatchObject([{ ...rule, remaining: Number.POSITIVE_INFINITY }]);
      await ui.faultSwitch(name).click();
      await ui.page.locator(`[role="switch"][aria-checked="false"]`, { hasText: name }).waitFor();
      expect(ui.emulator.active).toEqual([]);
    }
  });

  it("shows the rules that are active, and turns them off", async () => {
    ui.emulator.on("verification.findVpas", "html-502", { times: 2 });
    await ui.page.getByText("verification.findVpas: html-502, 2 more").waitFor();
    expect(await send(ui.server.url, path, asha)).toBe(502);
    await ui.page.getByText("verification.findVpas: html-502, 1 more").waitFor();
    await ui.button(/^Turn off verification.findVpas: html-502/).click();
    await ui.page.getByText("None. The latest that fits").waitFor();
    expect(await send(ui.server.url, path, asha)).toBe(200);
  });

  it("says why the emulator refused", async () => {
    await ui.button("SUCCESS").click();
    await ui.page.getByRole("alert").getByText("No target for webhooks is set").waitFor();
    ui.allowComplaints(/400 \(Bad Request\)/);
  });

  it("moves the clock, and resets", async () => {
    for (const [name, time] of [
      ["+1 min", "2026-11-20 06:01:00 UTC"],
      ["+15 min", "2026-11-20 06:16:00 UTC"],
      ["+1 day", "2026-11-21 06:16:00 UTC"],
    ] as const) {
      await ui.button(name).click();
      await ui.page.locator("#now").getByText(time).waitFor();
    }
    await send(ui.server.url, path, asha);
    ui.emulator.on("*", "unavailable");
    await ui.row("findVpas").waitFor();
    await ui.button("Reset").click();
    await ui.page.getByText("No requests yet.").waitFor();
    expect([ui.emulator.requests, ui.emulator.active]).toEqual([[], []]);
    expect(await ui.faultSwitch("HTTP 503").getAttribute("aria-checked")).toBe("false");
  });

  it("cuts a stream of a client, and moves the clock past the session of a search", async () => {
    const api = new ServiceApi({
      baseUrl: ui.server.url,
      clientId: "demo",
      clientSecret: "demo-secret",
      maxRetries: 0,
    });
    await ui.faultSwitch("Cut streams").click();
    await ui.page.locator("#active").getByText("ai.stream: reset-mid-body").waitFor();
    const stream = await api.ai.stream({ user: { text: "Which train do I take?" } });
    await expect(stream.finalText()).rejects.toBeInstanceOf(StreamTruncatedError);
    await ui.row("200, cut").waitFor();
    const search = ui.emulator.seedSearch();
    await api.flights.fareQuote(search);
    await ui.button("+15 min").click();
    await ui.page.locator("#now").getByText("06:15:00").waitFor();
    await expect(api.flights.fareQuote(search)).rejects.toBeInstanceOf(SessionExpiredError);
    await ui.row("200, failed").waitFor();
    expect(await ui.row("200, failed").locator(".status").getAttribute("data-kind")).toBe("warning");
  });
}
