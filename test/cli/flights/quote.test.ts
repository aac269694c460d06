import { describe, expect, it } from "vitest";
import { openTerminal } from "../../support/command.ts";
import { quoteAs, startStation, timeless } from "./support.ts";

describe("serviceapi quote", () => {
  it("shows flights in local times, layovers, baggage, fare and ticket deadline in 80 columns", async () => {
    const { run, search } = await startStation("international-roundtrip-family");
    const { out, err, code } = await run(["quote", ...search]);
    expect([code, err]).toEqual([0, ""]);
    expect(timeless(out)).toMatchSnapshot();
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("says on standard error that it waits for the service, and how long, but not to a program", async () => {
    const { run, search, emulator } = await startStation();
    const isAway = () => emulator.on("flights.fareQuote", "unavailable", { times: 1 });
    isAway();
    const { err, code } = await run(["quote", ...search]);
    expect([code, err]).toEqual([0, "The service was not available. Trying again in 1 s.\n"]);
    isAway();
    expect(await run(["quote", ...search, "--json"])).toMatchObject({ code: 0, err: "" });
  });

  it("shows each result of a quote that has several, with its index for book", async () => {
    const { run, search } = await startStation("domestic-roundtrip-two-results");
    const { out, err } = await run(["quote", ...search]);
    expect(out).toMatch(/^Result 0\n[\s\S]*^Result 1\n/m);
    expect(err).toMatch(/--result 1/);
  });

  it("prints the results of the helpers and the body as JSON, with exact amounts", async () => {
    const station = await startStation("long-decimals");
    const { out } = await station.run(["quote", ...station.search, "--json"]);
    const { trace_id, token, results, body } = JSON.parse(out);
    expect([trace_id, token]).toEqual(station.search);
    expect(results).toMatchObject([
      { result: 0, price: { currency: "USD" }, passengers: {}, fareBreakdown: {}, itinerary: { legs: [{}] } },
    ]);
    expect(results[0].price.amount).toBe(String(body.data.result[0].fare.total_fare));
  });

  it.each<[string, (search: readonly string[], file: string) => readonly string[], string]>([
    ["words behind --", ([id, token]) => ["--", `${id}`, `${token}`], ""],
    ["a file", (_, file) => ["--search", file], ""],
    ["standard input", () => ["--search", "-"], "stdin"],
  ])("takes the flight from %s", async (_, args, stdin) => {
    const { run, search, write } = await startStation();
    const content = JSON.stringify({ trace_id: search[0], token: search[1], note: "others are ignored" });
    const flags = args(search, write("search.json", content));
    expect(await run(["quote", ...flags], { stdin: stdin && content })).toMatchObject({ code: 0 });
  });

  it.each<[string[], RegExp]>([
    [[], /The flight is missing/],
    [["trace-1", "token-1", "--search", "-"], /named twice/],
    [["--search", "-"], /standard input is not JSON/],
    [["--search", "package.json"], /must have trace_id and token/],
    [["--search", "-", "--secret-stdin"], /--search and --secret-stdin cannot both read/],
    [["trace-1", "token-1", "--deadline-zone", "Mars/Base"], /time zone/],
    [["trace-1", "token-1", "--no-such-flag"], /unknown option/],
  ])("refuses %j with exit code 2, and sends nothing", async (args, message) => {
    const { emulator, run } = await startStation();
    const { out, err, code } = await run(["quote", ...args]);
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(message)]);
    expect(emulator.requests).toEqual([]);
  });

  it("ends with exit code 3 for a search that is too old, and says so as JSON", async () => {
    const { run } = await startStation();
    const { out, code } = await run(["quote", "trace-1", "token-1", "--json"]);
    expect([code, JSON.parse(out)]).toMatchObject([3, { error: { kind: "session_expired", outcome: "rejected" } }]);
  });

  it("ends with exit code 6 if nothing listens", async () => {
    const { run, search } = await startStation();
    const env = { SERVICEAPI_BASE_URL: "http://127.0.0.1:9" };
    expect(await run(["quote", ...search], { env })).toMatchObject({ code: 6, out: "" });
  });

  it("ends with exit code 130 on Ctrl-C", async () => {
    const { emulator, start, search } = await startStation();
    emulator.on("*", "no-response");
    const { child, ended } = start(["quote", ...search]);
    await expect.poll(() => emulator.requests.length).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, out: "", err: "Interrupted.\n" });
  });

  it("keeps escape sequences of the service from the terminal, also in JSON", async () => {
    const station = await startStation();
    const airline_remark = "red \u001b[31m, title \u001b]0;x\u0007, C1 \u009b2J, bidi \u202e, line\nbreak";
    await quoteAs(station, (offer) => [{ ...offer, airline_remark }]);
    const { out } = await station.run(["quote", ...station.search]);
    expect(out).toMatch(/remark +red , title , C1 , bidi , line break$/m);
    const { out: json } = await station.run(["quote", ...station.search, "--json"]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(json).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(JSON.parse(json).body.data.result[0].airline_remark).toBe(airline_remark);
  });

  it("shows flags in any spelling, and says which are not known", async () => {
    const station = await startStation();
    const flags = { refundable: "N", is_lcc: "true", free_meal: "0", coupon_applicable: "perhaps" };
    const needs = { gst_mandatory: "false", pan_required_at_book: 1, passport_required_at_book: "on demand" };
    await quoteAs(station, (offer) => [{ ...offer, ...flags, ...needs }]);
    const { out } = await station.run(["quote", ...station.search]);
    expect(out).toMatch(/conditions +not refundable, low-cost carrier, coupons apply: not known$/m);
    expect(out).toMatch(/required +passport to book: not known, PAN to book$/m);
  });

  it.each(["quote", "fees"])(
    "%s shows a quote whose fields are of any kind: no stack, no nonsense",
    async (command) => {
      const station = await startStation();
      const values = [null, "text", 5, true, ["x", 7, {}], [[null]], {}, { a: { b: 1 } }];
      const each = (fields: object | undefined, value: unknown) =>
        Object.fromEntries(Object.keys(fields ?? {}).map((name) => [name, value]));
      await quoteAs(station, (offer) => {
        const { token, fare, segments, mini_fare_rules, ...rest } = offer;
        return values.flatMap((value) => [
          { ...each(rest, value), token, fare, segments: value, mini_fare_rules: value },
          { ...offer, segments: [each(segments[0], value)], fare: { ...each(fare, value), total_fare: 1 } },
          { ...offer, mini_fare_rules: mini_fare_rules.map((rule) => ({ ...each(rule, value), type: rule.type })) },
          { ...offer, mini_fare_rules: mini_fare_rules.map((rule) => ({ ...rule, charges: value, to: value })) },
        ]);
      });
      const more = command === "fees" ? ["--at", "2027-01-01 00:00:00"] : [];
      const { out, err, code } = await station.run([command, ...station.search, ...more]);
      expect([code, err.includes("TypeError")]).toEqual([0, false]);
      expect(out.match(/^Result \d+/gm)).toHaveLength(4 * values.length);
      expect(out).not.toMatch(/\[object|undefined|NaN|\bnull\b|\bt\s+e\s+x\s+t\b/);
    },
  );

  it("shows a quote with missing parts", async () => {
    const station = await startStation();
    const bare = { segments: [{ flight_number: 7 }], fare: { currency: "INR", total_fare: 7480 } };
    await quoteAs(station, ({ token }) => [{ token, ...bare }]);
    const { out, code } = await station.run(["quote", ...station.search]);
    expect(code).toBe(0);
    expect(out).toMatchSnapshot();
  });
});

// The pseudo-terminal of util-linux.
it.runIf(process.platform === "linux")("has titles in bold in a terminal, and none with NO_COLOR", async () => {
  const { environment, search } = await startStation();
  const inTerminal = async (env: Readonly<Record<string, string>>) => {
    const { exit, output } = openTerminal(["quote", ...search], { env: { ...environment, ...env } });
    await exit;
    return output();
  };
  expect(await inTerminal({})).toContain("\u001b[1mQuote\u001b[22m\r\n");
  expect(await inTerminal({ NO_COLOR: "1" })).toMatch(/^Quote\r\n {2}supplier /m);
});
