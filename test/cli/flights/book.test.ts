import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { passenger, personal, type Station, startStation, timeless } from "./support.ts";

/** The arguments of a booking at 7,480 rupees, which is the price. */
function order(station: Station, fields: Readonly<Record<string, unknown>> = {}): string[] {
  const file = station.write("passengers.json", [passenger(fields)]);
  return ["book", ...station.search, "--passengers", file, "--max-total", "7480", "INR"];
}

/** The journal of a station, by the port of its base URL. */
function journalOf({ folder, url }: Station): string {
  return `${folder}/serviceapi/bookings/localhost_${new URL(url).port}.jsonl`;
}

const rowsOf = (station: Station) =>
  readFileSync(journalOf(station), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("serviceapi book without --yes", () => {
  it("prints what would be booked, masked, sends nothing, and ends with exit code 2", async () => {
    const station = await startStation();
    const { out, err, code } = await station.run(order(station));
    expect([code, err]).toEqual([2, "Nothing was booked. Add --yes to book it.\n"]);
    const stable = timeless(out).replaceAll(/journal +.*/g, "journal …");
    expect(stable).toMatchSnapshot();
    expect(out).not.toMatch(personal);
    expect(station.sent()).toBe(0);
  });

  it("prints it as JSON, with names if you ask for them", async () => {
    const station = await startStation();
    const { out, code } = await station.run([...order(station), "--json"]);
    const maxTotal = { amount: "7480", currency: "INR" };
    expect([code, JSON.parse(out)]).toMatchObject([2, { booked: false, maxTotal, price: maxTotal }]);
    expect(out).not.toMatch(personal);
    expect((await station.run([...order(station), "--show-pii"])).out).toMatch(/Mr RAVI SAMPLE +1988-07-14/);
  });
});

describe("serviceapi book --yes", () => {
  it("books once, and shows PNR, reference, changes and ticket deadline", async () => {
    const station = await startStation();
    const { out, err, code } = await station.run([...order(station), "--yes", "--reference", "order-17"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ {2}PNR +\w{6}$/m);
    expect(out).toMatch(/^ {2}reference +order-17$/m);
    expect(out).toMatch(/^ {2}changes +none: booked as quoted$/m);
    expect(out).toMatch(/^ {2}ticket by +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(Asia\/Kolkata\), .* left$/m);
    expect(out).toMatch(/have the ticket issued/i);
    expect(out).not.toMatch(personal);
    expect([station.sent(), rowsOf(station).at(-1)?.state]).toEqual([1, "booked"]);
    const quotes = station.emulator.requests.filter(({ operation }) => operation === "flights.fareQuote");
    expect(quotes.length).toBe(1);
  });

  it("prints booking and body as JSON, with their people masked unless you ask for them", async () => {
    const station = await startStation();
    const { out } = await station.run([...order(station), "--yes", "--json"]);
    const { pnr, journal, deadline, changes, body } = JSON.parse(out);
    expect([journal, body.data.result.pnr]).toEqual([journalOf(station), pnr]);
    expect([deadline.zone, changes.changed]).toEqual(["Asia/Kolkata", false]);
    expect(body.data.result.passengers[0]).toMatchObject({ fname: "R•••", email: "tr•••••er@example.in", dob: "••••" });
    expect(out).not.toMatch(personal);
    const other = await startStation();
    const { out: whole } = await other.run([...order(other), "--yes", "--json", "--show-pii"]);
    expect(JSON.parse(whole).body.data.result.passengers[0]).toMatchObject({ fname: "RAVI", dob: "1988-07-14" });
  });

  it.each([
    ["PRICECHANGE", /^ {2}price +INR \d+.*, quoted at INR 7480$[\s\S]*^ {2}changes +The price is INR .* higher/m, 1],
    ["TIMECHANGE", /^ {2}changes +Flight ZZ 101 leaves \d+ minutes later/m, 0],
    ["WAITLIST", /^ {2}changes +Flight ZZ 101 is not confirmed/m, 0],
  ])(
    "shows what differs from the quote for the test value %s, and does not pass a price above the limit",
    async (lname, text, expected) => {
      const station = await startStation();
      const { out, code } = await station.run([...order(station, { lname }), "--yes"]);
      expect([code, out]).toEqual([expected, expect.stringMatching(text)]);
    },
  );

  it("refuses a price above the limit with exit code 3", async () => {
    const station = await startStation();
    station.emulator.use("success-higher-than-search", { operation: "flights.fareQuote" });
    const { err, code } = await station.run([...order(station), "--yes"]);
    expect([code, err]).toEqual([3, expect.stringMatching(/The offer costs INR \d+, above the limit of INR 7480/)]);
    expect(station.sent()).toBe(0);
  });

  it("refuses another offer than the agreed one with exit code 3", async () => {
    const station = await startStation();
    const agreed = station.write("quote.json", (await station.run(["quote", ...station.search, "--json"])).out);
    const file = station.write("passengers.json", { passengers: [passenger()] });
    const args = ["book", "--agreed", agreed, "--passengers", file, "--max-total", "INR 99999"];
    station.emulator.use("success-domestic-oneway-lcc", { operation: "flights.fareQuote", times: 1 });
    const { err, code } = await station.run([...args, "--yes"]);
    expect([code, station.sent(), err]).toEqual([3, 0, expect.stringMatching(/OfferChangedError/)]);
    expect(await station.run([...args, "--yes"])).toMatchObject({ code: 0, err: "" });
  });

  it("shows each issue of a passenger with its path, and sends nothing", async () => {
    const station = await startStation();
    const args = order(station, { title: "Mrs", dob: "14/07/1988", fname: "Ravi-Kumar" });
    const { out, err, code } = await station.run([...args, "--yes"]);
    expect([code, out, station.sent()]).toEqual([2, "", 0]);
    expect(err).toMatch(/^error: passengers\[0\]\.dob: .*\(invalid_field\)$/m);
    expect(err).toMatch(/^error: passengers\[0\]\.title: .*\(title_gender_mismatch\)$/m);
    expect(err).not.toMatch(/Kumar/i);
    const json = await station.run([...args, "--json", "--show-pii"]);
    expect(JSON.parse(json.out).error.issues.map(({ code }: { code: string }) => code)).toContain("invalid_field");
  });

  it("accepts issues and adds fields to the request if you say so", async () => {
    const station = await startStation();
    const extra = station.write("extra.json", { passengers: [{ passport_no: "Z0000000" }] });
    const args = [...order(station, { title: "Mrs" }), "--accept-issues", "title_gender_mismatch"];
    const { code, err } = await station.run([...args, "--extra-body", extra, "--yes"]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^warning: passengers\[0\]\.title: /)]);
    expect(JSON.stringify(station.emulator.requests.at(-1)?.body)).toMatch(/Z0000000/);
  });

  it("books an order once: again is refused with exit code 3, and needs --force", async () => {
    const station = await startStation();
    const args = [...order(station), "--yes"];
    expect(await station.run([...args, "--reference", "order-17"])).toMatchObject({ code: 0 });
    const again = await station.run(args);
    expect(again).toMatchObject({ code: 3, out: "", err: expect.stringMatching(/order-17[\s\S]*booked, PNR \w{6}/) });
    const taken = await station.run([...args, "--force", "--reference", "order-17"]);
    expect(taken).toMatchObject({ code: 3, err: expect.stringMatching(/Use another reference/) });
    expect(station.sent()).toBe(1);
    await station.run([...args, "--force"]);
    expect(station.sent()).toBe(2);
  });

  it("lets one of two processes send an order", async () => {
    const station = await startStation();
    const args = [...order(station), "--yes"];
    const codes = (await Promise.all([station.run(args), station.run(args)])).map(({ code }) => code);
    expect([codes.sort(), station.sent()]).toEqual([[0, 3], 1]);
  });

  it("lets a booking that was refused be made again", async () => {
    const station = await startStation();
    station.emulator.use("failed-insufficient-balance", { operation: "flights.book", times: 1 });
    const { code, err } = await station.run([...order(station), "--yes"]);
    expect([code, err]).toEqual([3, expect.stringMatching(/InsufficientBalanceError/)]);
    expect(await station.run([...order(station), "--yes"])).toMatchObject({ code: 0 });
  });
});

describe("an outcome that is not known", () => {
  it.each(["TIMEOUTBOOKED", "TIMEOUTNOTBOOKED", "NOPNR"])(
    "ends with exit code 5 for %s, and is not sent again",
    async (lname) => {
      const station = await startStation();
      const args = [...order(station, { lname }), "--yes"];
      const { out, err, code } = await station.run([...args, "--reference", "order-17"]);
      expect([code, out]).toEqual([5, ""]);
      expect(err).toMatch(/The booking may exist[\s\S]*serviceapi bookings reconcile order-17 --booked <PNR>/);
      expect(rowsOf(station).at(-1)).toMatchObject({ state: "unknown", clientReferenceId: "order-17" });
      expect(await station.run(args)).toMatchObject({ code: 3, err: expect.stringMatching(/order-17/) });
      expect(station.sent()).toBe(1);
    },
  );

  it("is what a timeout leaves, also as JSON", async () => {
    const station = await startStation();
    station.emulator.use("no-response-after", { operation: "flights.book" });
    const { out, code } = await station.run([...order(station), "--yes", "--timeout", "3000", "--json"]);
    const { error } = JSON.parse(out);
    expect([code, error]).toMatchObject([5, { kind: "booking_outcome_unknown", outcome: "unknown" }]);
    expect(rowsOf(station).at(-1)?.clientReferenceId).toBe(error.clientReferenceId);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("is what %s leaves once it was sent, and says so", async (signal) => {
    const station = await startStation();
    station.emulator.use("no-response-after", { operation: "flights.book" });
    const { child, ended } = station.start([...order(station), "--yes", "--reference", "order-17"]);
    await expect.poll(station.sent, { timeout: 20_000 }).toBe(1);
    child.kill(signal);
    const { out, err, code } = await ended;
    expect([code, out]).toEqual([5, ""]);
    expect(err).toMatch(/^Interrupted\. [\s\S]*The booking may exist[\s\S]*order-17/);
    expect(rowsOf(station).at(-1)).toMatchObject({ state: "unknown" });
  });

  it("does not begin if Ctrl-C comes before it was sent", async () => {
    const station = await startStation();
    station.emulator.use("no-response", { operation: "flights.fareQuote" });
    const { child, ended } = station.start([...order(station), "--yes"]);
    await expect.poll(() => station.emulator.requests.length, { timeout: 20_000 }).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, out: "" });
    expect(station.sent()).toBe(0);
  });
});

describe("what cannot be booked", () => {
  it.each<[string, (station: Station) => readonly string[], RegExp]>([
    ["an amount without a currency", () => ["--max-total", "7480"], /amount with its currency/],
    ["a limit in two currencies", () => ["--max-total", "7480", "INR", "USD"], /amount with its currency/],
    ["a negative limit", () => ["--max-total=-1 INR"], /amount with its currency/],
    ["a file that is not there", () => ["--passengers", "missing.json"], /missing\.json could not be read/],
    ["a file that is no list", ({ write }) => ["--passengers", write("one.json", passenger())], /must be a list/],
    ["a journal in no folder", () => ["--journal", "/no/such/folder/j.jsonl"], /folder .* does not exist/],
    ["a damaged journal", ({ write }) => ["--journal", write("j.jsonl", '{"a":1}\n')], /Line 1 of .* is not a row/],
    ["an unknown check", () => ["--accept-issues", "everything"], /acceptIssues/],
  ])("refuses %s with exit code 2, and sends no booking", async (_, args, message) => {
    const station = await startStation();
    const { err, code, out } = await station.run([...order(station), ...args(station), "--yes"]);
    expect([code, out, err, station.sent()]).toEqual([2, "", expect.stringMatching(message), 0]);
  });

  it("ends with exit code 1 if the journal cannot be written", async () => {
    const station = await startStation();
    const folder = `${station.folder}/folder`;
    mkdirSync(folder);
    const { err, code } = await station.run([...order(station), "--journal", folder, "--yes"]);
    expect([code, err, station.sent()]).toEqual([1, expect.stringMatching(/is a folder/), 0]);
  });

  it("ends with exit code 6 if the service cannot be reached", async () => {
    const station = await startStation();
    const env = { SERVICEAPI_BASE_URL: "http://127.0.0.1:9" };
    expect(await station.run([...order(station), "--yes"], { env })).toMatchObject({ code: 6, out: "" });
  });
});
