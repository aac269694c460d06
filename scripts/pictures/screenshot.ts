import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { startChromium } from "../../test/support/chromium.ts";

/** A picture of the documentation. */
interface Screenshot {
  /** Its name below `docs/`. */
  readonly file: string;
  /** The window, in pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Quality of the WebP, from 0 to 1. */
  readonly quality: number;
  /** Brings a page to what is shown. */
  readonly arrange: (page: Page) => Promise<unknown>;
}

/** Draws a picture of a page as WebP, which is half the size of a PNG or less: the package carries it. */
export async function drawScreenshot({ file, viewport, quality, arrange }: Screenshot): Promise<void> {
  const browser = await startChromium();
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  await arrange(page);
  const png = await page.screenshot();
  // Another page, because the policy of the one that is shown may refuse the image.
  const blank = await browser.newPage();
  const webp = await blank.evaluate(toWebp, { base64: png.toString("base64"), quality });
  writeFileSync(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)), Buffer.from(webp, "base64"));
  await browser.close();
}

/** Runs in the browser. */
async function toWebp({ base64, quality }: { base64: string; quality: number }): Promise<string> {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).replace(/^.*,/, "");
}
