import { createServer } from "node:http";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { defineOperation } from "../../../../src/operation.ts";
import { send } from "../support.ts";
import type { ConsolePage } from "./console-page.ts";

/** Tests with hostile values, pages and hosts. */
export function hostileTests(ui: ConsolePage): void {
  it("a page of another origin is refused, and changes nothing", async () => {
    const foreign = await ui.page.context().newPage();
    const blank = { contentType: "text/html", body: "<p>" };
    await foreign.route("http://evil.example/", (route) => route.fulfill(blank));
    await foreign.goto("http://evil.example/");
    const refused = foreign.waitForResponse((response) => response.url().startsWith(ui.server.url));
    const name = JSON.stringify({ name: "unavailable" });
    await foreign.evaluate(
      ([url, body]) => fetch(`${url}/__emulator/rules`, { method: "POST", mode: "no-cors", body: `${body}` }),
      [ui.server.url, name],
    );
    expect((await refused).status()).toBe(403);
    expect(ui.emulator.active).toEqual([]);
  });

  it("shows hostile values as text, and stays usable", async () => {
    const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>`;
    const turned = "abc\u202Edef\u0000\u001B[31m\u2066";
    const own = defineOperation({
      name: `${hostile} operation`,
      area: "flights",
      path: "own/operation",
      params: z.looseObject({}),
      body: z.looseObject({}),
    });
    ui.emulator.on(own, { [hostile]: turned });
    await send(
      ui.server.url,
      "own/operation",
      { [hostile]: turned, long: "x".repeat(2_000_000) },
      { "x-own": hostile },
    );
    await send(ui.server.url, `nothing/${hostile}/${"y".repeat(10_000)}`, hostile);
    await send(ui.server.url, "own/operation", { ["n".repeat(2_000_000)]: 1 });
    await send(ui.server.url, "own/operation", "z".repeat(2_000_000));
    ui.emulator.deliverTo(async () => new Response(hostile));
    await ui.emulator.payout({ client_referenceId: `${hostile}${turned}` });
    await ui.page.getByRole("switch", { name: "Show personal data" }).click();
    await ui.page.locator('[role="switch"][aria-checked="true"]').waitFor();
    for (let index = 0; index < 4; index++) {
      await ui.rows().nth(index).locator("summary").click();
      await ui.rows().nth(index).getByText("Request", { exact: true }).waitFor();
    }
    const shown = `${await ui.page.locator("main").textContent()}`;
    expect(shown).toContain('onerror="window.hacked=1"');
    expect(shown).toContain("abc\\u{202e}def");
    expect([...shown].filter((character) => /[^\P{C}\n\t]/u.test(character))).toEqual([]);
    expect(shown.length).toBeLessThan(100_000);
    expect(await ui.page.locator("main img, main script").count()).toBe(0);
    expect(await ui.page.evaluate(() => Reflect.get(window, "hacked"))).toBeUndefined();
    expect(await ui.overflow()).toBe(0);
    await ui.button("Reset").click();
    await ui.page.getByText("No requests yet.").waitFor();
  });

  it("is not shown in a frame of another page", async () => {
    const other = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(`<iframe src="${ui.server.url}/"></iframe>`);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const framing = await ui.page.context().newPage();
    const errors: string[] = [];
    framing.on("console", (message) => errors.push(message.text()));
    await framing.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    expect(errors.join()).toMatch(/frame-ancestors|X-Frame-Options/);
    const [, frame] = framing.frames();
    expect(await frame?.content()).not.toContain("Emulator console");
    other.close();
  });

  it("has no switch for personal data where the host is not loopback", async () => {
    await ui.page.context().close();
    await ui.server.close();
    await ui.serve(ui.emulator, { host: "0.0.0.0", console: { allowNonLoopbackHost: true } });
    await ui.reopen();
    expect(await ui.page.getByRole("switch", { name: "Show personal data" }).count()).toBe(0);
  });
}
