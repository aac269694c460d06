import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { memoryJournal } from "serviceapi/flights";
import { beforeEach, describe, expect, it } from "vitest";
import { createShop } from "../../../examples/shop/server.ts";

const form = {
  title: "Ms",
  gender: "F",
  fname: "ASHA",
  lname: "EXAMPLE",
  email: "asha@example.in",
  mobile: "6000000001",
  dob: "1990-02-28",
  address: "1 Placeholder Road",
  city: "Pune",
  country: "India",
  country_code: "IN",
};

describe("examples/shop: two requests, one trip", () => {
  const emulator = createEmulator({ pace: 0 });
  const baseUrl = "https://emulator.example";
  const api = new ServiceApi({ baseUrl, clientId: "demo", clientSecret: "demo-secret", fetch: emulator.fetch });
  let shop: ReturnType<typeof createShop>;
  let cookie = "";
  let quote = "";

  beforeEach(async () => {
    emulator.reset();
    shop = createShop(api, async () => emulator.seedSearch(), memoryJournal());
    const response = await shop.request("/");
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    quote = await response.text();
  });

  async function pay(fields: Partial<typeof form> = {}): Promise<string> {
    const typed = Object.entries({ ...form, ...fields });
    const body = new URLSearchParams(typed.map(([name, value]) => [`passengers.0.${name}`, value]));
    return (await shop.request("/pay", { method: "POST", headers: { cookie }, body })).text();
  }

  it("books what the quote page showed, and shows the PNR", async () => {
    expect(quote).toMatch(/ZZ 101: DEL [\s\S]*INR 7480/);
    expect(await pay()).toMatch(/Booked: \w{6}[\s\S]*reservation, not a ticket/);
    expect(emulator.bookings).toHaveLength(1);
  });

  it("books one time for a second click, and says not to book again", async () => {
    await pay();
    expect(await pay()).toContain("Do not book again");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("shows the new price first, and books it after another click", async () => {
    emulator.use("success-higher-than-search", { operation: "flights.fareQuote", times: 2 });
    const changed = await pay();
    expect(changed).toContain("The offer has changed. Nothing is booked yet.");
    expect(emulator.bookings).toHaveLength(0);
    const [, price] = /Pay (INR [\d.]+)/.exec(changed) ?? [];
    expect(price).not.toBe("INR 7480");
    expect(await pay()).toContain("Booked: ");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("says that it is being checked when the connection broke after the booking", async () => {
    expect(await pay({ lname: "TIMEOUTBOOKED" })).toContain("Do not book again");
    expect(emulator.bookings).toHaveLength(1);
  });

  it("shows the mistakes of the form", async () => {
    expect(await pay({ dob: "1990-02-30" })).toContain("Enter a valid date of birth");
    expect(emulator.bookings).toHaveLength(0);
  });

  it("refuses to pay without a quote", async () => {
    cookie = "";
    expect(await pay()).toContain("Search again.");
  });
});
