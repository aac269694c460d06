import { expect, it } from "vitest";
import { createEmulator } from "../../../../src/emulator/emulator.ts";
import { aiPath, ask, now } from "../../helpers.ts";
import { send } from "../support.ts";
import { asha, type ConsolePage, path } from "./console-page.ts";

/** Tests of the requests and bookings that the console shows. */
export function requestTests(ui: ConsolePage): void {
  it("loads without an error, a violation of its policy, or a request to the emulator", async () => {
    expect(await ui.page.title()).toBe("Emulator console");
    expect(ui.emulator.requests).toEqual([]);
    expect(await ui.page.getByText("No requests yet.").isVisible()).toBe(true);
    expect(new URL(ui.page.url()).search).toBe("");
  });

  it("shows requests as they arrive: operation, rule, status, duration", async () => {
    ui.emulator.on("*", "unavailable", { times: 1 });
    await send(ui.server.url, path, asha);
    await ui.row("503").waitFor();
    expect(await ui.row("503").textContent()).toMatch(/06:00:00POSTverification\.findVpasunavailable503\d+ ms/);
    // A request is announced when it comes, which may be before its response.
    const announced = await ui.page.locator("#announcement").textContent();
    expect(announced).toMatch(/^New request: verification\.findVpas (503|waiting)$/);
    await send(ui.server.url, path, asha);
    await ui.row("200").waitFor();
    await send(ui.server.url, path, asha, { "x-emulator-response": "reset" });
    await ui.row("dropped").waitFor();
    expect(await ui.rows().first().textContent()).toContain("dropped");
    expect(await ui.page.locator("#requests-count").textContent()).toBe("(3)");
  });

  it("opens headers and body, masked; personal data on request, credentials never", async () => {
    const headers = { "client-id": "partner-17", "client-secret": "s3cr3t-value", authorization: "Bearer t0k3n" };
    await send(ui.server.url, path, { ...asha, clientData: { client_id: "partner-17" } }, headers);
    await ui.row("findVpas").locator("summary").click();
    const details = ui.row("findVpas").locator(".details");
    await details.getByText('"status": "success"').waitFor();
    const masked = await details.textContent();
    expect(masked).toContain("content-type");
    expect(masked).not.toMatch(/9876540001|partner-17|s3cr3t|t0k3n/);
    await ui.page.getByRole("switch", { name: "Show personal data" }).click();
    await details.getByText('"vpa_mobile": "9876540001"').waitFor();
    expect(await details.textContent()).not.toMatch(/partner-17|s3cr3t|t0k3n/);
    expect(new URL(ui.page.url()).href).toBe(`${ui.server.url}/`);
    await ui.page.getByRole("switch", { name: "Show personal data" }).click();
    await details.getByText('"vpa_mobile": "[10 characters]"').waitFor();
    // It is off again when the page is opened again.
    await ui.page.getByRole("switch", { name: "Show personal data" }).click();
    await details.getByText("9876540001").first().waitFor();
    await ui.page.reload();
    await ui.row("findVpas").waitFor();
    expect(await ui.page.getByRole("switch", { name: "Show personal data" }).getAttribute("aria-checked")).toBe(
      "false",
    );
  });

  it("shows the events of a stream as they are sent", async () => {
    ui.emulator.on("ai.stream", ["one", "two", "three"], { eventDelay: 60_000 });
    const done = send(ui.server.url, aiPath, { ...ask("x"), stream: true });
    await ui.row("200, sending").locator("summary").click();
    const pieces = ui.page.locator(".pieces > li");
    for (const count of [1, 2, 3]) {
      await pieces.nth(count - 1).waitFor();
      expect(await pieces.count()).toBe(count);
      await ui.button("+1 min").click();
    }
    await ui.button("+1 day").click();
    await done;
    await ui.row(/200(?!,)/).waitFor();
    expect(await pieces.count()).toBe(5);
    expect(await pieces.last().textContent()).toContain("response_completed");
  });

  it("lists the bookings, with a PNR only on request", async () => {
    const quote = await ui.emulator.fetch("http://x/flight/fare_quote", {
      method: "POST",
      headers: { "client-id": "c", "client-secret": "s", "content-type": "application/json" },
      body: JSON.stringify({ ...ui.emulator.seedSearch(), client_referenceId: "r" }),
    });
    const { data } = await quote.json();
    ui.emulator.on("flights.book", { data: { trace_id: data.trace_id } });
    const person = { title: "Ms", fname: "ASHA", lname: "EXAMPLE", mobile: "9876540001", email: "asha@mail.example" };
    const home = { address: "1 Placeholder Road", city: "Pune", country: "India", country_code: "IN" };
    const passenger = { ...person, ...home, passenger_type: "adult", dob: "1990-01-31", gender: "F" };
    const { token } = data.result[0];
    const body = { client_referenceId: "trip-1", trace_id: data.trace_id, token, passengers: [passenger] };
    expect(await send(ui.server.url, "flight/book", body)).toBe(200);
    const booking = ui.page.locator("#booking-rows > li");
    await booking.getByText("trip-1").waitFor();
    const pnr = `${ui.emulator.bookings[0]?.pnr}`;
    expect(await booking.textContent()).not.toContain(pnr);
    await ui.page.getByRole("switch", { name: "Show personal data" }).click();
    await booking.getByText(pnr).waitFor();
  });

  it("connects again to an emulator that was started again", async () => {
    await send(ui.server.url, path, asha);
    await ui.row("findVpas").waitFor();
    await ui.server.close();
    await ui.page.getByText("Not connected. Trying again …").waitFor();
    await ui.button("+1 min").click();
    await ui.page.getByRole("alert").getByText("The emulator cannot be reached. Is it still running?").waitFor();
    await ui.serve(createEmulator({ now }), { port: ui.server.port });
    await ui.page.getByText("Connected", { exact: true }).waitFor();
    await ui.page.getByText("No requests yet.").waitFor();
    expect(await ui.page.getByRole("alert").textContent()).toBe("");
    ui.allowComplaints(/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY)/);
  });
}
