import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { hasChromium, startChromium } from "../../../support/chromium.ts";
import { ConsolePage } from "./console-page.ts";

/** Runs tests of the console in one Chromium, each with a new emulator and page. */
export function inChromium(...subjects: readonly ((ui: ConsolePage) => void)[]): void {
  describe.skipIf(!hasChromium)(
    "the console in Chromium (skipped unless it is at /usr/bin/chromium or $CHROMIUM)",
    { timeout: 60_000 },
    () => {
      const ui = new ConsolePage();
      let browser: Browser;

      beforeAll(async () => {
        // Its own guard would stop a foreign page before the emulator's does.
        browser = await startChromium("--disable-features=LocalNetworkAccessChecks");
      });
      afterAll(async () => browser?.close());

      beforeEach(() => ui.start(browser));
      afterEach(async () => {
        await ui.close();
        expect(ui.complaints).toEqual([]);
      });

      for (const tests of subjects) tests(ui);
    },
  );
}
