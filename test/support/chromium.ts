import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether Chromium is at /usr/bin/chromium or $CHROMIUM. */
export const hasChromium = existsSync(executablePath);

/** Starts Chromium. Most flags keep it from calling home. */
export function startChromium(...more: readonly string[]): Promise<Browser> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...more,
  ];
  return chromium.launch({ executablePath, args });
}
