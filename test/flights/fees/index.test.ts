import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { type FeeQuery, fees } from "../../../src/flights/fees/index.ts";
import type { FareQuoteResult } from "../../../src/flights/types/index.ts";
import { breakdownOf, leaving, miniRule, sampleOffer, sampleQuote } from "../offers.ts";

const inr = (amount: string, plusFareDifference = false) => ({
  kind: "amount",
  total: { amount, currency: "INR" },
  plusFareDifference,
});
const andMore = <Fee extends object>(fee: Fee) => ({ ...fee, andMore: true });
const unknown = (reason: string) => ({ kind: "indeterminate", reason });

/** Plain JavaScript may ask for any type and moment. */
type Asked = { readonly [Name in keyof FeeQuery]?: unknown };

function feeOf(offer: FareQuoteResult, at: unknown, more: Asked = {}) {
  return fees(offer, { type: "Cancellation", at, ...more } as FeeQuery).fee;
}

describe("the fee of a cancellation or change, on the sample quotes", () => {
  const fullService = sampleOffer("domestic-oneway-full-service"); // departs 2027-02-10 06:15
  const budget = sampleOffer("domestic-oneway-lcc"); // departs 2027-02-12 21:40
  const family = sampleOffer("international-roundtrip-family"); // DEL-LHR 2027-04-01 23:30, LHR-DEL 2027-04-20 13:50

  it.each([
    [fullService, "Cancellation", "2027-02-10 06:15:00", inr("6000")],
    [fullService, "Cancellation", "2027-02-10 02:15:01", inr("6000")],
    [fullService, "Cancellation", "2027-02-10 02:15:00", inr("4500")],
    [fullService, "Cancellation", "2027-02-06 06:15:01", inr("4500")],
    [fullService, "Cancellation", "2027-02-06 06:15:00", inr("3500")],
    [fullService, "Cancellation", "2026-11-21 10:00:00", inr("3500")],
    [fullService, "Cancellation", "2027-02-10 06:15:01", unknown("afterDeparture")],
    [fullService, "Reissue", "2027-02-10 04:00:00", { kind: "notAllowed" }],
    [fullService, "reissue", "2027-02-09 06:15:00", inr("3500")],
    [fullService, "No show", "2027-02-09 06:15:00", unknown("noRule")],
    [budget, "Cancellation", "2027-02-12 20:00:00", { kind: "percent", percent: "100" }],
    [budget, "Cancellation", "2027-02-12 19:40:00", andMore(inr("3499"))],
    [budget, "Cancellation", "2027-02-01 00:00:00", andMore(inr("2999"))],
    [budget, "Reissue", "2027-02-01 00:00:00", unknown("unreadableWindow")],
    [sampleOffer("domestic-roundtrip-one-token"), "Cancellation", "2027-01-01 00:00:00", inr("14000")],
    [sampleOffer("domestic-roundtrip-one-token"), "Reissue", "2027-01-01 00:00:00", { kind: "notAllowed" }],
    [sampleOffer("nested-mini-rules"), "Cancellation", "2027-02-09 06:15:00", inr("4500")],
    [sampleOffer("placeholder-mini-rules"), "Cancellation", "2027-02-09 06:15:00", unknown("noRule")],
    [sampleOffer("long-decimals"), "Cancellation", "2027-02-09 06:15:00", unknown("noRule")],
    [family, "Cancellation", "2027-03-01 00:00:00", inr("96000")],
    [family, "Cancellation", "2027-03-30 00:00:00", inr("122000")],
    [family, "Cancellation", "2027-04-01 12:00:00", unknown("mixed")],
  ])("%#: %s", (offer, type, at, fee) => {
    expect(feeOf(offer, at, { type })).toEqual(fee);
  });

  it("names the rule that decided, by journey and type of passenger", () => {
    const { journeys } = fees(family, { type: "Cancellation", at: "2027-03-30 00:00:00" });
    expect(journeys).toMatchObject([
      {
        journeyPoints: "DEL-LHR",
        departure: "2027-04-01 23:30:00",
        fee: inr("74000"),
        passengers: [
          { passengerType: "adult", count: 2, fee: inr("37000"), rule: { charges: "INR 18,500" }, overlap: false },
          { passengerType: "child", count: 1, fee: inr("18500"), rule: { charges: "INR 18,500" } },
          { passengerType: "infant", count: 1, fee: inr("18500"), rule: { charges: "INR 18,500" } },
        ],
      },
      { journeyPoints: "LHR-DEL", fee: inr("48000"), rules: [{ charges: "INR 12000" }] },
    ]);
  });

  it("orders the windows of a journey, from departure backwards", () => {
    const [journey] = fees(fullService, { type: "Cancellation", at: "2027-02-09 00:00:00" }).journeys;
    expect(journey?.rules.map((rule) => `${rule.from} ${rule.unit}`)).toEqual(["0 HOURS", "4 HOURS", "4 DAYS"]);
    const rules = fullService.mini_fare_rules?.toReversed() ?? [];
    const turned = fees(
      { ...fullService, mini_fare_rules: rules },
      { type: "Cancellation", at: "2027-02-09 00:00:00" },
    );
    expect(turned.journeys[0]?.rules).toEqual(journey?.rules);
  });
});

describe("who the fee is for", () => {
  const offer = sampleOffer("domestic-oneway-full-service", {
    mini_fare_rules: [miniRule({ charges: "ADULT- INR 4000" }), miniRule({ charges: "CHILD- INR 1000" })],
  });
  const at = "2027-02-01 00:00:00";

  it("defaults to the passengers of the quote", () => {
    expect(feeOf(offer, at)).toEqual(inr("4000"));
  });

  it("accepts counts or passengers, and applies the charge of each type", () => {
    expect(feeOf(offer, at, { passengers: { adult: 2, child: 1, infant: 0 } })).toEqual(inr("9000"));
    expect(feeOf(offer, at, { passengers: [{ passenger_type: "adult" }, { passenger_type: "adult" }] })).toEqual(
      inr("8000"),
    );
  });

  it("returns no figure for a charge per sector of several flights, of which each may be one", () => {
    const one = { ...offer, mini_fare_rules: [miniRule({ charges: "INR 3500 per pax per Sector" })] };
    const [flight] = one.segments;
    if (flight === undefined) throw new Error("the sample has no flight");
    const stop = { airport_code: "AMD", city_code: "AMD" };
    const first = { ...flight, destination: { ...flight.destination, ...stop } };
    const two = { ...one, segments: [first, { ...flight, origin: { ...flight.origin, ...stop } }] };
    expect([one, two].map((offer) => feeOf(offer, "2027-02-01 06:15:00"))).toEqual([
      inr("3500"),
      unknown("unreadableCharge"),
    ]);
    const free = { ...two, mini_fare_rules: [miniRule({ charges: "INR 0 per pax per Sector" })] };
    expect(feeOf(free, "2027-02-01 06:15:00")).toEqual({ kind: "free" });
  });

  it("returns no figure for a type without a rule, nor without passengers", () => {
    expect(feeOf(offer, at, { passengers: { adult: 1, infant: 1 } })).toEqual(unknown("noRule"));
    expect(feeOf(offer, at, { passengers: {} })).toEqual(unknown("noRule"));
  });
});

describe("rules that disagree or say too little", () => {
  const at = "2027-02-09 06:15:00"; // 24 hours before
  const withRules = (...rules: Parameters<typeof miniRule>[0][]) =>
    sampleOffer("domestic-oneway-full-service", { mini_fare_rules: rules.map(miniRule) });

  it.each([
    [
      "the dearer of two overlapping windows",
      [{ charges: "INR 100" }, { charges: "INR 300" }, { charges: "INR 200" }],
      inr("300"),
    ],
    ["not allowed over any amount", [{ charges: "INR 100" }, { charges: "Unchangeable" }], { kind: "notAllowed" }],
    ["an amount over free", [{ charges: "Free" }, { charges: "INR 100" }], inr("100")],
    ["the higher of two percentages", [{ charges: "30%" }, { charges: "50%" }], { kind: "percent", percent: "50" }],
    [
      "the fare difference on top of the same amount",
      [{ charges: "INR 1" }, { charges: "INR 1 + fare difference" }],
      inr("1", true),
    ],
    [
      "the fare difference on top of a dearer amount",
      [{ charges: "INR 2 + fare difference" }, { charges: "INR 1" }],
      inr("2", true),
    ],
    [
      "nothing, where a lower amount has the difference on top",
      [{ charges: "INR 1 + fare difference" }, { charges: "INR 2" }],
      unknown("overlap"),
    ],
    [
      "what is not allowed, whatever overlaps it",
      [{ charges: "50%" }, { charges: "INR 100" }, { charges: "Unchangeable" }],
      { kind: "notAllowed" },
    ],
    ["nothing, for a percentage against an amount", [{ charges: "50%" }, { charges: "INR 100" }], unknown("overlap")],
    ["nothing, across currencies", [{ charges: "USD 100" }, { charges: "INR 100" }], unknown("overlap")],
    [
      "nothing, where one of them cannot be read",
      [{ charges: "INR 100" }, { charges: "on request" }],
      unknown("unreadableCharge"),
    ],
    [
      "nothing, where a row has an unknown unit",
      [{ charges: "INR 100" }, { unit: "WEEKS" }],
      unknown("unreadableWindow"),
    ],
    ["nothing, where a window ends before it begins", [{ from: "5", to: "4" }], unknown("unreadableWindow")],
    ["nothing, where a window has no numbers", [{ from: "soon" }], unknown("unreadableWindow")],
    ["nothing, where a window has no end that can be read", [{ to: [24] as never }], unknown("unreadableWindow")],
    ["nothing, where it is an object", [{ to: { hours: 24 } as never }], unknown("unreadableWindow")],
    ["nothing, where it is a flag", [{ to: true as never }], unknown("unreadableWindow")],
    ["nothing, where it is a number without its digits", [{ to: 1e16 as never }], unknown("unreadableWindow")],
    ["nothing, where it is null", [{ to: null as never }], unknown("unreadableWindow")],
    ["nothing, where a window has a word beside its number", [{ from: "4 hours" }], unknown("unreadableWindow")],
    ["nothing, where a window begins about then", [{ from: "about 4" }], unknown("unreadableWindow")],
    ["a window of parts of an hour", [{ from: "23.75", to: "24.25" }, { from: "30" }], inr("3500")],
    ["nothing, where a window has no beginning", [{ from: "" }], unknown("unreadableWindow")],
    ["nothing, in a gap", [{ from: "0", to: "4" }, { from: "48" }], unknown("gap")],
    ["nothing, for a journey of another trip", [{ journey_points: "DEL-GOI" }], unknown("unknownJourney")],
    ["nothing, for a journey in the other direction", [{ journey_points: "BOM-DEL" }], unknown("unknownJourney")],
    ["a journey written with blanks and in lower case", [{ journey_points: " del - bom " }], inr("3500")],
  ])("takes %s", (_case, rules, fee) => {
    expect(feeOf(withRules(...rules), at)).toEqual(fee);
  });

  it("says that windows overlapped", () => {
    const [journey] = fees(withRules({ charges: "INR 1" }, { charges: "INR 2" }), {
      type: "Cancellation",
      at,
    }).journeys;
    expect(journey?.passengers[0]).toMatchObject({ overlap: true, rule: { charges: "INR 2" } });
  });

  it("does not add up rules of a journey and of a part of it", () => {
    const offer = sampleOffer("international-roundtrip-family", {
      mini_fare_rules: ["DEL-LHR", "DEL-DXB", "LHR-DEL"].map((journey_points) => miniRule({ journey_points })),
    });
    expect(feeOf(offer, "2027-03-01 00:00:00")).toEqual(unknown("mixed"));
  });

  it("counts rules flight by flight, and by city code", () => {
    const offer = sampleOffer("international-roundtrip-family", {
      mini_fare_rules: ["DEL-DXB", "DXB-LON", "LON-DEL"].map((journey_points) =>
        miniRule({ journey_points, charges: "INR 1" }),
      ),
    });
    expect(feeOf(offer, "2027-03-01 00:00:00", { passengers: { adult: 1 } })).toEqual(inr("3"));
  });

  it("says so if a direction has no rule", () => {
    const offer = sampleOffer("international-roundtrip-family", {
      mini_fare_rules: [miniRule({ journey_points: "DEL-LHR" })],
    });
    const report = fees(offer, { type: "Cancellation", at: "2027-03-01 00:00:00" });
    expect(report.fee).toEqual(unknown("noRule"));
    expect(report.journeys.map((journey) => journey.journeyPoints)).toEqual(["DEL-LHR", "LHR-DEL"]);
  });

  it("adds nothing across kinds and currencies of journeys", () => {
    const of = (...charges: string[]) =>
      sampleOffer("domestic-roundtrip-one-token", {
        mini_fare_rules: ["DEL-BOM", "BOM-DEL"].map((journey_points, i) =>
          miniRule({ journey_points, charges: charges[i] ?? "" }),
        ),
      });
    const moment = "2027-01-01 00:00:00";
    expect(feeOf(of("INR 1", "USD 1"), moment)).toEqual(unknown("mixed"));
    expect(feeOf(of("30%", "50%"), moment)).toEqual(unknown("mixed"));
    expect(feeOf(of("50%", "50%"), moment)).toEqual({ kind: "percent", percent: "50" });
    expect(feeOf(of("50%", "50%*"), moment)).toEqual(andMore({ kind: "percent", percent: "50" }));
    expect(feeOf(of("INR 1", "INR 1 + fare difference"), moment)).toEqual(inr("4", true));
    expect(feeOf(of("Unchangeable", "Unchangeable"), moment)).toEqual({ kind: "notAllowed" });
    expect(feeOf(of("INR 1", "Unchangeable"), moment)).toEqual(unknown("mixed"));
    expect(feeOf(of("INR 1", "Free"), moment)).toEqual(inr("2"));
    expect(feeOf(of("Free", "Free"), moment)).toEqual({ kind: "free" });
  });

  it.each([
    ["charges", "unreadableCharge"],
    ["journey_points", "unknownJourney"],
  ] as const)("knows no fee beside a rule without %s", (name, reason) => {
    const { [name]: _, ...rule } = miniRule({});
    expect(feeOf(withRules({}, rule as never), at)).toEqual(inr("3500"));
    const offer = sampleOffer("domestic-oneway-full-service", { mini_fare_rules: [miniRule({}), rule as never] });
    expect(feeOf(offer, at)).toEqual(unknown(reason));
  });

  it("survives rows that are not rules", () => {
    const offer = sampleOffer("domestic-oneway-full-service");
    const rows: unknown[] = [null, "INR 3500", { type: "Cancellation" }, [[miniRule({ charges: "INR 5" })]]];
    expect(feeOf({ ...offer, mini_fare_rules: Object.assign([], rows) }, at)).toEqual(inr("5"));
  });
});

describe("the time of the query", () => {
  const offer = sampleOffer("international-roundtrip-family", {
    mini_fare_rules: ["DEL-LHR", "LHR-DEL"].map((journey_points) =>
      miniRule({ journey_points, from: "2", charges: "INR 1" }),
    ),
  });
  const zones: Record<string, string> = { DEL: "Asia/Kolkata", LHR: "Europe/London" };

  it("an instant needs the zone of each departure, which is never invented", () => {
    const at = new Date(Date.UTC(2027, 3, 1, 16, 0)); // 21:30 in Delhi, two hours before
    const zone = (airport: string) => zones[airport];
    expect(feeOf(offer, at, { zone, passengers: { adult: 1 } })).toEqual(inr("2"));
    expect(feeOf(offer, new Date(at.getTime() + 1), { zone })).toEqual(unknown("gap"));
    expect(feeOf(offer, at, { zone: () => undefined })).toEqual(unknown("unknownTime"));
  });

  it("refuses an instant without a zone, and names what is missing", () => {
    expect(() => fees(offer, { type: "Cancellation", at: new Date() })).toThrow(
      /^fees: `at` is a Date, so `zone` is missing: .* such as "Asia\/Kolkata"\.$/,
    );
  });

  it("a departure that is not a time decides nothing", () => {
    const timeless = leaving(offer, { departure_time: "0001-01-01 00:00:00" });
    expect(feeOf(timeless, "2027-01-01 00:00:00")).toEqual(unknown("unknownTime"));
    expect(feeOf(timeless, new Date(), { zone: "Asia/Kolkata" })).toEqual(unknown("unknownTime"));
  });

  it("nor does a day without a time", () => {
    const dated = leaving(offer, { departure_time: "2027-04-18" });
    const { fee, journeys } = fees(dated, { type: "Cancellation", at: "2027-04-17 12:00:00" });
    expect([fee, journeys[0]?.departure]).toEqual([unknown("unknownTime"), null]);
  });

  describe("on two clocks that may be 26 hours apart", () => {
    const at = "2027-04-19 07:50:00"; // 30 hours before LHR-DEL, on the clock of Delhi
    const wayBack = (quoted: FareQuoteResult) => fees(quoted, { type: "Cancellation", at }).journeys[1]?.fee;
    const withRules = (...charges: readonly [from: string, to: string, charges: string][]) => ({
      ...offer,
      mini_fare_rules: [
        miniRule({ journey_points: "DEL-LHR" }),
        ...charges.map(([from, to, charges]) => miniRule({ journey_points: "LHR-DEL", from, to, charges })),
      ],
    });

    it("is the charge of all windows in between, and unknown if one of them differs", () => {
      expect(wayBack(withRules(["0", "", "Unchangeable"]))).toEqual({ kind: "notAllowed" });
      const oneDiffers = withRules(["0", "10", "Unchangeable"], ["10", "12", "Free"], ["12", "", "Unchangeable"]);
      expect(wayBack(oneDiffers)).toEqual(unknown("unknownTime"));
      const gap = withRules(["0", "10", "Unchangeable"], ["12", "", "Unchangeable"]);
      expect(wayBack(gap)).toEqual(unknown("unknownTime"));
    });

    it("is not the clock of Delhi because neither airport names its city", () => {
      const unnamed = withRules(["0", "20", "Free"], ["20", "", "Unchangeable"]);
      expect(wayBack(leaving(unnamed, { city_code: "" }))).toEqual(unknown("unknownTime"));
    });
  });

  /** INR 9 within three hours of the departure, and INR 1 before. */
  const nine = sampleOffer("domestic-oneway-full-service", {
    mini_fare_rules: [miniRule({ from: "0", to: "3", charges: "INR 9" }), miniRule({ from: "3", charges: "INR 1" })],
  });

  it("is on the clock of the airport itself, in a country with several time zones too", () => {
    const american = leaving(nine, { country_code: "US", city_code: "", departure_time: "2027-03-10 12:00:00" });
    expect(feeOf(american, "2027-03-10 10:30:00")).toEqual(inr("9"));
    expect(feeOf(american, "2027-03-10 08:00:00")).toEqual(inr("1"));
  });

  it("is indeterminate by an hour where clocks change: two times of a clock do not say how long the night was", () => {
    const dayBefore = sampleOffer("domestic-oneway-full-service", {
      mini_fare_rules: [
        miniRule({ from: "0", to: "24", charges: "Unchangeable" }),
        miniRule({ from: "24", charges: "INR 3500" }),
      ],
    });
    const from = (country_code: string) => leaving(dayBefore, { country_code, departure_time: "2027-03-28 12:00:00" });
    expect(feeOf(from("GB"), "2027-03-27 12:00:00")).toMatchObject({ kind: "indeterminate" });
    expect(feeOf(from("GB"), "2027-03-27 11:00:00")).toEqual(inr("3500"));
    expect(feeOf(from("IN"), "2027-03-27 12:00:00")).toEqual(inr("3500"));
  });

  it("counts the real hours of a night on which the clocks change", () => {
    const london = leaving(nine, { departure_time: "2027-03-28 03:00:00" });
    const at = new Date("2027-03-28T00:00:00Z"); // two hours, though the clock says three
    expect(feeOf(london, at, { zone: "Europe/London" })).toEqual(inr("9"));
  });
});

describe("arbitrary windows", () => {
  const bounds = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 });

  it("every moment before departure falls into exactly the window that begins at or before it", () => {
    fc.assert(
      fc.property(bounds, fc.integer({ min: 0, max: 600 * 60 }), (edges, minutes) => {
        const starts = [0, ...edges.sort((a, b) => a - b)];
        const offer = sampleOffer("domestic-oneway-full-service", {
          mini_fare_rules: starts.map((from, i) =>
            miniRule({ from: String(from), to: String(starts[i + 1] ?? ""), charges: `INR ${i + 1}` }),
          ),
        });
        const at = new Date(Date.UTC(2027, 1, 10, 6, 15) - minutes * 60_000).toISOString().slice(0, 19);
        const expected = starts.filter((start) => start * 60 <= minutes).length;
        expect(feeOf(offer, at)).toEqual(inr(String(expected)));
      }),
    );
  });

  it("days are 24 hours", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: -90, max: 90 }), (days, offset) => {
        const of = (unit: string, n: number) =>
          sampleOffer("domestic-oneway-full-service", {
            mini_fare_rules: [
              miniRule({ unit, from: String(n), charges: "INR 1" }),
              miniRule({ unit, to: String(n), charges: "INR 2" }),
            ],
          });
        const at = new Date(Date.UTC(2027, 1, 10, 6, 15) - (days * 1440 + offset) * 60_000).toISOString().slice(0, 19);
        expect(feeOf(of("DAYS", days), at)).toEqual(feeOf(of("HOURS", days * 24), at));
      }),
    );
  });
});

describe("the fee of a part is never that of the whole", () => {
  const family = sampleOffer("international-roundtrip-family"); // DEL-DXB-LHR and back
  const at = "2027-02-01 00:00:00";
  const withRules = (...points: string[]) => ({
    ...family,
    mini_fare_rules: points.map((journey_points) => miniRule({ journey_points, charges: "INR 1" })),
  });

  it.each([
    [
      ["DEL-DXB", "LHR-DEL"],
      ["DEL-DXB", "LHR-DEL", "DXB-LHR"],
    ],
    [
      ["DXB-LHR", "LHR-DEL"],
      ["DXB-LHR", "LHR-DEL", "DEL-DXB"],
    ],
    [["DEL-DXB"], ["DEL-DXB", "DXB-LHR", "LHR-DEL"]],
  ])("rules for %j leave flights without any", (points, journeys) => {
    const report = fees(withRules(...points), { type: "Cancellation", at });
    expect(report.fee).toEqual(unknown("noRule"));
    expect(report.journeys.map(({ journeyPoints }) => journeyPoints)).toEqual(journeys);
  });

  it("nor is that of the way out, if both ways have one indicator", () => {
    const [out, back] = sampleOffer("domestic-roundtrip-one-token").segments;
    if (!out || !back) throw new Error("two segments expected");
    const segments = [out, { ...back, trip_indicator: out.trip_indicator }];
    const offer = sampleOffer("domestic-roundtrip-one-token", { segments, mini_fare_rules: [miniRule({})] });
    expect(feeOf(offer, at)).toEqual(unknown("noRule"));
    const both = { ...offer, mini_fare_rules: [miniRule({}), miniRule({ journey_points: "BOM-DEL" })] };
    expect(feeOf(both, at, { passengers: { adult: 1 } })).toEqual(inr("7000"));
  });

  it("a pair of airports is the shortest way between them", () => {
    const segments = family.segments.map((segment) => ({ ...segment, trip_indicator: "outbound" }));
    const report = fees({ ...withRules("DEL-DXB", "DXB-DEL"), segments }, { type: "Cancellation", at });
    expect(report.journeys.map(({ journeyPoints, departure }) => [journeyPoints, departure])).toEqual([
      ["DEL-DXB", "2027-04-01 23:30:00"],
      ["DXB-DEL", "2027-04-21 03:50:00"],
      ["DXB-DXB", "2027-04-02 07:30:00"],
    ]);
    expect(report.fee).toEqual(unknown("noRule"));
  });

  it("reads the airports of the quote in any case", () => {
    const offer = sampleOffer("domestic-oneway-full-service", { mini_fare_rules: [miniRule({})] });
    expect(feeOf(leaving(offer, { airport_code: "del", city_code: "" }), at)).toEqual(inr("3500"));
  });
});

describe("a charge with an asterisk", () => {
  const at = "2027-02-01 00:00:00";
  const withCharges = (...charges: string[]) =>
    sampleOffer("domestic-oneway-full-service", {
      mini_fare_rules: charges.map((text) => miniRule({ charges: text })),
    });

  it.each([
    [["INR 1200*"], andMore(inr("1200"))],
    [["INR 0*"], andMore(inr("0"))],
    [["50%*"], { kind: "percent", percent: "50", andMore: true }],
    [["Unchangeable*"], { kind: "notAllowed" }],
    [["Free*"], unknown("unreadableCharge")],
    [["INR 1200*", "INR 1000"], andMore(inr("1200"))],
    [["INR 1200*", "INR 1200"], andMore(inr("1200"))],
    [["INR 1200", "INR 1000*"], unknown("overlap")],
    [["INR 1200 + fare difference", "INR 1200*"], unknown("overlap")],
    [["50%", "30%*"], unknown("overlap")],
  ])("%j", (charges, fee) => {
    expect(feeOf(withCharges(...charges), at)).toEqual(fee);
  });

  it("says so in the sum of all journeys too", () => {
    const offer = sampleOffer("domestic-roundtrip-one-token", {
      mini_fare_rules: [miniRule({ charges: "INR 1" }), miniRule({ journey_points: "BOM-DEL", charges: "INR 1*" })],
    });
    expect(feeOf(offer, at, { passengers: { adult: 1 } })).toEqual(andMore(inr("2")));
  });
});

describe("a journey that begins in another time zone", () => {
  const family = sampleOffer("international-roundtrip-family", {
    mini_fare_rules: [
      miniRule({ journey_points: "DEL-LHR", charges: "INR 1" }),
      miniRule({ journey_points: "LHR-DEL", from: "0", to: "48", charges: "INR 9" }),
      miniRule({ journey_points: "LHR-DEL", from: "48", charges: "INR 1" }),
    ],
  }); // LHR-DEL leaves London at 2027-04-20 13:50
  const fee = (at: unknown, zone?: unknown) =>
    fees(family, { type: "Cancellation", at, zone, passengers: { adult: 1 } } as FeeQuery).journeys[1]?.fee;
  const boundary = Date.UTC(2027, 3, 18, 12, 50); // 48 hours before, in London's summer

  it("has no figure near the edge of a window, neither for one zone nor for a clock on the wall", () => {
    expect(fee(new Date(boundary), "Asia/Kolkata")).toEqual(unknown("unknownTime"));
    expect(fee("2027-04-18 13:50:00")).toEqual(unknown("unknownTime"));
    expect(fee("2027-04-19 15:00:00")).toEqual(unknown("unknownTime"));
  });

  it("has the figure that is the same in every zone", () => {
    expect(fee(new Date(boundary - 15 * 3_600_000), "Asia/Kolkata")).toEqual(inr("1"));
    expect(fee(new Date(boundary + 16 * 3_600_000), "Asia/Kolkata")).toEqual(inr("9"));
    expect(fee("2027-04-01 00:00:00")).toEqual(inr("1"));
  });

  it("is exact with a zone for each airport", () => {
    const zone = (airport: string) => (airport === "LHR" ? "Europe/London" : "Asia/Kolkata");
    expect(fee(new Date(boundary), zone)).toEqual(inr("1"));
    expect(fee(new Date(boundary + 1), zone)).toEqual(inr("9"));
  });

  it("shares the clock of its country, if that has one", () => {
    const domestic = sampleOffer("domestic-roundtrip-one-token", {
      mini_fare_rules: ["DEL-BOM", "BOM-DEL"].flatMap((journey_points) => [
        miniRule({ journey_points, from: "0", to: "48", charges: "INR 9" }),
        miniRule({ journey_points, from: "48", charges: "INR 1" }),
      ]),
    });
    const [, back] = domestic.segments;
    const at = new Date(Date.parse(`${back?.origin.departure_time.replace(" ", "T")}+05:30`) - 48 * 3_600_000);
    const ask = (offer: FareQuoteResult) =>
      fees(offer, { type: "Cancellation", at, zone: "Asia/Kolkata", passengers: { adult: 1 } }).journeys[1]?.fee;
    expect(ask(domestic)).toEqual(inr("1"));
    expect(ask(leaving(domestic, { country_code: "US" }))).toEqual(unknown("unknownTime"));
  });
});

describe("the query", () => {
  const offer = sampleOffer("domestic-oneway-full-service");
  const at = "2027-02-01 00:00:00";

  it.each([
    [new Date(Number.NaN), "must be a valid Date"],
    ["2027-02-10T06:15:00Z", "is an instant: pass a Date"],
    ["2027-02-10T06:15:00.000Z", "is an instant: pass a Date"],
    ["2027-02-10T06:15:00+05:30", "is an instant: pass a Date"],
    ["soon", "must be a wall-clock time such as 2027-02-10 06:15:00"],
    ["0001-01-01 00:00:00", "must be a wall-clock time such as 2027-02-10 06:15:00"],
    ["2027-02-30 00:00:00", "must be a wall-clock time such as 2027-02-10 06:15:00"],
  ])("refuses the moment %s: %s", (moment, message) => {
    const asked = () => feeOf(offer, moment, { zone: "Asia/Kolkata" });
    expect(asked).toThrow(ConfigurationError);
    expect(asked).toThrow(`fees: \`at\` ${message}`);
  });

  it.each([
    ["Cancel", "Cancellation"],
    ["cancelled", "Cancellation"],
    ["Cancelation", "Cancellation"],
    ["Refund", "Cancellation"],
    ["Change", "Reissue"],
    ["Re-issue", "Reissue"],
    ["Date change", "Reissue"],
    ["Rebooking", "Reissue"],
  ])("refuses the type %s and names %s", (type, meant) => {
    const asked = () => feeOf(offer, at, { type });
    expect(asked).toThrow(ConfigurationError);
    expect(asked).toThrow(`fees: unknown \`type\` (did you mean "${meant}"?).`);
  });

  it("asks for any type that a rule of the quote has", () => {
    const own = sampleOffer("domestic-oneway-full-service", { mini_fare_rules: [miniRule({ type: "Refund" })] });
    expect(feeOf(own, at, { type: "refund" }).kind).toBe("amount");
  });

  it.each([
    [{ adlt: 1 }, 'unknown type of passenger "adlt" (did you mean "adult"?)'],
    [{ adults: 1 }, 'unknown type of passenger "adults" (did you mean "adult"?)'],
    [{ senior: 1 }, 'unknown type of passenger "senior". Known: adult, child, infant.'],
    [[{ passenger_type: "chld" }], 'unknown type of passenger "chld" (did you mean "child"?)'],
    [{ adult: Number.NaN }, "`passengers` has an invalid count of adult: it must be an integer of at least 0"],
    [{ child: -1 }, "`passengers` has an invalid count of child"],
    [{ infant: 0.5 }, "`passengers` has an invalid count of infant"],
    [{ adult: "1" }, "`passengers` has an invalid count of adult"],
  ])("refuses the passengers %j", (passengers, message) => {
    const asked = () => feeOf(offer, at, { passengers });
    expect(asked).toThrow(ConfigurationError);
    expect(asked).toThrow(`fees: ${message}`);
  });

  it("accepts a type of passenger that only the quote names", () => {
    const fare_breakdown = breakdownOf(["Senior", 1]);
    expect(() => feeOf({ ...offer, fare_breakdown }, at, { passengers: { senior: 1 } })).not.toThrow();
  });

  it("reads types of passengers without case", () => {
    const own = sampleOffer("domestic-oneway-full-service", {
      mini_fare_rules: [miniRule({ charges: "ADULT- INR 4000" })],
      fare_breakdown: breakdownOf(["Adult", 1]),
    });
    expect(feeOf(own, at)).toEqual(inr("4000"));
    expect(feeOf(own, at, { passengers: { ADULT: 2 } })).toEqual(inr("8000"));
  });

  it("calculates fractions of a unit exactly", () => {
    const own = sampleOffer("domestic-oneway-full-service", {
      mini_fare_rules: [
        miniRule({ unit: "DAYS", from: "0", to: "0.1" }),
        miniRule({ unit: "DAYS", from: "0.1", charges: "INR 1" }),
      ],
    });
    expect(feeOf(own, "2027-02-10 03:51:00")).toEqual(inr("1")); // 144 minutes before
  });

  it.each([undefined, null, [], "offer"])("refuses %j as an offer", (none) => {
    expect(() => fees(none as never, { type: "Cancellation", at: new Date() })).toThrow(ConfigurationError);
  });

  it.each([
    ["at", undefined],
    ["at", null],
    ["at", 1_800_000_000_000],
    ["at", ""],
    ["type", undefined],
    ["type", ""],
    ["zonee", "Asia/Kolkata"],
    ["zone", "Asia/Nowhere"],
    ["zone", 5],
    ["zone", null],
    ["passengers", []],
    ["passengers", [null]],
    ["passengers", [{}]],
    ["passengers", new Array(1)],
    ["passengers", { adult: 1.5 }],
    ["passengers", { adult: -1 }],
    ["passengers", { adult: Number.NaN }],
    ["passengers", 2],
    ["passengers", null],
  ])("refuses %s: %j", (name, value) => {
    expect(() => feeOf(offer, at, { [name]: value })).toThrow(ConfigurationError);
    expect(() => feeOf(offer, at, { [name]: value })).toThrow(name);
  });

  it("refuses an unknown time zone that its function returns", () => {
    const asked = () => feeOf(offer, new Date(), { zone: () => "Asia/Nowhere" });
    expect(asked).toThrow(ConfigurationError);
    expect(asked).toThrow("for the airport DEL");
  });

  it("refuses an invalid query", () => {
    expect(() => fees(offer, null as never)).toThrow(ConfigurationError);
  });
});

describe("rules without number", () => {
  // London departs 62 hours later by its own clock, which is not known here.
  const asked = { type: "Cancellation", at: new Date("2027-04-18T00:00:00Z"), zone: "Asia/Kolkata" } as const;
  const rule = (hours: number) => miniRule({ journey_points: "LHR-DEL", from: hours.toFixed(3), charges: "INR 100" });
  const windows = (count: number) => Array.from({ length: count }, (_, i) => rule(60 + i / 1_000));
  const feeWith = (rules: ReturnType<typeof windows>) =>
    fees(sampleOffer("international-roundtrip-family", { mini_fare_rules: [rule(0), ...rules] }), asked).journeys[0]
      ?.fee;

  it("are decided at the moments of up to 99 windows, and not known beyond", () => {
    expect(feeWith(windows(99))).toEqual(inr("400"));
    expect(feeWith(windows(100))).toEqual(unknown("unknownTime"));
  });

  it("are read once, whatever the number of windows and of types of passenger", () => {
    const charges = vi.fn(() => "INR 100");
    feeWith(windows(90).map((window) => Object.defineProperty(window, "charges", { get: charges })));
    expect(charges).toHaveBeenCalledTimes(90);
  });
});

describe("the fee of a trip of several offers", () => {
  const offers = sampleQuote("domestic-roundtrip-two-results").data.result;
  const [out, back] = offers;
  if (out === undefined || back === undefined) throw new Error("the sample has one result");
  const query = { type: "Cancellation", at: "2027-01-01 00:00:00" } as const;

  it("is that of all, with the journeys of each", () => {
    const report = fees(offers, query);
    expect(report).toMatchObject({ fee: inr("6499"), text: "INR 6499" });
    expect(report.journeys).toEqual([...fees(out, query).journeys, ...fees(back, query).journeys]);
    expect(fees([out], query)).toEqual(fees(out, query));
  });

  it.each<[string, Partial<FareQuoteResult>, string]>([
    [
      "of another kind",
      { mini_fare_rules: [miniRule({ journey_points: "BOM-DEL", charges: "Unchangeable" })] },
      "not allowed",
    ],
    [
      "that is not known",
      { mini_fare_rules: [] },
      "not known, ask the airline: the quote has no rule for it, or does not say for how many",
    ],
  ])("with one %s, is reported journey by journey, and not added up", (_, changes, said) => {
    const report = fees([out, { ...back, ...changes }], query);
    expect(report.fee.kind).toBe("indeterminate");
    expect(report.text).toBe(`DEL-BOM: INR 3499; BOM-DEL: ${said}`);
  });

  it("with one that has neither flights nor rules, is not known, and never that of the others", () => {
    const report = fees([out, { ...back, segments: [], mini_fare_rules: [] }], query);
    expect(report.fee).toEqual(unknown("noRule"));
    expect(report.text).toMatch(/^DEL-BOM: INR 3499; not known, ask the airline: /);
  });

  it("is read on the clock of the first airport of the trip, also for an offer that begins elsewhere", () => {
    const [flight] = back.segments;
    if (flight === undefined) throw new Error("no flight");
    const origin = { ...flight.origin, airport_code: "LHR", city_code: "LON", country_code: "GB" };
    const rules = [
      miniRule({ journey_points: "LHR-DEL", from: "0", to: "4", charges: "INR 9000" }),
      miniRule({ journey_points: "LHR-DEL", from: "4", to: "", charges: "INR 3000" }),
    ];
    const away = { ...back, segments: [{ ...flight, origin }], mini_fare_rules: rules };
    const at = "2027-03-09 12:00:00";
    const feeAway = (report: ReturnType<typeof fees>) => report.journeys.at(-1)?.fee;
    expect(feeAway(fees(away, { ...query, at }))).toEqual(inr("3000"));
    expect(feeAway(fees([out, away], { ...query, at }))).toEqual(unknown("unknownTime"));
  });

  it.each([[[]], [[null]], [[[]]]])("refuses %j in place of offers", (wrong) => {
    expect(() => fees(wrong as never, query)).toThrow("fees: `offer` must be a fare quote result.");
  });

  it.each([
    ["INR 3500.5", "INR 3500.50"],
    ["INR 3500 + fare difference", "INR 3500 plus the fare difference"],
    ["INR 3500*", "at least INR 3500"],
    ["50%", "50 % of the fare"],
    ["Free", "free"],
  ])("%s reads as %s", (charges, text) => {
    expect(fees({ ...out, mini_fare_rules: [miniRule({ charges })] }, query).text).toBe(text);
  });
});
