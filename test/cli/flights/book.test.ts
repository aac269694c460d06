import { describe, expect, it } from "vitest";
import { passenger } from "../../support/passenger.ts";
import { startServer } from "../../support/server.ts";
import { journalOf, order, rowsOf } from "./orders.ts";
import { personal, startStation, timeless } from "./support.ts";

describe("serviceapi book without --yes", () => {
  it("prints what would be booked, masked, sends nothing, and ends with exit code 7", async () => {
    const station = await startStation();
    const { out, err, code } = await station.run(order(station));
    expect([code, err]).toEqual([7, "Nothing was booked. Add --yes to book it.\n"]);
    const stable = timeless(out).replaceAll(/journal +.*/g, "journal …");
    expect(stable).toMatchSnapshot();
    expect(out).not.toMatch(personal);
    expect(station.sent()).toBe(0);
  });

  it("prints it as JSON, with names if you ask for them", async () => {
    const station = await startStation();
    const { out, code } = await station.run([...order(station), "--json"]);
    const maxTotal = { amount: "7480", currency: "INR" };
    expect([code, JSON.parse(out)]).toMatchObject([7, { booked: false, maxTotal, price: maxTotal }]);
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

  it.each([[["--json"]], [["--json", "--show-pii"]], [[]]])(
    "says with %j what was booked, although a field of the response nests deeper than the stack",
    async (flags) => {
      const station = await startStation();
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
      const { url } = await startServer(async (response, { path, body, headers }) => {
        const headersSent = Object.entries(headers).map(([name, value]) => [name, `${value}`] as [string, string]);
        const text = await (await fetch(station.url + path, { method: "POST", headers: headersSent, body })).text();
        response.end(path.includes("book") ? text.replace(/\}\s*$/, `,"unknown":${deep}}`) : text);
      });
      const args = [...order(station), "--yes", ...flags];
      const { out, err, code } = await station.run(args, { env: { SERVICEAPI_BASE_URL: url } });
      expect([code, err]).toEqual([0, ""]);
      if (flags.length > 0) expect(JSON.parse(out)).toMatchObject({ pnr: expect.stringMatching(/^\w{6}$/) });
      else expect(out).toMatch(/^ {2}PNR +\w{6}$/m);
    },
  );

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

  it.each([
    [
      "above it, whatever its seats cost",
      { total_fare: 9_500, total_seat_charges: 2_000 },
      true,
      /It was booked above --max/,
    ],
    ["that cannot be read", { currency: "" }, null, /price of the booking cannot be compared with --max-tot/],
    ["in another currency", { currency: "USD" }, null, /price of the booking cannot be compared with --max-tot/],
  ])("does not pass a price %s", async (_case, fare, isAboveLimit, message) => {
    const station = await startStation();
    station.emulator.on("flights.book", { data: { result: { fare } } });
    const { out, err, code } = await station.run([...order(station), "--yes", "--json"]);
    expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    expect(JSON.parse(out)).toMatchObject({ isAboveLimit, pnr: expect.stringMatching(/./) });
  });

  it("tells a script and a person that a flight is not confirmed", async () => {
    const station = await startStation();
    const clean = JSON.parse((await station.run([...order(station), "--yes", "--json"])).out);
    const other = await startStation();
    const json = JSON.parse((await other.run([...order(other, { lname: "WAITLIST" }), "--yes", "--json"])).out);
    expect([clean.isConfirmed, json.isConfirmed]).toEqual([true, false]);
    const third = await startStation();
    const { out } = await third.run([...order(third, { lname: "WAITLIST" }), "--yes"]);
    expect(out).toMatch(
      /^ {2}next +Ask the service operator whether every flight is confirmed\. This[\s\S]*Have the ticket/m,
    );
  });

  it("refuses a price above the limit with exit code 3", async () => {
    const station = await startStation();
    station.emulator.on("flights.fareQuote", "success-higher-than-search");
    const { err, code } = await station.run([...order(station), "--yes"]);
    expect([code, err]).toEqual([3, expect.stringMatching(/The offer costs INR \d+, above the limit of INR 7480/)]);
    expect(station.sent()).toBe(0);
  });

  it("names the currency of a price that cannot be compared with the limit", async () => {
    const station = await startStation();
    const { err, code } = await station.run([...order(station).slice(0, -2), "100.55", "USD", "--yes"]);
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/costs INR 7480, .* the limit of USD 100\.55: name a limit in INR/),
    ]);
    expect(err).not.toContain("raise");
    expect(station.sent()).toBe(0);
  });

  it("refuses another offer than the agreed one with exit code 3", async () => {
    const station = await startStation();
    const agreed = station.write("quote.json", (await station.run(["quote", ...station.search, "--json"])).out);
    const file = station.write("passengers.json", { passengers: [passenger()] });
    const args = ["book", "--agreed", agreed, "--passengers", file, "--max-total", "INR 99999"];
    station.emulator.on("flights.fareQuote", "success-domestic-oneway-lcc", { times: 1 });
    const { err, code } = await station.run([...args, "--yes"]);
    expect([code, station.sent(), err]).toEqual([
      3,
      0,
      expect.stringMatching(/^error: A fresh quote differs from the one that was shown\./),
    ]);
    expect(await station.run([...args, "--yes"])).toMatchObject({ code: 0, err: "" });
  });

  it("shows each issue of a passenger with its path, and sends nothing", async () => {
    const station = await startStation();
    const args = order(station, { title: "Mrs", dob: "14/07/1988", fname: "Ravi-Kumar" });
    const { out, err, code } = await station.run([...args, "--yes"]);
    expect([code, out, station.sent()]).toEqual([2, "", 0]);
    expect(err).toMatch(/^error: passenger 1, dob: .*\(invalid_field\)$/m);
    expect(err).toMatch(/^error: passenger 1, title: .*\(title_gender_mismatch\)$/m);
    expect(err).not.toMatch(/Kumar/i);
    const json = await station.run([...args, "--json", "--show-pii"]);
    expect(JSON.parse(json.out).error.issues.map(({ code }: { code: string }) => code)).toContain("invalid_field");
    expect(json.out).toMatch(/"suggestion":"Mr"/);
  });

  it("counts passengers from 1, and names the values of a choice and the codes that can be accepted", async () => {
    const station = await startStation();
    const { title: _, ...untitled } = passenger({ fname: "ASHA", gender: "female" });
    const file = station.write("two.json", [passenger({ title: "Mrs" }), untitled]);
    const args = ["book", ...station.search, "--passengers", file, "--max-total", "INR 99999", "--yes"];
    const { err, code } = await station.run(args);
    expect([code, station.sent()]).toEqual([2, 0]);
    expect(err).toMatch(/^error: passenger 1, title: .*\(title_gender_mismatch\)$/m);
    expect(err).toMatch(/^error: passenger 2, title: Choose the title: Mr, Mrs, Ms, Mstr\. \(invalid_field\)$/m);
    expect(err).toMatch(/^error: passenger 2, gender: Choose the gender: M, F\. \(invalid_field\)$/m);
    expect(err).toMatch(
      /^Correct them, or accept what is right all the same: --accept-issues count_differs_from_quote title_gender_mismatch\nerror: The passengers/m,
    );
  });

  it("names an unknown field and the flag for it, and the type of a field", async () => {
    const station = await startStation();
    const args = order(station, { town: "Samplepur", titel: "Mr", address: 11 });
    const { err, code } = await station.run([...args, "--yes"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: passenger 1: has unknown fields town, titel; .*--extra-body \(invalid_field\)$/m);
    expect(err).toMatch(/^error: passenger 1, address: must be a non-empty string \(invalid_field\)$/m);
  });

  it("accepts issues and adds fields to the request if you say so", async () => {
    const station = await startStation();
    const extra = station.write("extra.json", { passengers: [{ passport_no: "Z0000000" }] });
    const args = [...order(station, { title: "Mrs" }), "--accept-issues", "title_gender_mismatch"];
    const { code, err } = await station.run([...args, "--extra-body", extra, "--yes"]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^warning: passenger 1, title: /)]);
    expect(JSON.stringify(station.emulator.requests.at(-1)?.body)).toMatch(/Z0000000/);
  });

  it("books an order once: again is refused with exit code 3, and needs --force", async () => {
    const station = await startStation();
    const args = [...order(station), "--yes"];
    expect(await station.run([...args, "--reference", "order-17"])).toMatchObject({ code: 0 });
    const again = await station.run(args);
    const known = /order-17[\s\S]*booked twice, pass --force\.[\s\S]*booked, PNR \w{6}\.$/m;
    expect(again).toMatchObject({ code: 3, out: "", err: expect.stringMatching(known) });
    const taken = await station.run([...args, "--force", "--reference", "order-17"]);
    expect(taken).toMatchObject({ code: 3, err: expect.stringMatching(/Use another reference/) });
    // It has just been refused with it.
    expect(taken.err).not.toContain("--force");
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
    station.emulator.on("flights.book", "insufficient_balance", { times: 1 });
    const { code, err } = await station.run([...order(station), "--yes"]);
    expect([code, err]).toEqual([3, expect.stringMatching(/^error: flights\.book: .*\(insufficient_balance, /m)]);
    expect(await station.run([...order(station), "--yes"])).toMatchObject({ code: 0 });
  });
});
