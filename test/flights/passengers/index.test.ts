import { describe, expect, it } from "vitest";
import { ConfigurationError, RequestValidationError } from "../../../src/errors/request.ts";
import { passengerForm } from "../../../src/flights/forms/index.ts";
import {
  isPassenger,
  type ValidatePassengersOptions,
  validatePassengers,
} from "../../../src/flights/passengers/index.ts";
import { passengerSchema } from "../../../src/flights/schemas.ts";
import type { FareQuoteResult, GstDetails, Passenger } from "../../../src/flights/types/index.ts";
import { explain } from "../../../src/shared/explain.ts";
import { breakdownOf, leaving, only, sampleOffer, samplePassengers, sampleQuote } from "../offers.ts";

const adult = only(samplePassengers("oneway-adult"));
const family = samplePassengers("international-family-ssr-gst");
const familyOffer = sampleOffer("international-roundtrip-family"); // 2027-04-01 to 2027-04-21
const oneWay = sampleOffer("domestic-oneway-full-service"); // 2027-02-10

const anyone = (changes: Partial<Passenger>): Passenger => ({ ...adult, ...changes });
/** An offer whose counts fit any passengers. */
const open = (changes: Partial<FareQuoteResult> = {}) => ({ ...oneWay, fare_breakdown: [], ...changes });

function codes(
  offer: FareQuoteResult,
  passengers: readonly Passenger[],
  options?: ValidatePassengersOptions,
): string[] {
  return validatePassengers(offer, passengers, options).map(({ code, path }) => `${code} ${path.join(".")}`);
}

describe("the flags of a quote", () => {
  const flags = [
    ["gst_mandatory", "gst_missing"],
    ["passport_required_at_book", "passport_required_at_book"],
    ["passport_required_at_ticket", "passport_required_at_ticket"],
    ["pan_required_at_book", "pan_required_at_book"],
    ["pan_required_at_ticket", "pan_required_at_ticket"],
    ["hold_mandatory_with_ssr", "hold_mandatory_with_ssr"],
  ] as const;
  const found = (changes: object) => {
    const seat = [{ code: "1A", origin: "DEL", destination: "BOM" }];
    return validatePassengers({ ...open(), ...changes }, [{ ...adult, seat }]).map(({ code }) => code);
  };

  it.each(flags)("%s may be a string or a number", (flag, code) => {
    for (const no of [false, "false", "FALSE", "N", "no", "0", 0, null, undefined]) {
      expect([no, found({ [flag]: no })]).toEqual([no, []]);
    }
    for (const yes of [true, "true", "True", "Y", "yes", "1", 1]) {
      expect([yes, found({ [flag]: yes })]).toEqual([yes, [code]]);
    }
  });

  it.each(flags)("%s is not known if it cannot be read, which is a warning", (flag) => {
    for (const odd of ["maybe", "", 2, [], ["true"], {}, { value: true }]) {
      expect(validatePassengers({ ...open(), [flag]: odd }, [adult])).toMatchObject([
        { code: "quote_flag_unreadable", severity: "warning", path: ["offer", flag] },
      ]);
    }
  });
});

describe("the samples", () => {
  it("one adult on a domestic flight is fine", () => {
    expect(validatePassengers(oneWay, [adult])).toEqual([]);
  });

  it("a family abroad lacks passports, for which the document has no field", () => {
    expect(codes(familyOffer, family)).toEqual([
      "passport_required_at_book offer.passport_required_at_book",
      "passport_required_at_ticket offer.passport_required_at_ticket",
    ]);
  });

  it("a corporate fare requires GST, and explains its hold for seats", () => {
    const offer = sampleOffer("gst-and-hold-mandatory");
    expect(codes(offer, samplePassengers("lcc-gst-seat"))).toEqual([
      "pan_required_at_ticket offer.pan_required_at_ticket",
      "hold_mandatory_with_ssr offer.hold_mandatory_with_ssr",
    ]);
    expect(codes(offer, [adult])).toEqual([
      "gst_missing passengers.0.gst",
      "pan_required_at_ticket offer.pan_required_at_ticket",
    ]);
  });

  it("a senior fare for a younger passenger is a warning", () => {
    expect(validatePassengers(sampleOffer("senior-fare"), [adult])).toMatchObject([
      { code: "senior_fare_age", severity: "warning", path: ["passengers", 0, "dob"] },
    ]);
    expect(codes(sampleOffer("senior-fare"), [anyone({ dob: "1967-02-10" })])).toEqual([]);
    expect(codes(sampleOffer("senior-fare"), [adult], { seniorFrom: 18 })).toEqual([]);
  });
});

describe("the number of passengers", () => {
  const child = anyone({ passenger_type: "child", title: "Mstr", dob: "2019-08-20", fname: "KABIR" });
  const infant = anyone({ passenger_type: "infant", title: "Mstr", dob: "2026-08-20", fname: "TARUN" });
  const many = Array.from({ length: 10 }, (_, i) => anyone({ fname: `A${"BCDEFGHIJK".charAt(i)}` }));

  const quoted = (...rows: Parameters<typeof breakdownOf>) => open({ fare_breakdown: breakdownOf(...rows) });

  it.each<[string, readonly Passenger[], string[]]>([
    ["nobody", [], ["no_passengers passengers"]],
    ["nine", many.slice(0, 9), []],
    ["ten", many, ["too_many_passengers passengers"]],
    ["an infant with an adult", [adult, infant], []],
    [
      "two infants with one adult",
      [adult, infant, { ...infant, fname: "TARA", dob: "2026-08-21" }],
      ["infants_exceed_adults passengers"],
    ],
    ["a child first", [child, adult], ["lead_not_adult passengers.0.passenger_type"]],
    ["an infant alone", [infant], ["infants_exceed_adults passengers", "lead_not_adult passengers.0.passenger_type"]],
    [
      "the same person twice",
      [adult, { ...adult, fname: ` ${adult.fname.toLowerCase()}` }],
      ["passenger_repeated passengers.1", "name_spacing passengers.1.fname"],
    ],
  ])("%s", (_case, passengers, expected) => {
    expect(codes(open(), passengers)).toEqual(expected);
  });

  it("must match the quote, so that nobody pays for others", () => {
    expect(validatePassengers(oneWay, [adult, child])).toMatchObject([
      {
        code: "count_differs_from_quote",
        severity: "error",
        path: ["passengers"],
        message: "The quote is for 0 of type child, and there is 1: search and quote again for these passengers.",
      },
    ]);
    const two = quoted(["adult", 1], ["adult", 1]);
    expect(codes(two, [adult])).toEqual(["count_differs_from_quote passengers"]);
    expect(codes(two, [adult, { ...adult, fname: "SECOND" }])).toEqual([]);
  });

  it("reads the types of the quote without case", () => {
    expect(codes(quoted(["Adult", 1]), [adult])).toEqual([]);
    expect(codes(quoted([" ADULT ", 1], ["Child", 1]), [adult, child])).toEqual([]);
    expect(codes(quoted(["Adult", 2]), [adult])).toEqual(["count_differs_from_quote passengers"]);
  });

  it("names a type that is empty", () => {
    const issues = validatePassengers(quoted(["adult", 1]), [adult, { ...adult, fname: "SECOND", passenger_type: "" }]);
    expect(issues.map(({ message }) => message)).toContain(
      "The quote is for 0 of type unknown, and there is 1: search and quote again for these passengers.",
    );
  });

  it("doubts an unknown type, which may mean any other", () => {
    expect(codes(quoted(["Senior", 1]), [adult])).toEqual(["quote_type_unknown offer.fare_breakdown"]);
    expect(codes(quoted(["Adult", 1], ["Senior", 2]), [adult])).toEqual([
      "quote_type_unknown offer.fare_breakdown",
      "count_differs_from_quote passengers",
    ]);
    expect(codes(quoted(["Senior", 1]), [adult, child])).toEqual([
      "quote_type_unknown offer.fare_breakdown",
      "count_differs_from_quote passengers",
      "count_differs_from_quote passengers",
    ]);
  });

  it.each([[[{ passenger_type: "adult" }]], [null], ["one"]])("says that it cannot read %j", (fare_breakdown) => {
    expect(codes(open({ fare_breakdown } as never), [adult])).toEqual(["quote_counts_unreadable offer.fare_breakdown"]);
  });

  it("returns the passengers of a quote for a form", () => {
    const typesFor = (offer: FareQuoteResult) => passengerForm(offer).passengers.map(({ type }) => type);
    expect(typesFor(familyOffer)).toEqual(["adult", "adult", "child", "infant"]);
    expect(typesFor(quoted(["Adult", 1], ["adult", 1]))).toEqual(["adult", "adult"]);
    expect(passengerForm(open())).toMatchObject({ passengers: [], isCountKnown: false });
  });

  it("accepts another bound", () => {
    expect(codes(open(), many, { maxPassengers: 10 })).toEqual([]);
  });

  it("includes one whom `extraBody` alone has, who is checked like the others", () => {
    const second = { ...anyone({ fname: "MEERA" }), lname: "" };
    const found = codes(open(), [adult], { extraBody: { passengers: [{}, second] } });
    expect(found).toEqual(["invalid_field passengers.1.lname"]);
  });

  it("is none if `extraBody` puts something else in their place", () => {
    expect(codes(open(), [adult], { extraBody: { passengers: "two" } })).toContain("no_passengers passengers");
  });
});

describe("titles", () => {
  it.each([
    ["Mr", "M", "adult", [], undefined],
    ["Mr", "M", "child", [], undefined],
    ["Mstr", "M", "child", [], undefined],
    ["Mstr", "M", "infant", [], undefined],
    ["Mrs", "F", "adult", [], undefined],
    ["Ms", "F", "infant", [], undefined],
    ["Mstr", "M", "adult", ["title_age_mismatch"], "Mr"],
    ["Mstr", "F", "child", ["title_gender_mismatch"], "Ms"],
    ["Mstr", "F", "adult", ["title_gender_mismatch"], "Ms"],
    ["Mr", "F", "adult", ["title_gender_mismatch"], "Ms"],
    ["Mrs", "M", "adult", ["title_gender_mismatch"], "Mr"],
    ["Ms", "M", "child", ["title_gender_mismatch"], "Mstr"],
  ] as const)("%s for %s, %s", (title, gender, passenger_type, expected, suggestion) => {
    const dob = { adult: "1990-01-01", child: "2020-01-01", infant: "2026-06-01" }[passenger_type];
    const found = validatePassengers(open(), [
      anyone({ fname: "LEAD" }),
      anyone({ title, gender, passenger_type, dob }),
    ]);
    expect(found.map(({ code }) => code)).toEqual(expected);
    expect(found[0]?.suggestion).toBe(suggestion);
  });
});

describe("names are letters and spaces", () => {
  it.each([
    ["ASHA", [], undefined],
    ["Asha Devi", [], undefined],
    ["O’BRIEN", ["name_punctuation"], "OBRIEN"],
    ["O'BRIEN", ["name_punctuation"], "OBRIEN"],
    ["JOSÉ-LUIS", ["name_punctuation", "name_not_latin"], "JOSE LUIS"],
    ["-", ["name_characters"], undefined],
    ["ASHA/DEVI", ["name_characters"], "ASHA DEVI"],
    ["ASHA\tDEVI", ["name_characters"], "ASHA DEVI"],
    ["ANNE-MARIE", ["name_punctuation"], "ANNE MARIE"],
    ["JOSÉ", ["name_not_latin"], "JOSE"],
    ["SØREN", ["name_not_latin"], "SOEREN"],
    ["Dr. ASHA", ["name_punctuation"], "Dr ASHA"],
    ["ASHA2", ["name_characters"], undefined],
    ["आशा", ["name_not_latin"], undefined],
    [" ASHA", ["name_spacing"], "ASHA"],
    ["ASHA  DEVI", ["name_spacing"], "ASHA DEVI"],
    ["   ", ["invalid_field"], undefined],
  ])("%j", (fname, expected, suggestion) => {
    const found = validatePassengers(oneWay, [anyone({ fname })]);
    expect(found.map(({ code }) => code)).toEqual(expected);
    expect(found[0]?.suggestion).toBe(suggestion);
  });

  it("shows the airline's own guidance with the issue, as plain text", () => {
    const [found] = validatePassengers(oneWay, [anyone({ lname: "D'SOUZA" })]);
    expect(found).toMatchObject({
      path: ["passengers", 0, "lname"],
      guidance: "Enter the last name as printed on the ID.\nIf the last name is missing, repeat the first name.",
    });
    const marked = { ...oneWay, fname_format: "A &amp; B<BR><script>steal()</script> &lt;b&gt;&nbsp;" };
    expect(validatePassengers(marked, [anyone({ fname: "X-Y" })])[0]?.guidance).toBe("A & B\nsteal() <b>");
    for (const text of [
      "if < 20 letters; initials if > 20",
      "<SURNAME>/<NAME> <TITLE>",
      "a < b and c > d, x<y, 1<2>0",
      "<<MR>> a<",
    ]) {
      const words = { ...oneWay, fname_format: `<p class="x">${text}<br clear="all">Last<b> line</b></p><!-- >` };
      const [issue] = validatePassengers(words, [anyone({ fname: "X-Y" })]);
      expect(issue?.guidance).toBe(`${text}\nLast line <!-- >`);
    }
    expect(validatePassengers({ ...oneWay, fname_format: "" }, [anyone({ fname: "X-Y" })])[0]).not.toHaveProperty(
      "guidance",
    );
  });
});

describe("GST, passport, PAN", () => {
  const gst = (changes: Partial<GstDetails> = {}): GstDetails => ({
    gst_company_name: "Example",
    gst_number: "29AAAAA0000A1Z5",
    gst_company_address: "1 Park",
    gst_company_mobile: "6000000009",
    gst_company_email: "a@example.com",
    ...changes,
  });

  it("GST must be complete if there is any", () => {
    expect(codes(open({ gst_mandatory: true }), [anyone({ gst: gst() })])).toEqual([]);
    expect(codes(open(), [anyone({ gst: gst({ gst_company_name: " ", gst_company_email: "" }) })])).toEqual([
      "gst_incomplete passengers.0.gst.gst_company_name",
      "gst_incomplete passengers.0.gst.gst_company_email",
    ]);
  });

  it("a missing field and a blank one are one fault", () => {
    const { gst_number: _, ...missing } = gst();
    for (const given of [gst({ gst_number: " " }), missing, { ...missing, gst_number: null }]) {
      expect(codes(open(), [anyone({ gst: given as GstDetails })])).toEqual([
        "gst_incomplete passengers.0.gst.gst_number",
      ]);
    }
    expect(codes(open(), [anyone({ gst: {} as GstDetails })])).toHaveLength(5);
  });

  it("five blank strings count as an empty form", () => {
    const blank = gst(Object.fromEntries(Object.keys(gst()).map((field) => [field, " "])));
    expect(codes(open(), [anyone({ gst: blank })])).toEqual([]);
    expect(codes(open({ gst_mandatory: true }), [anyone({ gst: blank })])).toEqual(["gst_missing passengers.0.gst"]);
    expect(
      codes(open({ gst_mandatory: true }), [anyone({ gst: blank }), anyone({ fname: "SECOND", gst: gst() })]),
    ).toEqual([]);
  });

  it("doubts an invalid mobile number or e-mail address of a company", () => {
    expect(
      codes(open(), [anyone({ gst: gst({ gst_company_mobile: "call us", gst_company_email: "nobody" }) })]),
    ).toEqual([
      "gst_contact_form passengers.0.gst.gst_company_mobile",
      "gst_contact_form passengers.0.gst.gst_company_email",
    ]);
  });

  it("a GST number of another form is doubted, not refused", () => {
    expect(validatePassengers(open(), [anyone({ gst: gst({ gst_number: "29-1" }) })])).toMatchObject([
      { code: "gst_number_form", severity: "warning" },
    ]);
  });

  it.each([
    ["passport_required_at_book", "error", { passport_no: "X" }],
    ["passport_required_at_ticket", "warning", { passportNumber: "X" }],
    ["pan_required_at_book", "error", { pan: "X" }],
    ["pan_required_at_ticket", "warning", { lead_pan_number: "X" }],
  ] as const)("%s is an %s until an extraBody covers everybody", (flag, severity, field) => {
    const offer = open({ [flag]: true });
    const two = [adult, anyone({ fname: "SECOND" })];
    expect(validatePassengers(offer, two)).toMatchObject([{ code: flag, severity, path: ["offer", flag] }]);
    expect(codes(offer, two, { extraBody: field })).toEqual([]);
    expect(codes(offer, two, { extraBody: { passengers: [field, field] } })).toEqual([]);
    expect(codes(offer, two, { extraBody: { passengers: [field] } })).toHaveLength(1);
    expect(codes(offer, two, { extraBody: { passengers: [field, {}] } })).toHaveLength(1);
    expect(codes(offer, two, { extraBody: { passengers: [field, null] } })).toHaveLength(1);
    expect(codes(offer, two, { extraBody: { company: "X", panel: "X", passport: "" } })).toHaveLength(1);
  });

  it.each([
    "pan",
    "PAN",
    "Pan",
    "pan_number",
    "panNo",
    "panNumber",
    "PANNumber",
    "PANNo",
    "panno",
    "pan_card",
    "panCard",
    "pan-no",
    "leadPan",
    "passenger_PAN",
    "permanent_account_number",
  ])("%s is a PAN", (name) => {
    expect(
      codes(open({ pan_required_at_book: true }), [adult], { extraBody: { passengers: [{ [name]: "ABCDE1234F" }] } }),
    ).toEqual([]);
  });

  it.each(["company", "panel", "span", "japan", "panorama"])("%s is not a PAN", (name) => {
    expect(codes(open({ pan_required_at_book: true }), [adult], { extraBody: { [name]: "X" } })).toHaveLength(1);
  });

  it.each(["pan_holder_name", "panName", "pan_verified", "pan_dob", "father_pan_name"])(
    "%s is not the number of a PAN",
    (name) => {
      expect(codes(open({ pan_required_at_book: true }), [adult], { extraBody: { [name]: "RAVI" } })).toHaveLength(1);
    },
  );

  it("an extraBody that contains itself is read to the end", () => {
    const pan: Record<string, unknown> = {};
    pan.pan = pan;
    expect(codes(open({ pan_required_at_book: true }), [adult], { extraBody: pan })).toHaveLength(1);
    expect(codes(open({ pan_required_at_book: true }), [adult], { extraBody: { pan: [{ number: 1 }, pan] } })).toEqual(
      [],
    );
  });

  it.each([" ", true, {}, [], { number: "" }])("%j fills nothing in", (value) => {
    expect(codes(open({ pan_required_at_book: true }), [adult], { extraBody: { pan: value } })).toHaveLength(1);
  });

  it.each([
    [{ passport_no: "X", passport_expiry: "2027-02-09" }, ["passport_expires passport_expiry"]],
    [{ passport_no: "X", passport_expiry: "2027-02-10" }, []],
    [{ passport: { number: "X", validTill: "2026-01-01" } }, ["passport_expires passport.validTill"]],
    [{ passport: [{ dates: { expiry: "2026-01-01" } }] }, ["passport_expires passport.0.dates.expiry"]],
    [{ passport_no: "X", passport_expiry: "next year" }, ["passport_expiry_unreadable passport_expiry"]],
    [{ passport_no: "X", passport_expiry: "30/05/2020" }, ["passport_expiry_unreadable passport_expiry"]],
    [{ passport: { number: "X", expiry: 1_590_796_800 } }, ["passport_expiry_unreadable passport.expiry"]],
    [{ passport_no: "X", passport_expiry: " ", passport_valid: true }, []],
    [{ passport_no: "X", passport_expiry: null, passport_valid_from: "30/05/2020" }, []],
    [{ visa_expiry: "2020-01-01" }, []],
  ])("a passport that expires within the trip, or at a date that cannot be read: %j", (fields, expected) => {
    const found = validatePassengers(open(), [adult], { extraBody: { passengers: [fields] } });
    expect(found.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual(
      expected.map((one) => one.replace(" ", " extraBody.passengers.0.")),
    );
    for (const { severity } of found) expect(severity).toBe("warning");
  });

  it("advises the developer, not the person at the form, on where documents go", () => {
    const [found] = validatePassengers(open({ passport_required_at_book: true }), [adult]);
    expect(found?.message).not.toContain("extraBody");
    expect(found?.developerMessage).toContain("`extraBody`");
  });

  it("an accepted error is still reported, as a warning", () => {
    const found = validatePassengers(familyOffer, family, { acceptIssues: ["passport_required_at_book"] });
    expect(found.map(({ severity }) => severity)).toEqual(["warning", "warning"]);
  });
});

describe("seats, baggage and meals", () => {
  const choice = (code: string, origin: string, destination: string) => ({ code, origin, destination });
  const offer = {
    ...familyOffer,
    fare_breakdown: [],
    passport_required_at_book: false,
    passport_required_at_ticket: false,
  };

  it.each<[string, Partial<Passenger>, string[]]>([
    [
      "a flight, and a whole direction",
      { seat: [choice("1A", "DEL", "DXB")], baggage: [choice("XB", "del", "lhr")] },
      [],
    ],
    ["both directions", { meal: [choice("V", "DEL", "LHR"), choice("V", "LHR", "DEL")] }, []],
    ["a leg of another trip", { seat: [choice("1A", "BLR", "GOI")] }, ["service_unknown_leg passengers.0.seat.0"]],
    [
      "a flight backwards",
      { meal: [choice("V", "DXB", "DEL"), choice("V", "LHR", "DXB"), choice("V", "DXB", "LHR")] },
      [],
    ],
    [
      "a leg across both directions",
      { baggage: [choice("XB", "DXB", "DXB")] },
      ["service_unknown_leg passengers.0.baggage.0"],
    ],
    [
      "a leg twice",
      { seat: [choice("1A", "DEL", "DXB"), choice("1B", "DEL", "DXB")] },
      ["service_repeated_leg passengers.0.seat.1"],
    ],
    [
      "the same leg for a seat and a meal",
      { seat: [choice("1A", "DEL", "DXB")], meal: [choice("V", "DEL", "DXB")] },
      [],
    ],
    [
      "a seat for two flights at once",
      { seat: [choice("1A", "DEL", "LHR")] },
      ["service_unknown_leg passengers.0.seat.0"],
    ],
    [
      "baggage for a direction beside baggage for its first flight",
      { baggage: [choice("XB", "DEL", "LHR"), choice("XB", "DEL", "DXB")] },
      ["service_repeated_leg passengers.0.baggage.1"],
    ],
    [
      "a meal for the second flight, and then for the whole direction",
      { meal: [choice("V", "DXB", "LHR"), choice("V", "DEL", "LHR")] },
      ["service_repeated_leg passengers.0.meal.1"],
    ],
    ["baggage flight by flight", { baggage: [choice("XB", "DEL", "DXB"), choice("XB", "DXB", "LHR")] }, []],
  ])("%s", (_case, changes, expected) => {
    expect(codes(offer, [anyone(changes)])).toEqual(expected);
  });

  it("reads the airports of the quote in any case", () => {
    const segments = offer.segments.map((segment) => ({
      ...segment,
      origin: { ...segment.origin, airport_code: ` ${segment.origin.airport_code.toLowerCase()}` },
    }));
    expect(codes({ ...offer, segments }, [anyone({ seat: [choice("1A", "DEL", "DXB")] })])).toEqual([]);
  });

  it("an infant has neither seat nor baggage, but may have a meal", () => {
    const infant = anyone({
      passenger_type: "infant",
      title: "Mstr",
      dob: "2026-08-20",
      seat: [choice("1A", "DEL", "DXB")],
      baggage: [choice("XB", "DEL", "LHR")],
      meal: [choice("BBML", "DEL", "DXB")],
    });
    expect(codes(offer, [anyone({ fname: "LEAD" }), infant])).toEqual([
      "service_for_infant passengers.1.seat",
      "service_for_infant passengers.1.baggage",
    ]);
  });

  it("two people cannot sit on one seat, though on two flights they can", () => {
    const first = anyone({ seat: [choice("1A", "DEL", "DXB")] });
    const of = (seat: ReturnType<typeof choice>) => [first, anyone({ fname: "SECOND", seat: [seat] })];
    for (const code of ["1A", "1a", " 1A", "1a "]) {
      expect(codes(offer, of(choice(code, "DEL", "DXB")))).toEqual(["seat_taken_twice passengers.1.seat.0"]);
    }
    expect(codes(offer, of(choice("1A", "DXB", "LHR")))).toEqual([]);
  });

  it("has one seat on two flights of the same route", () => {
    const first = offer.segments[0] ?? expect.unreachable();
    const { origin, destination } = first;
    const way = {
      ...first,
      origin: { ...origin, airport_code: "DXB" },
      destination: { ...destination, airport_code: "DEL" },
    };
    const again = { ...offer, segments: [first, way, first] };
    const seats = [choice("12A", "DEL", "DXB"), choice("12a", "DEL", "DXB")];
    expect(codes(again, [anyone({ seat: seats })])).toEqual([]);
    expect(codes(again, [anyone({ seat: seats }), anyone({ fname: "SECOND", seat: seats })])).toEqual([
      "seat_taken_twice passengers.1.seat.0",
      "seat_taken_twice passengers.1.seat.1",
    ]);
  });

  it("hold_mandatory_with_ssr warns when something is chosen, and only then", () => {
    const held = { ...offer, hold_mandatory_with_ssr: true };
    expect(codes(held, [anyone({ seat: [] })])).toEqual([]);
    expect(codes(held, [anyone({ meal: [choice("V", "DEL", "LHR")] })])).toEqual([
      "hold_mandatory_with_ssr offer.hold_mandatory_with_ssr",
    ]);
  });
});

describe("the quote's own data", () => {
  it("an unconfirmed flight, and a missing time", () => {
    const offer = leaving(open(), { departure_time: "0001-01-01 00:00:00" }, { flight_status: "Waitlisted" });
    expect(codes(offer, [adult])).toEqual([
      "departure_unknown offer.segments",
      "segment_not_confirmed offer.segments.0.flight_status",
    ]);
  });

  it("accepts a status in any case", () => {
    expect(codes(leaving(open(), {}, { flight_status: " CONFIRMED" }), [adult])).toEqual([]);
  });

  it("a flight that has left, as soon as that is certain", () => {
    const delhi = Date.UTC(2027, 1, 10, 0, 45); // 06:15 in India
    const left = [
      "flight_departed offer.segments.0.origin.departure_time",
      "ticket_deadline_passed offer.last_ticket_date",
    ];
    expect(codes(oneWay, [adult], { now: delhi + 1 })).toEqual(left);
    expect(codes(oneWay, [adult], { now: delhi })).toEqual(left.slice(1));
    const american = leaving(oneWay, { country_code: "US" });
    const latest = Date.UTC(2027, 1, 10, 18, 15); // 06:15 twelve hours behind UTC
    expect(codes(american, [adult], { now: latest })).toEqual(left.slice(1));
    expect(codes(american, [adult], { now: latest + 1 })).toEqual(left);
  });

  it.each(["soon", "2026-13-01 00:00:00", 5])("a ticket deadline that cannot be read: %j", (last_ticket_date) => {
    expect(codes(open({ last_ticket_date } as never), [adult])).toEqual([
      "ticket_deadline_unreadable offer.last_ticket_date",
    ]);
  });

  it.each(["", "0001-01-01 00:00:00", "0000-00-00 00:00:00", null])(
    "and one that does not apply: %j",
    (last_ticket_date) => {
      expect(codes(open({ last_ticket_date } as never), [adult])).toEqual([]);
    },
  );

  it("a departure with fractions of a second is read", () => {
    const { departure_time } = only(oneWay.segments).origin;
    expect(codes(leaving(oneWay, { departure_time: `${departure_time}.000` }), [adult])).toEqual([]);
  });

  it("an expired ticket deadline, in the zone in which it is read", () => {
    const now = Date.UTC(2026, 10, 23, 18, 29); // 23:59 in India
    expect(codes(oneWay, [adult], { now })).toEqual(["ticket_deadline_passed offer.last_ticket_date"]);
    expect(codes(oneWay, [adult], { now: now - 1 })).toEqual([]);
    expect(codes(oneWay, [adult], { now, deadlineZone: "UTC" })).toEqual([]);
    expect(codes(oneWay, [adult])).toEqual([]);
  });
});

describe("a form that is not filled in yet", () => {
  it("reports every field once, by §4.3", () => {
    const blank = { passenger_type: "adult" } as Passenger;
    const found = codes(oneWay, [blank]);
    expect(found).toContain("invalid_field passengers.0.dob");
    expect(found).toContain("invalid_field passengers.0.title");
    expect(new Set(found).size).toBe(found.length);
    expect(found.every((one) => one.startsWith("invalid_field"))).toBe(true);
  });

  it.each<[string, unknown, string, string]>([
    ["fname", undefined, "required", "Enter the first name."],
    ["city", "  ", "required", "Enter the city."],
    ["title", "", "required", "Choose the title."],
    ["title", "Dr", "invalid_choice", "Choose the title: Mr, Mrs, Ms, Mstr."],
    ["email", "nobody", "invalid_email", "Enter a complete e-mail address, such as name@example.com."],
    ["dob", "1988-02-30", "invalid_date", "Enter a valid date of birth, as year-month-day."],
    ["mobile", "call me", "invalid_mobile", "Enter a complete mobile number, of 7 to 15 digits."],
    ["mobile", "123456", "invalid_mobile", "Enter a complete mobile number, of 7 to 15 digits."],
    ["mobile", "1234567890123456", "invalid_mobile", "Enter a complete mobile number, of 7 to 15 digits."],
    ["mobile", "60000 00001 or 2", "invalid_mobile", "Enter a complete mobile number, of 7 to 15 digits."],
    ["lname", 5, "invalid_type", "Enter the last name again."],
    ["seat", {}, "invalid_type", "Enter the seats again."],
  ])("%s = %j is %s, in a sentence", (field, value, problem, message) => {
    const found = validatePassengers(open(), [{ ...adult, [field]: value }]);
    expect(found).toMatchObject([{ code: "invalid_field", problem, message, path: ["passengers", 0, field] }]);
    expect(found[0]?.developerMessage).toMatch(/^(must|is missing)/);
  });

  it.each(["6000001", "+91 60000-00001", "(022) 6000.0001", "123456789012345"])("%s is a mobile number", (mobile) => {
    expect(codes(open(), [anyone({ mobile })])).toEqual([]);
  });

  it("suggests the value in the service's own spelling", () => {
    const odd = { ...adult, passenger_type: "Adult", title: "mr", gender: " m" };
    expect(validatePassengers(oneWay, [odd]).map(({ path, suggestion }) => `${path.at(-1)} ${suggestion}`)).toEqual([
      "title Mr",
      "passenger_type adult",
      "gender M",
    ]);
  });

  it("a field that the document does not show hides no other check", () => {
    expect(codes(open(), [adult, { ...adult, passport_no: "X" } as Passenger])).toEqual([
      "invalid_field passengers.1",
      "passenger_repeated passengers.1",
    ]);
  });

  it.each([null, undefined, 5, "RAVI", []])("treats %j as a missing passenger", (passenger) => {
    expect(codes(open(), [adult, passenger as never])).toEqual(["invalid_field passengers.1"]);
  });

  it("accepts a list with a hole", () => {
    expect(codes(open(), new Array(1))).toEqual(["invalid_field passengers.0"]);
  });

  it("distinguishes a passenger from an empty form", () => {
    expect(isPassenger(JSON.parse(JSON.stringify(adult)))).toBe(true);
    for (const value of [null, {}, { ...adult, title: "Dr" }, [adult]]) expect(isPassenger(value)).toBe(false);
  });

  it("and ignores an invalid type", () => {
    const type: string = "senior";
    expect(codes(open(), [adult, { ...adult, fname: "SECOND", passenger_type: type as "adult" }])).toEqual([
      "invalid_field passengers.1.passenger_type",
    ]);
  });

  it.each([
    ["Delhi", "invalid_airport", "Enter the departure airport as a 3-letter code."],
    ["", "required", "Enter the departure airport."],
  ])("reads the airport %j of a seat within its list: %s", (origin, problem, message) => {
    const seat = [{ code: "1A", origin, destination: "BOM" }];
    const found = validatePassengers(oneWay, [anyone({ seat })]).filter(({ code }) => code === "invalid_field");
    expect(found).toMatchObject([{ problem, message, path: ["passengers", 0, "seat", 0, "origin"] }]);
  });

  const choice = { code: "1A", origin: "DEL", destination: "BOM" };
  const oddOnes = [
    null,
    5,
    "",
    "x",
    {},
    [],
    [null],
    [{}],
    [{ ...choice, origin: "x", more: 1 }],
    { gst_number: 5, x: 1 },
  ];
  const whole = { ...adult, seat: [choice], baggage: [choice], meal: [choice], gst: family[0]?.gst };
  it.each(Object.keys(whole))("finds in %s what the schema of the request finds, for the same reason", (name) => {
    for (const odd of [undefined, ...oddOnes]) {
      const passenger = { ...whole, [name]: odd };
      const issues = explain(passengerSchema, passenger);
      const found = validatePassengers(open(), [passenger]).filter(({ code }) => code === "invalid_field");
      const own = new Map(found.map(({ path, developerMessage }) => [path.slice(2).join("."), developerMessage]));
      for (const { path, message } of issues) {
        const place = path.join(".");
        // A GST field that is not filled in is `gst_incomplete`.
        if (/^gst\./.test(place) && message === "is missing") continue;
        expect([odd, place, own.get(place)?.replace(/, is .*/, "")]).toEqual([
          odd,
          place,
          message.replace(/, is .*/, ""),
        ]);
      }
      if (issues.length === 0) expect(isPassenger(passenger)).toBe(true);
    }
  });

  it("names the problem and never the input", () => {
    const [found] = validatePassengers(oneWay, [anyone({ dob: "14/07/1988" })]);
    expect(found).toEqual({
      code: "invalid_field",
      problem: "invalid_date",
      severity: "error",
      path: ["passengers", 0, "dob"],
      message: "Enter a valid date of birth, as year-month-day.",
      developerMessage: "must be a calendar date as YYYY-MM-DD",
    });
  });
});

describe("an offer that is part of a trip", () => {
  it("asks for ages over the whole trip", () => {
    const [out, back] = sampleQuote("domestic-roundtrip-two-results").data.result; // 2027-03-05 and 2027-03-09
    if (!out || !back) throw new Error("two results expected");
    const infant = anyone({ passenger_type: "infant", title: "Mstr", dob: "2025-03-07", fname: "TARUN" });
    const offer = { ...out, fare_breakdown: [] };
    expect(codes(offer, [adult, infant])).toEqual([]);
    expect(codes(offer, [adult, infant], { trip: [out, back] })).toEqual([
      "infant_too_old passengers.1.passenger_type",
    ]);
  });

  it.each([[null], [[]], [[{}]], [undefined]])(
    "does not know all departures if one offer has the segments %j",
    (segments) => {
      const [out, back] = sampleQuote("domestic-roundtrip-two-results").data.result;
      if (!out || !back) throw new Error("two results expected");
      const trip = [out, { ...back, segments } as never];
      for (const one of trip) {
        expect(codes({ ...one, fare_breakdown: [] }, [adult], { trip })).toContain("departure_unknown offer.segments");
      }
    },
  );
});

describe("its arguments", () => {
  it.each([undefined, null, {}, "one"])("%j are not passengers", (passengers) => {
    const call = () => validatePassengers(oneWay, passengers as never);
    expect(call).toThrow(RequestValidationError);
    expect(call).toThrow("The passengers must be a list");
  });

  it.each([undefined, null, [], "offer"])("%j is not an offer", (offer) => {
    expect(() => validatePassengers(offer as never, [adult])).toThrow(ConfigurationError);
  });

  it.each([
    ["acceptIssue", ["lead_not_adult"]],
    ["acceptIssues", ["lead_not_an_adult"]],
    ["acceptIssues", "lead_not_adult"],
    ["acceptIssues", [undefined]],
    ["maxPassengers", Number.NaN],
    ["maxPassengers", 0],
    ["adultFrom", -1],
    ["infantUnder", "2"],
    ["seniorFrom", Number.POSITIVE_INFINITY],
    ["trip", []],
    ["trip", [null]],
    ["now", Number.NaN],
    ["now", new Date()],
    ["deadlineZone", "Asia/Nowhere"],
  ])("refuses %s: %j", (name, value) => {
    expect(() => validatePassengers(oneWay, [adult], { [name]: value })).toThrow(ConfigurationError);
  });

  it("refuses invalid options", () => {
    expect(() => validatePassengers(oneWay, [adult], null as never)).toThrow(ConfigurationError);
  });
});
