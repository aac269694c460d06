import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { passenger } from "../../support/passenger.ts";
import { type Station, startStation } from "./support.ts";

/** The arguments of a booking that is sent. */
function order(station: Station, lname: string, reference: string): string[] {
  const file = station.write("passengers.json", [passenger({ lname })]);
  const price = ["--max-total", "7480 INR", "--reference", reference];
  return ["book", ...station.search, "--passengers", file, ...price, "--yes"];
}

/** A station whose only booking has an unknown outcome, under the reference order-17. */
async function stationWithOpenBooking(): Promise<Station> {
  const station = await startStation();
  expect(await station.run(order(station, "TIMEOUTBOOKED", "order-17"))).toMatchObject({ code: 5 });
  return station;
}

describe("serviceapi bookings", () => {
  it("says that nothing is open, before and after a booking", async () => {
    const station = await startStation();
    expect(await station.run(["bookings"])).toMatchObject({ code: 0, out: "No booking is open.\n" });
    expect(await station.run(order(station, "SAMPLE", "order-17"))).toMatchObject({ code: 0 });
    expect(await station.run(["bookings"])).toMatchObject({ code: 0, out: "No booking is open.\n" });
    const { out } = await station.run(["bookings", "--reference", "order-17"]);
    expect(out).toMatch(/^ {2}order-17 +booked +\d+ s ago +\w{6} +have the ticket issued$/m);
    expect((await station.run(["bookings", "--reference", "order-18"])).out).toMatch(/no booking with the reference/);
  });

  it("has one journal for a service, however its URL is spelt", async () => {
    const { run } = await startStation();
    const journalAt = async (url: string) => {
      const { out } = await run(["bookings", "--json", "--base-url", url]);
      return basename(JSON.parse(out).journal);
    };
    const spellings = {
      "localhost_4010.jsonl": [
        "http://localhost:4010",
        "http://127.0.0.1:4010/",
        "http://[::1]:4010/v1",
        "http://LOCALHOST:4010",
      ],
      "pay.example.in.jsonl": ["https://pay.example.in", "https://PAY.example.in:443/v1/", "https://pay.example.in./"],
      "pay.example.in_8443.jsonl": ["https://pay.example.in:8443"],
    };
    for (const [name, urls] of Object.entries(spellings)) {
      expect(new Set(await Promise.all(urls.map(journalAt)))).toEqual(new Set([name]));
    }
  });

  // Windows allows no such name.
  it.skipIf(process.platform === "win32")("steers no terminal by the name of its journal", async () => {
    const station = await startStation();
    const path = station.write("a\u001b[2J\u009b31m\u0007b.jsonl", "");
    const { out, err, code } = await station.run(["bookings", "--journal", path]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Journal: .*\/ab\.jsonl\n$/)]);
    const missing = await station.run(["bookings", "--journal", `${path}x`]);
    expect(missing).toMatchObject({ code: 2, err: expect.stringMatching(/ab\.jsonlx does not exist/) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(out + err + missing.err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it("shows a booking whose process was killed, and keeps it from being sent again", async () => {
    const station = await startStation();
    station.emulator.use("no-response-after", { operation: "flights.book" });
    const { child, ended } = station.start(order(station, "SAMPLE", "order-17"));
    await expect.poll(station.sent, { timeout: 20_000 }).toBe(1);
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ signal: "SIGKILL" });

    const { out, err, code } = await station.run(["bookings"]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Journal: .*\.jsonl\n$/)]);
    expect(out.replaceAll(/\d+ (s|min)/g, "n $1")).toMatchSnapshot();
    expect(await station.run(order(station, "SAMPLE", "order-18"))).toMatchObject({ code: 3 });
    expect(station.sent()).toBe(1);

    const close = ["bookings", "reconcile", "order-17", "--not-booked"];
    const early = /may still make it until[\s\S]*^That is in [1-9]\d* (?:s|min)\. --force closes it now: only if/m;
    expect(await station.run(close)).toMatchObject({ code: 3, err: expect.stringMatching(early) });
    expect(await station.run([...close, "--force"])).toMatchObject({ code: 0, out: "order-17 is closed: rejected.\n" });
    station.emulator.use("success-without-pnr", { operation: "flights.book", times: 1 });
    await station.run(order(station, "SAMPLE", "order-18"));
    expect(station.sent()).toBe(2);
  });

  it("prints rows as JSON, without tokens", async () => {
    const station = await stationWithOpenBooking();
    const { out } = await station.run(["bookings", "--json"]);
    const row = { clientReferenceId: "order-17", state: "unknown", isOpen: true, isOverdue: false };
    expect(JSON.parse(out).bookings).toMatchObject([{ ...row, traceId: station.search[0] }]);
    expect(out).not.toMatch(/oken/);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["a misspelt journal", ["--journal", "/tmp/no-such-journal.jsonl"], /does not exist/],
    ["no base URL", ["--base-url", ""], /Set SERVICEAPI_BASE_URL/],
  ])("refuses %s with exit code 2", async (_, args, message) => {
    const { run } = await startStation();
    expect(await run(["bookings", ...args])).toMatchObject({ code: 2, out: "", err: expect.stringMatching(message) });
  });

  it("keeps the journals of two services apart", async () => {
    const station = await stationWithOpenBooking();
    const { out } = await station.run(["bookings", "--base-url", "https://api.example.com/v1"]);
    expect(out).toBe("No booking is open.\n");
  });
});

describe("serviceapi bookings reconcile", () => {
  it("closes a booking that was found, once", async () => {
    const { run } = await stationWithOpenBooking();
    const close = ["bookings", "reconcile", "order-17", "--booked", "ABC123"];
    expect(await run(close)).toMatchObject({ code: 0, out: "order-17 is closed: booked, ABC123.\n" });
    expect(await run(close)).toMatchObject({ code: 3, err: expect.stringMatching(/closed already: it is booked/) });
    expect((await run(["bookings", "--reference", "order-17"])).out).toMatch(/booked .* ABC123/);
  });

  it("takes the response of a look-up from a file or standard input, and prints JSON", async () => {
    const { run, emulator, write } = await stationWithOpenBooking();
    const body = { data: { result: { pnr: "XYZ789", booking_id: 4711 } } };
    const file = write("found.json", body);
    const { out, code } = await run(["bookings", "reconcile", "order-17", "--booked", file, "--json"]);
    expect([code, JSON.parse(out).booking]).toMatchObject([0, { state: "booked", pnr: "XYZ789", bookingId: "4711" }]);
    expect(emulator.bookings.length).toBe(1);
  });

  it("takes a booking ID, and a journal by its path", async () => {
    const station = await startStation();
    const journal = `${station.folder}/own journal.jsonl`;
    const sent = await station.run([...order(station, "TIMEOUTNOTBOOKED", "order-17"), "--journal", journal]);
    expect(sent).toMatchObject({ code: 5, err: expect.stringContaining(`--not-booked --journal '${journal}'`) });
    const close = ["bookings", "reconcile", "order-17", "--booking-id", "4711"];
    expect(await station.run(close)).toMatchObject({ code: 2, err: expect.stringMatching(/no booking with this/) });
    const env = { SERVICEAPI_JOURNAL: journal };
    expect(await station.run(close, { env })).toMatchObject({ code: 0, out: "order-17 is closed: booked, 4711.\n" });
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no evidence", [], /Pass either/],
    ["two results", ["--booked", "ABC123", "--not-booked"], /Pass either/],
    ["a placeholder", ["--booked", "pending"], /needs a PNR or a booking ID/],
    ["an empty PNR", ["--booked", ""], /needs a PNR or a booking ID/],
    ["a file without names", ["--booked", "package.json"], /no PNR and no booking ID/],
    ["force for a booking", ["--booked", "ABC123", "--force"], /--force has no effect without --not-booked/],
  ])("refuses %s with exit code 2, and leaves the booking open", async (_, args, message) => {
    const { run } = await stationWithOpenBooking();
    const { err, code } = await run(["bookings", "reconcile", "order-17", ...args]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect((await run(["bookings"])).out).toMatch(/order-17 +unknown/);
  });
});
