import type { Browser, Locator, Page } from "playwright-core";
import { createEmulator, type Emulator, type EmulatorServer } from "../../../../src/emulator/emulator.ts";
import type { ListenOptions } from "../../../../src/emulator/http/server.ts";
import { Webhooks } from "../../../../src/webhooks/index.ts";
import { lookUp, now } from "../../helpers.ts";

export const path = "verification/upimobile_multiple";
export const asha = lookUp("9876540001");
export const acknowledge = async (request: Request) =>
  Response.json(new Webhooks().acknowledge(await request.json(), "SUCCESS"));

/** The console of an emulator in Chromium: a new one for each test, in a browser that all of them share. */
export class ConsolePage {
  /** The complaints of the browser: errors, violations of the policy, requests to elsewhere. */
  complaints: string[] = [];
  #browser: Browser | undefined;
  #parts: { emulator: Emulator; server: EmulatorServer; page: Page } | undefined;

  /** Starts a new emulator and opens its console. */
  async start(browser: Browser): Promise<void> {
    this.#browser = browser;
    const emulator = createEmulator({ now, pace: 0 });
    const server = await emulator.listen({ console: true });
    this.#parts = { emulator, server, page: await this.#open(server.url) };
  }

  async close(): Promise<void> {
    await this.page.context().close();
    await this.server.close();
  }

  get emulator(): Emulator {
    return this.#started.emulator;
  }

  get server(): EmulatorServer {
    return this.#started.server;
  }

  get page(): Page {
    return this.#started.page;
  }

  get #started() {
    if (this.#parts === undefined) throw new Error("The console was not started.");
    return this.#parts;
  }

  /** Opens the console again, in a new context. */
  async reopen(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    await this.page.context().close();
    this.#started.page = await this.#open(this.server.url, options);
  }

  /** Lets another emulator, or the same one elsewhere, take the place of a server that was closed. */
  async serve(emulator: Emulator, options: ListenOptions): Promise<void> {
    this.#started.server = await emulator.listen({ console: true, ...options });
  }

  /** Forgets the complaints that a test provokes. */
  allowComplaints(pattern: RegExp): void {
    this.complaints = this.complaints.filter((text) => !pattern.test(text));
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  faultSwitch(name: string): Locator {
    return this.page.getByRole("switch", { name });
  }

  /** The rows of the requests. */
  rows(): Locator {
    return this.page.locator("#exchanges > li");
  }

  row(name: string | RegExp): Locator {
    return this.rows().filter({ hasText: name }).first();
  }

  /** Pixels by which the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  async #open(url: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await this.#browser?.newContext(options);
    if (context === undefined) throw new Error("There is no browser.");
    const opened = await context.newPage();
    this.complaints = [];
    opened.on("console", (message) => this.complaints.push(message.text()));
    opened.on("pageerror", (error) => this.complaints.push(error.message));
    opened.on("request", (request) => {
      if (new URL(request.url()).origin !== url) this.complaints.push(request.url());
    });
    await opened.goto(url);
    await opened.getByText("Connected", { exact: true }).waitFor();
    await opened.getByRole("button", { name: "REJECTED" }).waitFor();
    return opened;
  }
}
