import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createEmulator, type Emulator, type EmulatorServer } from "../../../src/emulator/emulator.ts";
import { defineOperation } from "../../../src/operation.ts";
import { Webhooks } from "../../../src/webhooks/index.ts";
import { hasChromium, startChromium } from "../../support/chromium.ts";
import { aiPath, ask, lookUp, now } from "../helpers.ts";
import { send } from "./support.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const path = "verification/upimobile_multiple";
const asha = lookUp("9876540001");
const acknowledge = async (request: Request) =>
  Response.json(new Webhooks().acknowledge(await request.json(), "SUCCESS"));

describe.skipIf(!hasChromium)(
  "the console in Chromium (skipped unless it is at /usr/bin/chromium or $CHROMIUM)",
  { timeout: 60_000 },
  () => {
    let browser: Browser;
    let emulator: Emulator;
    let server: EmulatorServer;
    let page: Page;
    /** What the browser complains about: errors, violations of the policy, requests to elsewhere. */
    let complaints: string[];

    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(async () => browser?.close());

    beforeEach(async () => {
      emulator = createEmulator({ now, pace: 0 });
      server = await emulator.listen({ console: true });
      page = await openConsole();
    });
    afterEach(async () => {
      await page.context().close();
      await server.close();
      expect(complaints).toEqual([]);
    });

    async function openConsole(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
      const context = await browser.newContext(options);
      const opened = await context.newPage();
      complaints = [];
      opened.on("console", (message) => complaints.push(message.text()));
      opened.on("pageerror", (error) => complaints.push(error.message));
      opened.on("request", (request) => {
        if (new URL(request.url()).origin !== server.url) complaints.push(request.url());
      });
      await opened.goto(server.url);
      await opened.getByText("Connected", { exact: true }).waitFor();
      await opened.getByRole("button", { name: "senior-fare" }).waitFor();
      return opened;
    }

    const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
    const faultSwitch = (name: string) => page.getByRole("switch", { name });
    const rows = () => page.locator("#exchanges > li");
    const row = (name: string | RegExp) => rows().filter({ hasText: name }).first();

    it("loads without an error, a violation of its policy, or a request to the emulator", async () => {
      expect(await page.title()).toBe("Emulator console");
      expect(emulator.requests).toEqual([]);
      expect(await page.getByText("No requests yet.").isVisible()).toBe(true);
      expect(new URL(page.url()).search).toBe("");
    });

    it("shows requests as they arrive: operation, scenario, status, duration", async () => {
      emulator.use("unavailable", { times: 1 });
      await send(server.url, path, asha);
      await row("503").waitFor();
      expect(await row("503").textContent()).toMatch(/06:00:00POSTverification\.findVpasunavailable503\d+ ms/);
      expect(await page.locator("#announcement").textContent()).toBe("New request: verification.findVpas 503");
      await send(server.url, path, asha);
      await row("200").waitFor();
      await send(server.url, path, asha, { "x-emulator-scenario": "reset" });
      await row("dropped").waitFor();
      expect(await rows().first().textContent()).toContain("dropped");
      expect(await page.locator("#requests-count").textContent()).toBe("(3)");
    });

    it("opens headers and body, masked; personal data on request, credentials never", async () => {
      const headers = { "client-id": "partner-17", "client-secret": "s3cr3t-value", authorization: "Bearer t0k3n" };
      await send(server.url, path, asha, headers);
      await row("findVpas").getByRole("button").click();
      const details = row("findVpas").locator(".details");
      await details.getByText('"status": "success"').waitFor();
      const masked = await details.textContent();
      expect(masked).toContain("content-type");
      expect(masked).not.toMatch(/9876540001|partner-17|s3cr3t|t0k3n/);
      await page.getByRole("switch", { name: "Show personal data" }).click();
      await details.getByText('"vpa_mobile": "9876540001"').waitFor();
      expect(await details.textContent()).not.toMatch(/partner-17|s3cr3t|t0k3n/);
      expect(new URL(page.url()).href).toBe(`${server.url}/`);
      await page.getByRole("switch", { name: "Show personal data" }).click();
      await details.getByText('"vpa_mobile": "[10 characters]"').waitFor();
      // It is off again when the page is opened again.
      await page.getByRole("switch", { name: "Show personal data" }).click();
      await details.getByText("9876540001").first().waitFor();
      await page.reload();
      await row("findVpas").waitFor();
      expect(await page.getByRole("switch", { name: "Show personal data" }).getAttribute("aria-checked")).toBe("false");
    });

    it("shows the events of a stream as they are sent", async () => {
      emulator.script("ai.stream", ["one", "two", "three"], { eventDelay: 60_000 });
      const done = send(server.url, aiPath, { ...ask("x"), stream: true });
      await row("200, sending").getByRole("button").click();
      const pieces = page.locator(".pieces > li");
      for (const count of [1, 2, 3]) {
        await pieces.nth(count - 1).waitFor();
        expect(await pieces.count()).toBe(count);
        await button("+1 min").click();
      }
      await button("+1 day").click();
      await done;
      await row(/200(?!,)/).waitFor();
      expect(await pieces.count()).toBe(5);
      expect(await pieces.last().textContent()).toContain("response_completed");
    });

    it.each([
      ["Latency of 2 s", { scenario: "slow:2000", operation: undefined }],
      ["HTTP 503", { scenario: "unavailable", operation: undefined }],
      ["Cut streams", { scenario: "reset-mid-body", operation: "ai.stream" }],
      ["Lost booking responses", { scenario: "reset-after", operation: "flights.book" }],
      ["Price changes", { scenario: "success-price-changed", operation: "flights.book" }],
    ])("switches %s on and off", async (name, scenario) => {
      await faultSwitch(name).click();
      await page.locator(`[role="switch"][aria-checked="true"]`, { hasText: name }).waitFor();
      expect(emulator.active).toEqual([{ ...scenario, remaining: Number.POSITIVE_INFINITY }]);
      await faultSwitch(name).click();
      await page.locator(`[role="switch"][aria-checked="false"]`, { hasText: name }).waitFor();
      expect(emulator.active).toEqual([]);
    });

    it("uses any scenario, shows what is in force, and turns it off", async () => {
      await page.getByLabel("Scenario").selectOption("html-502");
      await page.getByLabel("Operation").selectOption("verification.findVpas");
      await page.getByLabel("Times").fill("2");
      await button("Use").click();
      await page.getByText("html-502 for verification.findVpas, 2 more").waitFor();
      expect(await send(server.url, path, asha)).toBe(502);
      await page.getByText("html-502 for verification.findVpas, 1 more").waitFor();
      await button(/^Turn off html-502/).click();
      await page.getByText("None. A request meets").waitFor();
      expect(await send(server.url, path, asha)).toBe(200);
    });

    it("says why the emulator refused", async () => {
      await page.getByLabel("Scenario").selectOption("failed-partial");
      await page.getByLabel("Operation").selectOption("ai.stream");
      await button("Use").click();
      await page.getByRole("alert").getByText('knows no scenario of ai.stream "failed-partial"').waitFor();
      await button("SUCCESS").click();
      await page.getByRole("alert").getByText("No target for webhooks is set").waitFor();
      complaints = complaints.filter((text) => !/400 \(Bad Request\)/.test(text));
    });

    it("starts every flight search, and copies its tokens", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const names = await page.locator("#search-names button").allTextContents();
      expect(names).toHaveLength(13);
      for (const name of names) {
        await button(name).click();
        await page.locator("#seeded > li").first().getByText(name, { exact: true }).waitFor();
        const copied = async (what: string) => {
          await button(`Copy ${what}`).first().click();
          await button(`Copied ${what}`).first().waitFor();
          return page.evaluate(() => navigator.clipboard.readText());
        };
        const both = JSON.parse(await copied("both as JSON"));
        expect([await copied("trace_id"), await copied("token")]).toEqual([both.trace_id, both.token]);
        expect(await send(server.url, "flight/fare_quote", { ...both, client_referenceId: "r" })).toBe(200);
      }
      expect(await page.locator("#seeded > li").count()).toBe(5);
    });

    it.each(["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"])(
      "sends a payout %s, and shows its delivery",
      async (status) => {
        emulator.deliverTo(acknowledge);
        await page.getByLabel("Reference").fill("order-17");
        await page.getByLabel("Amount").fill("12.5");
        await button(status).click();
        const delivery = page.locator("#delivery-rows > li").first();
        await delivery.getByText("delivered").waitFor();
        expect(await delivery.textContent()).toMatch(
          new RegExp(`order-17${status}delivered.*HTTP 200SUCCESSacknowledged\\d+ ms`),
        );
        expect(emulator.deliveries[0]?.event.status).toBe(status);
      },
    );

    it.each([
      ["race", 2, ["SUCCESS", "SUCCESS"]],
      ["conflict", 2, ["SUCCESS", "FAILED"]],
      ["twice", 2, ["SUCCESS", "SUCCESS"]],
    ])("sends the notifications of plan %s", async (plan, count, statuses) => {
      emulator.deliverTo(acknowledge);
      await page.getByLabel("Plan").selectOption(plan);
      await button("SUCCESS").click();
      await page
        .locator("#delivery-rows > li")
        .nth(count - 1)
        .waitFor();
      await button("+15 min").click();
      await page
        .locator("#delivery-rows > li")
        .filter({ hasText: "acknowledged" })
        .nth(count - 1)
        .waitFor();
      expect(emulator.deliveries.map(({ event }) => event.status)).toEqual(statuses);
    });

    it("shows the verdict on each acknowledgement, the retries, and the end of them", async () => {
      emulator.deliverTo(async () => Response.json({ status: "SUCCESS" }, { status: 500 }));
      await button("SUCCESS").click();
      const delivery = page.locator("#delivery-rows > li").first();
      await delivery.getByText("next attempt at 06:00:30").waitFor();
      for (const problem of emulator.deliveries[0]?.attempts[0]?.problems ?? ["?"]) {
        expect(await delivery.textContent()).toContain(problem);
      }
      await button("+15 min").click();
      await delivery.getByText("Failed Delivery").waitFor();
      expect(await delivery.locator("ol > li").count()).toBe(4);
    });

    it("moves the clock, and resets", async () => {
      for (const [name, time] of [
        ["+1 min", "2026-11-20 06:01:00 UTC"],
        ["+15 min", "2026-11-20 06:16:00 UTC"],
        ["+1 day", "2026-11-21 06:16:00 UTC"],
      ] as const) {
        await button(name).click();
        await page.locator("#now").getByText(time).waitFor();
      }
      await send(server.url, path, asha);
      emulator.use("unavailable");
      await row("findVpas").waitFor();
      await button("Reset").click();
      await page.getByText("No requests yet.").waitFor();
      expect([emulator.requests, emulator.active]).toEqual([[], []]);
      expect(await faultSwitch("HTTP 503").getAttribute("aria-checked")).toBe("false");
    });

    it("lists the bookings, with a PNR only on request", async () => {
      const quote = await emulator.fetch("http://x/flight/fare_quote", {
        method: "POST",
        headers: { "client-id": "c", "client-secret": "s", "content-type": "application/json" },
        body: JSON.stringify({ ...emulator.seedSearch(), client_referenceId: "r" }),
      });
      const { data } = await quote.json();
      emulator.script("flights.book", { data: { trace_id: data.trace_id } });
      const person = { title: "Ms", fname: "ASHA", lname: "EXAMPLE", mobile: "9876540001", email: "asha@mail.example" };
      const home = { address: "1 Placeholder Road", city: "Pune", country: "India", country_code: "IN" };
      const passenger = { ...person, ...home, passenger_type: "adult", dob: "1990-01-31", gender: "F" };
      const { token } = data.result[0];
      const body = { client_referenceId: "trip-1", trace_id: data.trace_id, token, passengers: [passenger] };
      expect(await send(server.url, "flight/book", body)).toBe(200);
      const booking = page.locator("#booking-rows > li");
      await booking.getByText("trip-1").waitFor();
      const pnr = `${emulator.bookings[0]?.pnr}`;
      expect(await booking.textContent()).not.toContain(pnr);
      await page.getByRole("switch", { name: "Show personal data" }).click();
      await booking.getByText(pnr).waitFor();
    });

    it("connects again to an emulator that was started again", async () => {
      await send(server.url, path, asha);
      await row("findVpas").waitFor();
      await server.close();
      await page.getByText("Not connected. Trying again …").waitFor();
      server = await createEmulator({ now }).listen({ console: true, port: server.port });
      await page.getByText("Connected", { exact: true }).waitFor();
      await page.getByText("No requests yet.").waitFor();
      complaints = complaints.filter(
        (text) => !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY)/.test(text),
      );
    });

    it("can be used with the keyboard alone", async () => {
      emulator.deliverTo(acknowledge);
      await send(server.url, path, asha);
      await row("findVpas").waitFor();
      const focused = () =>
        page.evaluate(() => {
          const element = document.activeElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(element ?? document.body);
          const text = element === document.body ? undefined : element?.textContent;
          return { text, id: element?.id, outline: `${outlineStyle} ${outlineWidth}` };
        });
      /** Tabs to what bears a name, and expects each stop on the way to show that it has the focus. */
      const tabTo = async (text: string) => {
        for (let count = 0; count < 80; count++) {
          await page.keyboard.press("Tab");
          const stop = await focused();
          if (stop.text == null) continue; // The browser's own stop, after the last one of the page.
          expect(stop.outline, stop.text).toBe("solid 3px");
          if (stop.text.includes(text)) return;
        }
        throw new Error(`No stop at ${text}.`);
      };
      await page.keyboard.press("Tab");
      expect((await focused()).text).toBe("Skip to the requests");
      await page.keyboard.press("Enter");
      expect(await focused()).toMatchObject({ id: "requests" });
      await tabTo("verification.findVpas");
      await page.keyboard.press("Enter");
      await row("findVpas").locator(".details pre").first().waitFor();
      await tabTo("+1 min");
      await page.keyboard.press("Space");
      await page.locator("#now").getByText("06:01:00").waitFor();
      await tabTo("HTTP 503");
      await page.keyboard.press("Space");
      await page.locator("#active").getByText("unavailable").waitFor();
      await tabTo("Turn off");
      // What arrives in the meantime takes the focus from nobody.
      emulator.use("html-502", { times: 1 });
      await send(server.url, path, asha);
      await row("html-502").waitFor();
      expect((await focused()).text).toBe("Turn off");
      await page.keyboard.press("Enter");
      await page.getByText("None. A request meets").waitFor();
      expect((await focused()).text).toBe("In force");
      await tabTo("REJECTED");
      await page.keyboard.press("Enter");
      await page.getByText("delivered", { exact: true }).waitFor();
      await tabTo("senior-fare");
      await page.keyboard.press("Enter");
      await page.locator("#seeded > li").waitFor();
      await tabTo("Reset");
      await page.keyboard.press("Enter");
      await page.getByText("No requests yet.").waitFor();
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
      emulator.script(own, { [hostile]: turned });
      await send(server.url, "own/operation", { [hostile]: turned, long: "x".repeat(2_000_000) }, { "x-own": hostile });
      await send(server.url, `nothing/${hostile}/${"y".repeat(10_000)}`, hostile);
      await send(server.url, "own/operation", { ["n".repeat(2_000_000)]: 1 });
      await send(server.url, "own/operation", "z".repeat(2_000_000));
      emulator.deliverTo(async () => new Response(hostile));
      await emulator.payout({ client_referenceId: `${hostile}${turned}` });
      await page.getByRole("switch", { name: "Show personal data" }).click();
      await page.locator('[role="switch"][aria-checked="true"]').waitFor();
      for (let index = 0; index < 4; index++) {
        await rows().nth(index).getByRole("button").click();
        await rows().nth(index).getByText("Request", { exact: true }).waitFor();
      }
      const shown = `${await page.locator("main").textContent()}`;
      expect(shown).toContain('onerror="window.hacked=1"');
      expect(shown).toContain("abc\\u{202e}def");
      expect([...shown].filter((character) => /[^\P{C}\n\t]/u.test(character))).toEqual([]);
      expect(shown.length).toBeLessThan(100_000);
      expect(await page.locator("main img, main script").count()).toBe(0);
      expect(await page.evaluate(() => Reflect.get(window, "hacked"))).toBeUndefined();
      expect(await overflow()).toBe(0);
      await button("Reset").click();
      await page.getByText("No requests yet.").waitFor();
    });

    it("is not shown in a frame of another page", async () => {
      const other = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end(`<iframe src="${server.url}/"></iframe>`);
      });
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const address = other.address();
      const framing = await page.context().newPage();
      const errors: string[] = [];
      framing.on("console", (message) => errors.push(message.text()));
      await framing.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
      expect(errors.join()).toMatch(/frame-ancestors|X-Frame-Options/);
      const [, frame] = framing.frames();
      expect(await frame?.content()).not.toContain("Emulator console");
      other.close();
    });

    it("has no switch for personal data where the host is not loopback", async () => {
      await page.context().close();
      await server.close();
      server = await emulator.listen({ host: "0.0.0.0", console: "anyHost" });
      page = await openConsole();
      expect(await page.getByRole("switch", { name: "Show personal data" }).count()).toBe(0);
    });

    /** Pixels by which the page is wider than the window. */
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

    describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
      it.each([
        [1280, 800],
        [768, 1024],
        [360, 740],
      ])("fits a window of %i by %i, and axe finds nothing", async (width, height) => {
        await page.context().close();
        // axe itself is a script that the policy would refuse.
        page = await openConsole({ colorScheme, viewport: { width, height }, bypassCSP: true });
        emulator.deliverTo(async () => new Response(null, { status: 500 }));
        emulator.use("unavailable", { operation: "flights.book" });
        await send(server.url, path, asha);
        await send(server.url, aiPath, { ...ask("one two"), stream: true });
        await send(server.url, `${"long".repeat(100)}/path`, {});
        await send(server.url, path, asha, { "x-emulator-scenario": "html-502" });
        await button("FAILED").click();
        await button("senior-fare").click();
        await page.locator("#seeded > li").waitFor();
        await row("ai.stream").getByRole("button").click();
        await page.locator(".pieces > li").first().waitFor();
        await row("longlong").getByRole("button").click();
        await page.locator("#delivery-rows > li").waitFor();
        expect(await overflow()).toBeLessThanOrEqual(0);
        expect((await page.screenshot({ fullPage: true })).length).toBeGreaterThan(10_000);
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(background).toBe(colorScheme === "dark" ? "rgb(13, 17, 23)" : "rgb(246, 248, 250)");
        await page.evaluate(axe);
        const results = (await page.evaluate("axe.run()")) as AxeResults;
        expect(results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
        expect(results.passes.length).toBeGreaterThan(20);
      });
    });
  },
);
