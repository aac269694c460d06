import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { lineOf, row } from "../../flights/journal/rows.ts";
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

/** A station with another open booking of another flight, under the reference order-18. */
async function stationWithTwoOpenBookings(): Promise<Station> {
  const station = await stationWithOpenBooking();
  const { trace_id, token } = station.emulator.seedSearch();
  const second = order({ ...station, search: [trace_id, token] }, "TIMEOUTNOTBOOKED", "order-18");
  expect(await station.run(second)).toMatchObject({ code: 5 });
  return station;
}

describe("serviceapi bookings", () => {
  it("says that there is no journal before the first booking, and creates nothing", async () => {
    const { run, folder } = await startStation();
    const err = expect.stringMatching(
      /There is no journal at .*\.jsonl yet\. Is SERVICEAPI_JOURNAL or --journal missing\?/,
    );
    expect(await run(["bookings"])).toMatchObject({ code: 2, out: "", err });
    expect(await run(["bookings", "reconcile", "order-17", "--not-booked"])).toMatchObject({ code: 2, out: "", err });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says that nothing is open after a booking", async () => {
    const station = await startStation();
    expect(await station.run(order(station, "SAMPLE", "order-17"))).toMatchObject({ code: 0 });
    expect(await station.run(["bookings"])).toMatchObject({ code: 0, out: "No booking is open.\n" });
    const { out } = await station.run(["bookings", "--reference", "order-17"]);
    expect(out).toMatch(/^ {2}order-17 +booked +\d+ s ago +\w{6} +check status and price, have it ticketed$/m);
    const unknown = await station.run(["bookings", "--reference", "order-18"]);
    expect(unknown).toMatchObject({ code: 4, out: expect.stringMatching(/no booking with the reference/) });
  });

  it("has one journal for a service, however its URL is spelt", async () => {
    const { run } = await startStation();
    const journalAt = async (url: string) => {
      const { err } = await run(["bookings", "--base-url", url]);
      return basename(/no journal at (.*) yet/.exec(err)?.[1] ?? "");
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
    const path = station.write("a\u001b[2J\u009b31m\u0007b.jsonl", lineOf(row({ state: "rejected" })));
    const { out, err, code } = await station.run(["bookings", "--journal", path]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Journal: .*\/ab\.jsonl\n$/)]);
    const missing = await station.run(["bookings", "--journal", `${path}x`]);
    expect(missing).toMatchObject({ code: 2, err: expect.stringMatching(/a \[2J 31m b\.jsonlx does not exist/) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(out + err + missing.err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it("shows a booking whose process was killed, and keeps it from being sent again", async () => {
    const station = await startStation();
    const lost = station.emulator.on("flights.book", "no-response-after");
    const { child, ended } = station.start(order(station, "SAMPLE", "order-17"));
    await expect.poll(station.sent).toBe(1);
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ signal: "SIGKILL" });

    const { out, err, code } = await station.run(["bookings"]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Journal: .*\.jsonl\n$/)]);
    expect(out.replaceAll(/\d+ (s|min)/g, "n $1").replace(/\d{4}-\d\d-\d\d/, "2027-02-21")).toMatchSnapshot();
    expect(await station.run(order(station, "SAMPLE", "order-18"))).toMatchObject({ code: 3 });
    expect(station.sent()).toBe(1);

    const close = ["bookings", "reconcile", "order-17", "--not-booked"];
    const early =
      /may still make it until[\s\S]*^That is in [1-9]\d* (?:s|min \d+ s)\. --force closes it now: only if/m;
    expect(await station.run(close)).toMatchObject({ code: 3, err: expect.stringMatching(early) });
    expect(await station.run([...close, "--force"])).toMatchObject({ code: 0, out: "order-17 is closed: rejected.\n" });
    lost.withdraw();
    station.emulator.on("flights.book", "success-without-pnr", { times: 1 });
    await station.run(order(station, "SAMPLE", "order-18"));
    expect(station.sent()).toBe(2);
  });

  it("prints the commands that close each open booking", async () => {
    const { run } = await stationWithTwoOpenBookings();
    const { out } = await run(["bookings"]);
    const commands = out.match(/reconcile order-\d+ --[\w-]+/g);
    const each = (reference: string) => [`reconcile ${reference} --booked`, `reconcile ${reference} --not-booked`];
    expect(commands).toEqual([...each("order-17"), ...each("order-18")]);
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
    const other = await station.run(["bookings", "--base-url", "https://api.example.com/v1"]);
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no journal at .*api\.example\.com\.jsonl yet/),
    });
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

  it("says what is recorded of a closed booking, and how to correct it", async () => {
    const { run } = await stationWithOpenBooking();
    const close = ["bookings", "reconcile", "order-17"];
    await run([...close, "--booked", "ABC123"]);
    const other = await run([...close, "--booked", "DEF456"]);
    const command = "npx serviceapi bookings reconcile order-17 --booked <PNR> --replaces ABC123";
    expect([other.code, other.err]).toEqual([3, expect.stringContaining(`as ABC123. If that is wrong, correct it:`)]);
    expect(other.err).toContain(command);
    const none = await run([...close, "--not-booked"]);
    expect([none.code, none.err]).toEqual([3, expect.stringMatching(/as ABC123\. A booking that is recorded stays/)]);
  });

  it("puts another PNR in place of the one that the command names, and keeps the offer from being booked again", async () => {
    const station = await stationWithOpenBooking();
    const close = ["bookings", "reconcile", "order-17"];
    await station.run([...close, "--booked", "ABC123"]);
    const correct = (name: string) => station.run([...close, "--booked", "DEF456", "--replaces", name]);
    const wrong = /order-17 is recorded as ABC123, not as XYZ789\. Nothing was changed/;
    expect(await correct("XYZ789")).toMatchObject({ code: 2, err: expect.stringMatching(wrong) });
    const out = "order-17 is closed: booked, DEF456, in place of ABC123.\n";
    const cancelled = await station.run([
      ...close,
      "--booked",
      "CANCELLED",
      "--booking-id",
      "7",
      "--replaces",
      "ABC123",
    ]);
    expect(cancelled).toMatchObject({ code: 2, err: expect.stringMatching(/needs a PNR or a booking ID/) });
    expect(await correct("abc123")).toMatchObject({ code: 0, out });
    expect(await correct("ABC123")).toMatchObject({ code: 2, err: expect.stringMatching(/recorded as DEF456/) });
    expect((await station.run(["bookings", "--reference", "order-17"])).out).toMatch(/booked .* DEF456/);
    expect(await station.run(order(station, "TIMEOUTBOOKED", "order-18"))).toMatchObject({ code: 3 });
    expect(station.sent()).toBe(1);
  });

  it("shows a recorded number whole, which the correction has to name", async () => {
    const { run } = await stationWithOpenBooking();
    const close = ["bookings", "reconcile", "order-17"];
    await run([...close, "--booking-id", "47110815"]);
    const { err } = await run([...close, "--booked", "DEF456", "--replaces", "47110816"]);
    expect(err).toContain("order-17 is recorded as 47110815, not as 47110816.");
  });

  it("points out a PNR of an unusual form", async () => {
    const { run } = await stationWithOpenBooking();
    const close = ["bookings", "reconcile", "order-17"];
    const long = await run([...close, "--booked", "ABC1234"]);
    expect(long).toMatchObject({ code: 0, err: expect.stringMatching(/^A PNR usually has six letters or digits: /m) });
    const usual = await run([...close, "--booked", "ABC123", "--replaces", "ABC1234"]);
    expect(usual).toMatchObject({ code: 0, err: "Check its status and price, then have the ticket issued.\n" });
  });

  it("replaces nothing of an open booking", async () => {
    const { run } = await stationWithOpenBooking();
    const result = await run(["bookings", "reconcile", "order-17", "--booked", "DEF456", "--replaces", "ABC123"]);
    expect(result).toMatchObject({ code: 2, err: expect.stringMatching(/is not recorded as booked/) });
    expect((await run(["bookings"])).out).toMatch(/order-17 +unknown/);
  });

  it("refuses the PNR of another booking, unless the command says that they share it", async () => {
    const { run } = await stationWithTwoOpenBookings();
    const close = (reference: string, ...more: string[]) =>
      run(["bookings", "reconcile", reference, "--booked", "ABC123", ...more]);
    const early = await close("order-17", "--shared-with", "order-18");
    expect(early).toMatchObject({ code: 2, err: expect.stringMatching(/does not have it for order-18/) });
    expect(await close("order-17")).toMatchObject({ code: 0 });
    const taken =
      /has ABC123 for another booking, order-17\. Nothing was changed\.[\s\S]* pass --shared-with order-17\./;
    expect(await close("order-18")).toMatchObject({ code: 2, err: expect.stringMatching(taken) });
    expect((await run(["bookings"])).out).toMatch(/order-18 +unknown/);
    expect(await close("order-18", "--shared-with", "order-17")).toMatchObject({ code: 0 });
  });

  it("takes several PNRs of one booking, and prints JSON", async () => {
    const { run, emulator } = await stationWithOpenBooking();
    const { out, code } = await run(["bookings", "reconcile", "order-17", "--booked", "XYZ789/XYZ790", "--json"]);
    expect([code, JSON.parse(out).booking]).toMatchObject([0, { state: "booked", pnr: "XYZ789/XYZ790" }]);
    expect(emulator.bookings.length).toBe(1);
  });

  it("takes a booking ID, and a journal by its path", async () => {
    const station = await startStation();
    const journal = `${station.folder}/own journal.jsonl`;
    const sent = await station.run([...order(station, "TIMEOUTNOTBOOKED", "order-17"), "--journal", journal]);
    expect(sent).toMatchObject({ code: 5, err: expect.stringContaining(`--not-booked --journal '${journal}'`) });
    const close = ["bookings", "reconcile", "order-17", "--booking-id", "4711"];
    expect(await station.run(close)).toMatchObject({ code: 2, err: expect.stringMatching(/no journal at/) });
    const env = { SERVICEAPI_JOURNAL: journal };
    expect(await station.run(close, { env })).toMatchObject({ code: 0, out: "order-17 is closed: booked, 4711.\n" });
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no evidence", [], /Pass either/],
    ["two results", ["--booked", "ABC123", "--not-booked"], /Pass either/],
    ["a placeholder", ["--booked", "pending"], /needs a PNR or a booking ID/],
    ["an empty PNR", ["--booked", ""], /needs a PNR or a booking ID/],
    ["a file", ["--booked", "package.json"], /needs a PNR or a booking ID/],
    ["force for a booking", ["--booked", "ABC123", "--force"], /--force has no effect without --not-booked/],
    ["a name to replace without another", ["--not-booked", "--replaces", "A"], /--replaces has no effect with --not-b/],
  ])("refuses %s with exit code 2, and leaves the booking open", async (_, args, message) => {
    const { run } = await stationWithOpenBooking();
    const { err, code } = await run(["bookings", "reconcile", "order-17", ...args]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect((await run(["bookings"])).out).toMatch(/order-17 +unknown/);
  });
});
