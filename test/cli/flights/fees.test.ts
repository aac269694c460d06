import { describe, expect, it } from "vitest";
import { quoteAs, quoteOf, type Station, startStation, timeless } from "./support.ts";

describe("serviceapi fees", () => {
  it("shows what a cancellation and a reissue cost now, and the windows of the rules", async () => {
    const { run, search } = await startStation();
    const { out, err, code } = await run(["fees", ...search]);
    expect([code, err]).toEqual([0, ""]);
    expect(timeless(out)).toMatchSnapshot();
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("shows the fee at a time on the clock of the first airport", async () => {
    const station = await startStation();
    const departure = await departureOf(station);
    const at = `${departure.slice(0, 10)} 00:30`; // 5 hours and 45 minutes before
    const { out } = await station.run(["fees", ...station.search, "--type", "Cancellation", "--at", at]);
    expect(out.split("\n")[0]).toBe(`Cancellation at ${at} (first airport): INR 4500`);
    expect(out).not.toMatch(/Reissue/);
  });

  it("shows the fee at an instant, for a part of the passengers", async () => {
    const station = await startStation("international-roundtrip-family");
    const { run, search } = station;
    const at = `${(await departureOf(station)).slice(0, 10)}T02:00:00+05:30`;
    const args = ["fees", ...search, "--at", at, "--type", "Cancellation", "--count", "adult=1", "infant=1"];
    const { out } = await run(args);
    expect(out).toMatch(/02:00 \(Asia\/Kolkata\): not known, ask the airline: the parts cannot be added up$/m);
    expect(out).toMatch(/^ {2}DEL-LHR .* 1 adult +not allowed\n {2}DEL-LHR .* 1 infant +not allowed$/m);
    expect(out).toMatch(/^ {2}LHR-DEL .* 1 infant +INR 12000$/m);
    expect(out).not.toMatch(/2 adult/);
  });

  it("does not guess the time zone of an airport outside India", async () => {
    const station = await startStation();
    const { run, search } = station;
    await quoteAs(station, ({ segments, ...offer }) => {
      const moved = segments.map((each) => ({ ...each, origin: { ...each.origin, country_code: "GB" } }));
      return [{ ...offer, segments: moved }];
    });
    const { err, code } = await run(["fees", ...search]);
    expect([code, err]).toEqual([2, expect.stringMatching(/Pass --zone/)]);
    expect(await run(["fees", ...search, "--zone", "Europe/London"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\(Europe\/London\)/),
    });
  });

  it("says that a quote without numbers of passengers has no fee", async () => {
    const station = await startStation();
    await quoteAs(station, (offer) => [{ ...offer, fare_breakdown: [] }]);
    const { out } = await station.run(["fees", ...station.search, "--type", "Cancellation"]);
    expect(out).toMatch(/: not known, ask the airline: the quote has no rule for it, or does not say for how many$/m);
  });

  it("prints reports and body as JSON, one report for each result", async () => {
    const { run, search } = await startStation("domestic-roundtrip-two-results");
    const { results } = JSON.parse((await run(["fees", ...search, "--json"])).out);
    expect(results).toMatchObject([
      { result: 0, zone: "Asia/Kolkata", fees: { Cancellation: { fee: {} }, Reissue: { fee: {} } } },
      { result: 1, fees: {} },
    ]);
  });

  it.each<[string[], RegExp]>([
    [["--at", "tomorrow"], /must be a wall-clock time such as 2027-02-10 06:15:00/],
    [["--at", "2027-02-10T99:99Z"], /--at must be a time/],
    [["--type", "cancel"], /did you mean "Cancellation"/],
    [["--type", "Baggage"], /no rules for "Baggage", only for CANCELLATION and REISSUE/],
    [["--count", "adult"], /type=count/],
    [["--at", "2027-02-10 06:15", "--zone", "Europe/London"], /--zone has no effect with a time on the clock/],
    [["--result", "7"], /between 0 and 0/],
    [["--result", "-1"], /--result/],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { run, search } = await startStation();
    expect(await run(["fees", ...search, ...args])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(message),
    });
  });
});

async function departureOf(station: Station): Promise<string> {
  const quote = await quoteOf(station);
  return quote.data.result[0]?.segments[0]?.origin.departure_time ?? "";
}
