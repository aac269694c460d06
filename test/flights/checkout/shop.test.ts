import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { memoryJournal } from "serviceapi/flights";
import { beforeEach, describe, expect, it } from "vitest";
import { createShop } from "../../../examples/shop/server.ts";
import { gate } from "../../support/gate.ts";

const form = {
  title: "Ms",
  fname: "Asha",
  lname: "Example",
  email: "asha@example.in",
  mobile: "6000000001",
  dob: "1990-02-28",
  address: "1 Placeholder Road",
  city: "Pune",
  gender: "F",
  country: "India",
  country_code: "IN",
};
const named = (fields: Partial<typeof form>) =>
  Object.fromEntries(Object.entries({ ...form, ...fields }).map(([name, value]) => [`passengers.0.${name}`, value]));

describe("examples/shop: two requests, one trip", () => {
  const emulator = createEmulator({ pace: 0 });
  const baseUrl = "https://emulator.example";
  const api = new ServiceApi({ baseUrl, clientId: "demo", clientSecret: "demo-secret", fetch: emulator.fetch });
  let shop: ReturnType<typeof createShop>;
  let cookie = "";
  let quote = "";
  /** The page in the browser, whose form the next click sends. */
  let page = "";

  beforeEach(async () => {
    emulator.reset();
    shop = createShop(api, async () => emulator.seedSearch(), memoryJournal());
    quote = await open();
  });

  /** Opens a tab; all tabs of a browser have one cookie. */
  async function open(): Promise<string> {
    const response = await shop.request("/");
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    page = await response.text();
    return page;
  }

  const formOn = (html: string, fields: Partial<typeof form> = {}) =>
    new URLSearchParams({ ...named(fields), quote: /name="quote" value="([^"]+)"/.exec(html)?.[1] ?? "" });
  const send = (body: URLSearchParams) => shop.request("/pay", { method: "POST", headers: { cookie }, body });

  async function pay(fields: Partial<typeof form> = {}): Promise<string> {
    const response = await (await send(formOn(page, fields))).text();
    if (response.includes("<form")) page = response;
    return response;
  }

  it("books what the quote page showed, and shows the PNR", async () => {
    expect(quote).toMatch(/ZZ 101: DEL [\s\S]*INR 7480/);
    expect(await pay()).toMatch(/Booked: \w{6}[\s\S]*reservation, not a ticket/);
    expect(emulator.bookings).toHaveLength(1);
  });

  it("books one time for a second click, and shows the same PNR", async () => {
    const [pnr = "none"] = /Booked: \w{6}/.exec(await pay()) ?? [];
    const again = await pay();
    expect(again).toContain(pnr);
    expect(again).toContain("An earlier click has booked it.");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("books one time for a double click, and shows the same PNR to both", async () => {
    const clicks = await Promise.all([send(formOn(quote)), send(formOn(quote))]);
    const pages = await Promise.all(clicks.map((click) => click.text()));
    const [pnr = "none"] = /Booked: \w{6}/.exec(pages.join()) ?? [];
    expect(pages.filter((text) => text.includes(pnr))).toHaveLength(2);
    expect(emulator.bookings).toHaveLength(1);
  });

  it("says not to book again while an earlier click is on its way", async () => {
    const [asked, answer] = [gate(), gate()];
    const slow = async (...given: Parameters<typeof fetch>) => {
      const response = await emulator.fetch(...given);
      if (String(given[0]).endsWith("/book")) await (asked.open() ?? answer.opened);
      return response;
    };
    const search = async () => emulator.seedSearch();
    shop = createShop(
      new ServiceApi({ baseUrl, clientId: "demo", clientSecret: "any", fetch: slow }),
      search,
      memoryJournal(),
    );
    quote = await open();
    const first = send(formOn(quote));
    await asked.opened;
    expect(await (await send(formOn(quote))).text()).toContain("do not book again");
    answer.open();
    expect(await (await first).text()).toContain("Booked: ");
    expect(emulator.bookings).toHaveLength(1);
  });

  it.each(["offer_unavailable", "session_expired"] as const)("says to search again after %s", async (kind) => {
    emulator.on("flights.fareQuote", kind, { times: 1 });
    expect(await pay()).toContain("please search again");
    emulator.on("flights.book", kind, { times: 1 });
    expect(await pay()).toContain("please search again");
    emulator.on("flights.fareQuote", kind, { times: 1 });
    expect((await shop.request("/")).status).toBe(409);
    expect(emulator.bookings).toHaveLength(0);
  });

  it("lets the person pay again after a refusal that is not about the flight", async () => {
    emulator.on("flights.book", "insufficient_balance", { times: 1 });
    expect(await pay()).toContain("please try again later");
    expect(await pay()).toContain("Booked: ");
  });

  it("shows both ways of a round trip on two airlines, and goes on with the second after the first is booked", async () => {
    shop = createShop(api, async () => emulator.seedSearch("domestic-roundtrip-two-results"), memoryJournal());
    expect(await open()).toMatch(/DEL [\s\S]*BOM [\s\S]*INR 8100[\s\S]*Cancelling now: INR 6499/);
    emulator.on("flights.book", {}, { times: 1 });
    emulator.on("flights.book", "insufficient_balance", { times: 1 });
    expect(await pay()).toMatch(
      /A part of the trip is booked, and stands: XX 311 DEL-BOM [-\d]+ 06:15\. The rest: This did not work/,
    );
    expect(await pay()).toMatch(/Booked: \w{6}, \w{6}/);
    expect(emulator.bookings).toHaveLength(2);
  });

  it("goes on with the order in a new search, and does not book again what is booked", async () => {
    shop = createShop(api, async () => emulator.seedSearch("domestic-roundtrip-two-results"), memoryJournal());
    await open();
    emulator.on("flights.book", {}, { times: 1 });
    emulator.on("flights.book", "session_expired", { times: 1 });
    expect(await pay()).toMatch(
      /^[\s\S]*A part of the trip is booked, and stands: XX 311 DEL-BOM [-\d]+ 06:15\. The rest: .* please search again\./,
    );
    const response = await shop.request("/", { headers: { cookie } });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    page = await response.text();
    expect(await pay()).toMatch(/Booked: \w{6}, \w{6}/);
    expect(emulator.bookings).toHaveLength(2);
  });

  it("shows what the whole trip costs, once a part of it was booked for more, and books the rest for that", async () => {
    shop = createShop(api, async () => emulator.seedSearch("domestic-roundtrip-two-results"), memoryJournal());
    await open();
    let count = 0;
    emulator.on("flights.book", () => (++count === 1 ? "success-price-changed" : undefined));
    const changed = await pay();
    expect(changed).toMatch(
      /A part of the trip is booked, and stands: XX 311 DEL-BOM [-\d]+ 06:15\. The rest: Please look at the offer/,
    );
    const [, price = "0"] = /Pay INR ([\d.]+)/.exec(changed) ?? [];
    expect(Number(price)).toBeGreaterThan(8100);
    expect(emulator.bookings).toHaveLength(1);
    expect(await pay()).toMatch(/Booked: \w{6}, \w{6}/);
    expect(emulator.bookings).toHaveLength(2);
  });

  it("shows the new price first, and books it after another click", async () => {
    emulator.on("flights.fareQuote", "success-higher-than-search", { times: 2 });
    const changed = await pay();
    expect(changed).toContain("Please look at the offer and its price again. Nothing was booked just now.");
    expect(emulator.bookings).toHaveLength(0);
    const [, price] = /Pay (INR [\d.]+)/.exec(changed) ?? [];
    expect(price).not.toBe("INR 7480");
    expect(await pay()).toContain("Booked: ");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("books nothing when the same form is sent twice over a price rise, and then the new price of the new form", async () => {
    emulator.on("flights.fareQuote", "success-higher-than-search", { times: 3 });
    const first = await send(formOn(quote));
    const second = await send(formOn(quote));
    expect(await first.text()).toContain("Nothing was booked just now");
    const shown = await second.text();
    expect(shown).toContain("your last click booked nothing");
    expect(shown).not.toContain("INR 7480");
    expect(emulator.bookings).toHaveLength(0);

    expect(await (await send(formOn(shown))).text()).toContain("Booked: ");
    expect(emulator.bookings).toHaveLength(1);
    expect(await (await send(formOn(quote))).text()).toContain("your last click booked nothing");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("books nothing when both clicks of a double click arrive at once over a price rise", async () => {
    emulator.on("flights.fareQuote", "success-higher-than-search", { times: 2 });
    const clicks = await Promise.all([send(formOn(quote)), send(formOn(quote))]);
    for (const click of clicks) expect(await click.text()).not.toContain("Booked");
    expect(emulator.bookings).toHaveLength(0);
  });

  it("shows the offer of the newest tab, and books nothing, when an older tab pays", async () => {
    emulator.on("flights.fareQuote", "success-higher-than-search", { times: 1 });
    const newer = await open();
    const shown = await (await send(formOn(quote))).text();
    expect(emulator.bookings).toHaveLength(0);
    expect(/Pay (INR [\d.]+)/.exec(shown)?.[1]).toBe(/Pay (INR [\d.]+)/.exec(newer)?.[1]);
    expect(shown).not.toContain("Pay INR 7480");
  });

  it("books nothing for a form without the ID of a quote, or with an unknown one", async () => {
    const forged = [new URLSearchParams(named({})), new URLSearchParams({ ...named({}), quote: "1" })];
    for (const body of forged) expect(await (await send(body)).text()).toContain("your last click booked nothing");
    expect(emulator.bookings).toHaveLength(0);
  });

  it.each(["text/plain", "application/json", "multipart/form-data"])("responds to %s with HTTP 400", async (type) => {
    const headers = { cookie, "content-type": type };
    const response = await shop.request("/pay", { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Send the form of the page.");
  });

  it("says that it is being checked when the connection broke after the booking", async () => {
    expect(await pay({ lname: "TIMEOUTBOOKED" })).toContain("do not book again");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("has no title and no gender until one is chosen", () => {
    expect(quote.match(/<select [^>]*required[^>]*>\s*<option value="">/g)).toHaveLength(2);
    expect(quote).not.toContain(" selected");
  });

  it("shows the mistakes of the form", async () => {
    const again = await pay({ dob: "1990-02-30", city: 'Pune "West"' });
    expect(again).toMatch(/name="passengers\.0\.dob"[^<]*value="1990-02-30"[^<]*<\/label>\s*<p class="issue">Enter a/);
    expect(again).toContain('value="Pune &quot;West&quot;"');
    expect(emulator.bookings).toHaveLength(0);
    expect(await pay()).toContain("Booked: ");
  });

  it("refuses to pay without a quote", async () => {
    cookie = "";
    expect(await pay()).toContain("Search again.");
  });
});
