import { describe, expect, it } from "vitest";
import { fingerprintOf, hashOrder } from "../../../src/flights/checkout/fingerprint.ts";
import type { FareQuoteResult } from "../../../src/flights/types/index.ts";
import { quoteToken } from "../../../src/flights/types/tokens.ts";
import { only, sampleOffer } from "../offers.ts";
import { quotedTrip, quoteOf, withOffers } from "./support.ts";

const offer = sampleOffer("domestic-oneway-full-service");
const flight = only(offer.segments);
const person = { fname: "RAVI KUMAR", lname: "SAMPLE", dob: "1990-01-31" };
const departure = flight.origin.departure_time;

const of = (segment: object = {}, ...people: object[]) =>
  fingerprintOf(
    { ...offer, segments: [{ ...flight, airline_code: "6E", flight_number: "302", ...segment }] } as FareQuoteResult,
    people.length > 0 ? people : [person],
  );
const at = (departure_time: unknown) => ({ origin: { ...flight.origin, departure_time } });

describe("a fingerprint is the same for one journey, however it is written", () => {
  it.each<[string, object]>([
    ["a number", { flight_number: 302 }],
    ["leading zeros", { flight_number: "000302" }],
    ["the code of the airline before it", { flight_number: "6E302" }],
    ["the code and a blank", { flight_number: " 6E-0302" }],
    ["small letters", { airline_code: "6e" }],
    ["an airport in small letters", { destination: { ...flight.destination, airport_code: " bom" } }],
    ["a time without seconds", at(departure.slice(0, 16))],
    ["a time with T", at(departure.replace(" ", "T"))],
    ["blanks around its time and offset", at(` ${departure.replace(" ", "T")}+05:30 `)],
    ["blanks around its time", at(` ${departure} `)],
    ["a time with fractions of a second", at(`${departure.replace(" ", "T")}.000Z`)],
    ["a time with an offset behind a blank", at(`${departure} +05:30`)],
    ["a time with an offset without a colon", at(`${departure.replace(" ", "T")}+0530`)],
    ["a time with an offset", at(`${departure.replace(" ", "T")}+05:30`)],
  ])("a flight with %s", async (_case, segment) => {
    expect(await of(segment)).toBe(await of());
  });

  it.each<[string, object]>([
    ["split elsewhere", { fname: "RAVI", lname: "KUMAR SAMPLE" }],
    ["swapped", { fname: "SAMPLE", lname: "RAVI KUMAR" }],
    ["in small letters", { fname: " ravi  kumar", lname: "sample" }],
    ["with an accent and a hyphen", { fname: "Rávi-Kumar", lname: "Sample" }],
    ["with a time of birth", { ...person, dob: "1990-01-31 00:00:00" }],
  ])("a name %s", async (_case, changes) => {
    expect(await of({}, { ...person, ...changes })).toBe(await of());
  });

  it("flights in another order", async () => {
    const back = { ...flight, flight_number: "303" };
    const inOrder = (...segments: object[]) => fingerprintOf({ ...offer, segments } as FareQuoteResult, [person]);
    expect(await inOrder(flight, back)).toBe(await inOrder(back, flight));
  });

  it.each([
    ["RAVIKUMAR", "SAMPLE"],
    ["RAVIKUMARSAMPLE", ""],
    ["Ravi", "Kumar-Sample"],
    ["R. A. V. I.", "Kumar Sample"],
  ])("a name with its parts joined or taken apart: %s %s", async (fname, lname) => {
    expect(await of({}, { ...person, fname, lname })).toBe(await of());
  });

  it("a name with an apostrophe, or without it", async () => {
    const called = (lname: string) => of({}, { ...person, lname });
    for (const lname of ["D'SOUZA", "D’SOUZA"]) expect(await called(lname)).toBe(await called("DSOUZA"));
  });

  it("passengers in another order", async () => {
    const other = { ...person, fname: "ASHA" };
    expect(await of({}, person, other)).toBe(await of({}, other, person));
  });
});

describe("a fingerprint differs", () => {
  const flightsIn = (fingerprint: string) => fingerprint.split(".")[0];

  it("in its first part on other flights, and in both for the same people", async () => {
    const [one, other] = [await of(), await of({ flight_number: "303" })];
    expect(one).toMatch(/^[0-9a-f]{32}\.[0-9a-f]{8}$/);
    expect(flightsIn(one)).not.toBe(flightsIn(other));
    expect(one.split(".")[1]).not.toBe(other.split(".")[1]);
    expect(await of(at("2027-01-01 06:00:00"))).not.toBe(one);
  });

  it("by the seconds of a departure, and by letters in its number", async () => {
    const minute = departure.slice(0, 16);
    expect(await of(at(`${minute}:30Z`))).toBe(await of(at(`${minute}:30`)));
    expect(await of(at(`${minute}:30Z`))).not.toBe(await of(at(minute)));
    expect(await of({ flight_number: "6EA302" })).not.toBe(await of({ flight_number: "A302" }));
  });

  it.each([
    ["of another name", { lname: "OTHER" }],
    ["born in another month", { dob: "1990-02-01" }],
    ["born on another day", { dob: "1990-01-30" }],
  ])("in its second part for other people on the same flights: %s", async (_, changes) => {
    const other = await of({}, { ...person, ...changes });
    expect(flightsIn(other)).toBe(flightsIn(await of()));
    expect(other).not.toBe(await of());
  });

  it("for names that differ in their vowel signs alone", async () => {
    expect(await of({}, { ...person, fname: "राम" })).not.toBe(await of({}, { ...person, fname: "रमा" }));
  });
});

describe("a fingerprint stays the same from version to version", () => {
  // Journals keep those of earlier versions: after a change, a journey that they booked would be booked a second time.
  it.each<[string, string, object[]]>([
    ["one passenger", "3ae61b8bd9a80dd922f3e35bd17ad3b2.41a6e177", [person]],
    [
      "several, with accents",
      "3ae61b8bd9a80dd922f3e35bd17ad3b2.6916b0cc",
      [
        { ...person, fname: "Rávi-Kumar", lname: "D’Souza" },
        { fname: "राम", lname: "रमा" },
      ],
    ],
  ])("of %s", async (_, fingerprint, people) => {
    const origin = { ...flight.origin, airport_code: "DEL", departure_time: "2026-12-10 06:05:00" };
    const destination = { ...flight.destination, airport_code: "BOM" };
    expect(await of({ origin, destination }, ...people)).toBe(fingerprint);
  });
});

describe("there is no fingerprint", () => {
  it.each<[string, object]>([
    ["a flight without a number", { flight_number: "" }],
    ["a departure that cannot be read", at("soon")],
    ["a departure that is not applicable", at("0001-01-01 00:00:00")],
    ["a departure that is missing", { origin: null }],
  ])("of %s", async (_case, segment) => {
    expect(await of(segment)).toBe("");
  });

  it.each([[[]], [[{}]], [[null]], [null], [{}], [[{ ...person, fname: "", lname: " - " }]]])(
    "of the passengers %j",
    async (people) => {
      expect(await fingerprintOf(offer, people)).toBe("");
    },
  );
});

describe("the hash of an order", () => {
  const other = { ...person, fname: "ASHA" };

  it("is of its ID and its passengers, in whatever order", async () => {
    const hash = await hashOrder("order-17", [person, other]);
    expect(hash).toMatch(/^[0-9a-f]{8}$/);
    expect(await hashOrder("order-17", [other, person])).toBe(hash);
    expect(await hashOrder("order-18", [person, other])).not.toBe(hash);
    expect(await hashOrder("order-17", [person])).not.toBe(hash);
  });

  it("is missing if a name cannot be read", async () => {
    expect(await hashOrder("order-17", [person, { fname: "" }])).toBeUndefined();
  });
});

describe("the names of the offers of a quote", () => {
  const [day1, day2] = [at("2026-12-10 06:15:00"), at("2026-12-11 06:15:00")];
  const way = (from: string, to: string) => ({
    origin: { ...flight.origin, airport_code: from },
    destination: { ...flight.destination, airport_code: to },
  });
  const [there, back] = [way("DEL", "BOM"), { ...way("BOM", "DEL"), flight_number: "303" }];

  async function namesOf(...offers: object[][]): Promise<readonly string[]> {
    const result = offers.map((segments, i) => ({
      ...{ ...offer, token: quoteToken(`Q-${i}`) },
      segments: segments.map((one) => ({ ...flight, ...one })),
    }));
    const { trip } = await quotedTrip({ quote: () => withOffers(quoteOf(), ...(result as FareQuoteResult[])) });
    return trip.shown?.offers ?? [];
  }
  const marks = (names: readonly string[]) => names.map((name) => name.replace(/^[0-9a-f]{32}/, ""));

  it("are the same in whatever order an offer has its flights", async () => {
    expect(await namesOf([there, back])).toEqual(await namesOf([back, there]));
    expect(await namesOf([there, back])).not.toEqual(await namesOf([there]));
  });

  it("have the day of flights that are once in the quote, and the time of those on several days", async () => {
    expect(marks(await namesOf([day1]))).toEqual(["@2026-12-10"]);
    expect(marks(await namesOf([day1], [day2]))).toEqual(["@2026-12-10T06:15:00", "@2026-12-11T06:15:00"]);
    expect(marks(await namesOf([day1], [day1], [day2]))).toEqual(["", "", "@2026-12-11T06:15:00"]);
  });

  it("have none if one of the same flights has no day", async () => {
    expect(marks(await namesOf([day1], [day2], [at("")]))).toEqual(["", "", ""]);
    expect(marks(await namesOf([at("")]))).toEqual(["@"]);
    expect(marks(await namesOf([day1, { ...back, ...at("") }]))).toEqual(["@"]);
  });

  it("are marked if an offer of the same route, or of an unknown one, cannot be read", async () => {
    const unread = { flight_number: "" };
    const mark = async (...segments: object[]) => marks(await namesOf([there], segments))[0]?.charAt(0);
    expect(await mark({ ...there, ...unread })).toBe("?");
    expect(await mark({ ...there, ...unread, ...way("", "BOM") })).toBe("?");
    expect(await mark({ ...back, ...unread })).toBe("@");
    expect(await mark(back)).toBe("@");
    const [first] = marks(await namesOf([there, back], [{ ...back, ...unread }, there]));
    expect(first?.charAt(0)).toBe("?");
  });
});
