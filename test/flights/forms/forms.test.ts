import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import {
  type FormIssues,
  type FormTextKey,
  formIssues,
  formTextKeys,
  passengerForm,
  readPassengerForm,
} from "../../../src/flights/forms/index.ts";
import {
  checkout,
  type FareQuote,
  type FareQuoteResult,
  isPassenger,
  memoryJournal,
  validatePassengers,
} from "../../../src/flights/index.ts";
import { ServiceApi } from "../../../src/index.ts";
import { sample, samples, withField } from "../samples.ts";

const offersIn = (name: string) => (sample(name) as FareQuote).data.result;
const [plain, family, gst] = [
  "success-domestic-oneway-lcc",
  "success-international-roundtrip-family",
  "success-gst-and-hold-mandatory",
].map((name) => offersIn(`fare_quote/${name}`)[0] as FareQuoteResult) as [
  FareQuoteResult,
  FareQuoteResult,
  FareQuoteResult,
];

/** The details of people of each type, chosen so that an offer takes them on its own days. */
const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  adult: { title: "Mr", fname: "RAVI", gender: "M", dob: "1988-07-14" },
  child: { title: "Ms", fname: "ASHA", gender: "F", dob: "2019-01-01" },
  infant: { title: "Mstr", fname: "ARUN", gender: "M", dob: "2026-01-01" },
};
const common = {
  lname: "SAMPLE",
  mobile: "+91 60000 00001",
  email: "a@example.in",
  address: "11 Placeholder Road",
  city: "Samplepur",
  country: "India",
  country_code: "IN",
  gst_company_name: "Sample Traders",
  gst_number: "27ABCDE1234F1Z5",
  gst_company_address: "11 Placeholder Road",
  gst_company_mobile: "6000000001",
  gst_company_email: "gst@example.in",
};

/** A form that somebody filled in: its required fields, as a browser sends them. */
function filledIn(offer: FareQuoteResult): FormData {
  const data = new FormData();
  for (const { type, fields, number } of passengerForm(offer).passengers) {
    const values: Readonly<Record<string, string>> = { ...common, ...typed[type] };
    for (const { name, field, required } of fields) {
      const letter = String.fromCharCode(64 + number);
      if (required) data.set(name, field === "lname" ? ` ${values[field]} ${letter} ` : (values[field] ?? ""));
    }
  }
  return data;
}

const textsOf = (issues: FormIssues["form"]) => issues.map(({ key, text }) => [key, text]);

describe("passengerForm", () => {
  it.each(samples("fare_quote", "success-"))("asks for the passengers of the price: %s", (name) => {
    for (const offer of offersIn(name)) {
      const { passengers, isCountKnown } = passengerForm(offer);
      const counts = Object.fromEntries(
        Object.entries(Object.groupBy(passengers, ({ type }) => type)).map(([type, all]) => [type, all?.length]),
      );
      const quoted: Record<string, number> = {};
      for (const row of offer.fare_breakdown)
        quoted[row.passenger_type] = (quoted[row.passenger_type] ?? 0) + row.passenger_count;
      expect({ counts, isCountKnown }).toEqual({ counts: quoted, isCountKnown: true });
      expect(passengers.map(({ index }) => index)).toEqual(passengers.map((_, i) => i));
    }
  });

  it("has adults first, so that one leads the booking, and counts them by type", () => {
    const reversed = withField(family, ["fare_breakdown"], [...family.fare_breakdown].reverse()) as FareQuoteResult;
    const slots = passengerForm(reversed).passengers.map(({ type, number, count }) => `${type} ${number}/${count}`);
    expect(slots).toEqual(
      passengerForm(family).passengers.map(({ type, number, count }) => `${type} ${number}/${count}`),
    );
    expect(slots[0]).toMatch(/^adult 1\//);
    expect(slots.at(-1)).toMatch(/^infant/);
  });

  it.each([100, 1_000_000, 1e300])("does not know the count of a quote for %d passengers", (passenger_count) => {
    const [row] = plain.fare_breakdown;
    const form = passengerForm({ ...plain, fare_breakdown: [{ ...row, passenger_count }] } as FareQuoteResult);
    expect(form).toMatchObject({ passengers: [], isCountKnown: false });
    const rows = Array.from({ length: 100 }, (_, i) => ({ ...row, passenger_type: `type-${i}`, passenger_count: 1 }));
    expect(passengerForm({ ...plain, fare_breakdown: rows } as never).isCountKnown).toBe(false);
    expect(passengerForm({ ...plain, fare_breakdown: rows.slice(1) } as never).passengers).toHaveLength(99);
  });

  it("marks what the fare requires: GST of the first passenger, passport, PAN, a held booking", () => {
    const required = (offer: FareQuoteResult) =>
      passengerForm(offer).passengers.map(({ fields }) =>
        fields.filter(({ field }) => field.startsWith("gst_")).map((field) => field.required),
      );
    expect(required(gst)[0]).toEqual([true, true, true, true, true]);
    expect(required(plain)[0]).toEqual([false, false, false, false, false]);
    expect(required(family)[1]).toEqual([]);
    expect(passengerForm(gst).needs).toMatchObject({ gst: true, holdWithServices: true });
    const needs = (flags: Partial<FareQuoteResult>) => passengerForm({ ...plain, ...flags }).needs;
    const none = {
      passport_required_at_book: false,
      passport_required_at_ticket: false,
      pan_required_at_book: false,
      pan_required_at_ticket: false,
    };
    expect(needs(none)).toMatchObject({ passport: null, pan: null });
    expect(needs({ ...none, passport_required_at_ticket: true, pan_required_at_book: true })).toMatchObject({
      passport: "ticket",
      pan: "book",
    });
    expect(needs({ ...none, passport_required_at_book: true, passport_required_at_ticket: true })).toMatchObject({
      passport: "book",
    });
  });

  it("requires what one of several results requires, with the words of the one that has them", () => {
    const dotless = { ...plain, fname_format: "No dots.", passport_required_at_book: true };
    const both = passengerForm([dotless, gst]);
    expect(both.passengers.map(({ type }) => type)).toEqual(passengerForm(plain).passengers.map(({ type }) => type));
    expect(both.needs).toMatchObject({ gst: true, passport: "book", holdWithServices: true });
    const [first] = both.passengers;
    expect(first?.fields.find(({ field }) => field === "fname")?.guidance).toBe("No dots.");
    expect(first?.fields.filter(({ field, required }) => field.startsWith("gst_") && !required)).toEqual([]);
    for (const wrong of [[], [gst, 1]]) expect(() => passengerForm(wrong as never)).toThrow(ConfigurationError);
  });

  const [row] = plain.fare_breakdown;
  const rowsOf = (...rows: readonly object[]) => ({
    ...plain,
    fare_breakdown: rows.map((one) => ({ ...row, ...one })),
  });
  const adults = (passenger_count: number) => rowsOf({ passenger_count }) as FareQuoteResult;
  const silent = { ...plain, fare_breakdown: null } as never;

  it.each([
    ["that of the one that says it, in any order", [silent, adults(2)], 2],
    ["that of the one that says it, in any order", [adults(2), silent], 2],
    ["that of both", [adults(2), rowsOf({ passenger_count: 2 }, { passenger_type: "child", passenger_count: 0 })], 2],
    ["not known if they differ", [adults(1), adults(3)], 0],
    ["not known if it is zero", [adults(0)], 0],
  ])("has as the count of several results %s", (_, offers, count) => {
    const { passengers, isCountKnown } = passengerForm(offers as FareQuoteResult[]);
    expect({ count: passengers.length, isCountKnown }).toEqual({ count, isCountKnown: count > 0 });
  });

  it.each(["ADT", "senior"])(
    "asks for the type of a passenger whom the quote calls %s, and it can be booked",
    (type) => {
      const offer = rowsOf({ passenger_type: type }) as FareQuoteResult;
      const form = passengerForm(offer);
      const select = form.passengers[0]?.fields.find(({ field }) => field === "passenger_type");
      const name = "passengers.0.passenger_type";
      expect(select).toEqual({
        ...{ name, field: "passenger_type", required: true, input: "select" },
        choices: ["adult", "child", "infant"],
      });
      const data = filledIn(offer);
      for (const { name, field } of form.passengers[0]?.fields ?? []) {
        const values: Readonly<Record<string, string>> = { ...common, ...typed.adult };
        if (!field.startsWith("gst_")) data.set(name, values[field] ?? "");
      }
      const issuesOf = () => {
        const read = readPassengerForm(form, data);
        return { ...formIssues(validatePassengers(offer, read)), isBookable: read.every(isPassenger) };
      };
      expect(issuesOf().fields[name]).toMatchObject([{ key: "invalid_field.required" }]);
      data.set(name, "Adult");
      expect(issuesOf().fields[name]).toMatchObject([{ key: "invalid_field.invalid_choice", suggestion: "adult" }]);
      data.set(name, "adult");
      expect(issuesOf()).toMatchObject({ fields: {}, form: [], hasErrors: false, isBookable: true });
    },
  );

  it("has the airline's own words on names, and the titles of the type", () => {
    const offer = { ...family, fname_format: "As in the passport.<br>No dots." };
    const { passengers } = passengerForm(offer);
    const field = (index: number, name: string) => passengers[index]?.fields.find((one) => one.field === name);
    expect(field(0, "fname")?.guidance).toBe("As in the passport.\nNo dots.");
    expect(field(0, "title")).toMatchObject({
      name: "passengers.0.title",
      input: "select",
      choices: ["Mr", "Mrs", "Ms"],
    });
    expect(field(passengers.length - 1, "title")?.choices).toEqual(["Mstr", "Ms"]);
  });

  it.each([undefined, null, "none", [], [null], [{}]])(
    "says that it cannot count the passengers: %j",
    (fare_breakdown) => {
      const form = passengerForm({ ...plain, fare_breakdown } as never);
      expect(form).toMatchObject({ isCountKnown: false, passengers: [] });
      expect(() => passengerForm(undefined as never)).toThrow(ConfigurationError);
    },
  );
});

describe("a form that was filled in as it asks", () => {
  it.each(samples("fare_quote", "success-"))("can be booked: %s", (name) => {
    for (const offer of offersIn(name)) {
      const passengers = readPassengerForm(passengerForm(offer), filledIn(offer));
      expect(passengers.filter((passenger) => !isPassenger(passenger))).toEqual([]);
      const extraBody = { passport_no: "X", pan_no: "ABCDE1234F" };
      const { fields, form, hasErrors } = formIssues(validatePassengers(offer, passengers, { extraBody }));
      expect({
        fields: Object.values(fields)
          .flatMap((shown) => shown ?? [])
          .filter(({ severity }) => severity === "error"),
        form,
        hasErrors,
      }).toEqual({ fields: [], form: [], hasErrors: false });
    }
  });

  it("is booked with what was typed", async () => {
    const emulator = createEmulator();
    const credentials = { clientId: "c", clientSecret: "secret-1" };
    const api = new ServiceApi({ ...credentials, baseUrl: "https://e.example", fetch: emulator.fetch });
    const trip = checkout(api, emulator.seedSearch("domestic-oneway-lcc"), { journal: memoryJournal() });
    const offer = (await trip.quote()).data.result[0] ?? expect.unreachable();
    const read = readPassengerForm(passengerForm(offer), filledIn(offer));
    if (!read.every(isPassenger)) expect.unreachable();
    const { total_fare, currency } = offer.fare;
    const { pnr } = await trip.book({ passengers: read, maxTotal: { amount: `${total_fare}`, currency } });
    expect(emulator.bookings).toMatchObject([{ pnr }]);
  });

  it("has errors in each required field while it is empty, under the names of the inputs, and no others", () => {
    for (const offer of [plain, family, gst]) {
      const form = passengerForm(offer);
      const { fields, hasErrors } = formIssues(validatePassengers(offer, readPassengerForm(form, new FormData())));
      const names = form.passengers.flatMap((slot) =>
        slot.fields.filter(({ required, field }) => required && !field.startsWith("gst_")).map(({ name }) => name),
      );
      expect(hasErrors).toBe(true);
      expect(
        Object.keys(fields)
          .filter((name) => !name.includes("gst"))
          .sort(),
      ).toEqual(names.sort());
    }
  });
});

describe("the issues of a form", () => {
  /** Right and wrong entries for each field. */
  const entries: Readonly<Record<string, readonly string[]>> = {
    title: ["Mr", "Mstr", "Dr", ""],
    fname: ["RAVI", "", "R4VI", "राम", "A.B", " A  B "],
    lname: ["SAMPLE", "", "'", "Müller"],
    gender: ["M", "F", "X", ""],
    dob: ["1988-07-14", "2019-01-01", "2026-01-01", "2999-01-01", "1850-01-01", "2019-02-30", ""],
    mobile: ["6000000001", "1", ""],
    email: ["a@example.in", "a", ""],
    country_code: ["IN", "INDIA", ""],
    gst_number: ["", "27ABCDE1234F1Z5", "1"],
    gst_company_name: ["", "Sample Traders"],
    gst_company_email: ["", "a@example.in", "a"],
  };
  const offers = [plain, family, gst].flatMap((offer) => [offer, { ...offer, fare_type: "Senior Citizen" }]);
  const seeds = Array.from({ length: 150 }, (_, seed) => seed);

  function formOf(offer: FareQuoteResult, seed: number): FormData {
    const data = new FormData();
    let n = seed;
    for (const { fields, index, type } of passengerForm(offer).passengers) {
      data.set(`passengers.${index}.gst.gst_number`, "1");
      for (const { name, field } of fields) {
        n = (n * 1_103_515_245 + 12_345) % 2_147_483_648;
        const values = entries[field] ?? [{ ...common, ...typed[type] }[field] ?? ""];
        data.set(name, values[(n >> 16) % values.length] ?? "");
      }
    }
    return data;
  }

  it("belong to inputs that the form has, or to `form`: over many combinations of fields", () => {
    const seen = new Set<string>();
    for (const offer of offers) {
      const form = passengerForm(offer);
      const inputs = form.passengers.flatMap(({ fields }) => fields.map(({ name }) => name));
      for (const seed of seeds) {
        const found = validatePassengers(offer, readPassengerForm(form, formOf(offer, seed)));
        const { fields, form: whole, offer: ofQuote } = formIssues(found);
        expect(Object.keys(fields).filter((name) => !inputs.includes(name))).toEqual([]);
        expect([...Object.values(fields).flat(), ...whole, ...ofQuote]).toHaveLength(found.length);
        for (const { key } of [...Object.values(fields).flatMap((issues = []) => issues), ...whole]) seen.add(key);
      }
    }
    const ages = ["adult_too_young", "child_too_young", "child_too_old", "infant_too_old", "senior_fare_age"];
    expect([...seen]).toEqual(expect.arrayContaining([...ages, "title_gender_mismatch", "gst_incomplete"]));
  });

  it.each([
    ["2019-01-01", plain, 0, "adult_too_young"],
    ["2026-01-01", family, 2, "child_too_young"],
    ["1988-07-14", family, 2, "child_too_old"],
    ["1988-07-14", family, 3, "infant_too_old"],
    ["1988-07-14", { ...plain, fare_type: "Senior" }, 0, "senior_fare_age"],
  ])("has an age that does not fit, %s, beside the date of birth", (dob, offer, index, key) => {
    const data = filledIn(offer);
    data.set(`passengers.${index}.dob`, dob);
    const { fields } = formIssues(validatePassengers(offer, readPassengerForm(passengerForm(offer), data)));
    expect(fields[`passengers.${index}.dob`]?.map((issue) => issue.key)).toContain(key);
  });

  it.each([
    [["passengers", 0, "seat"], "service_unknown_leg"],
    [["passengers", 0, "passenger_type"], "lead_not_adult"],
    [["passengers", 0, "gst"], "gst_missing"],
    [["passengers", 1, "gst", "gst_number"], "gst_number_form"],
    [["passengers", 0, "frequent_flyer"], "invalid_field"],
    [["extraBody", "passengers", 0, "passport_expiry"], "passport_expires"],
  ] as const)("has %j, which no input can change, in `form`", (path, code) => {
    const { fields, form } = formIssues([{ code, path, severity: "error", message: "x" }]);
    expect({ fields, form: form.map(({ text }) => text) }).toEqual({ fields: {}, form: ["x"] });
  });

  it("has nothing under a name that every object inherits", () => {
    const { fields } = formIssues([
      { code: "name_characters", severity: "error", path: ["passengers", 0, "fname"], message: "x" },
    ]);
    expect(Object.keys(fields)).toEqual(["passengers.0.fname"]);
    expect(fields.constructor).toBeUndefined();
  });
});

describe("readPassengerForm", () => {
  const form = passengerForm(plain);

  it("takes the types from the quote, trims, and leaves out what a form adds", () => {
    const data = new FormData();
    data.set("passengers.0.fname", " RAVI ");
    data.set("passengers.0.passenger_type", "infant");
    data.set("passengers.0.seat", "1A");
    data.set("passengers.0.gst.gst_number", "  ");
    data.set("passengers.0.photo", new Blob(["x"]));
    data.set("passengers.0.lname", new Blob(["x"]));
    data.set("passengers.7.fname", "SOMEBODY");
    data.set("passengers.0.__proto__.polluted", "x");
    data.set("__proto__", "x");
    data.set("csrf", "x");
    expect(readPassengerForm(form, data)).toEqual([{ fname: "RAVI", passenger_type: "adult" }]);
  });

  it("reads GST details as soon as one of them is filled in", () => {
    const sent = new URLSearchParams("passengers.0.gst.gst_number=27&passengers.0.gst.gst_company_name=");
    const [passenger] = readPassengerForm(form, sent);
    expect(passenger).toEqual({ passenger_type: "adult", gst: { gst_number: "27", gst_company_name: "" } });
    const { fields } = formIssues(validatePassengers(plain, [passenger]));
    expect(fields["passengers.0.gst.gst_company_name"]?.[0]).toMatchObject({
      key: "gst_incomplete",
      text: "Enter the name of the company.",
    });
  });

  it("reads what was sent if the quote does not say how many passengers it is for", () => {
    const unknown = passengerForm({ ...plain, fare_breakdown: [] });
    const sent = new URLSearchParams("passengers.1.fname=B&passengers.0.passenger_type=child");
    expect(readPassengerForm(unknown, sent)).toEqual([{ passenger_type: "child" }, { fname: "B" }]);
    expect(readPassengerForm(unknown, new URLSearchParams("passengers.99.fname=B&passengers.123.fname=B"))).toEqual([]);
  });

  it("takes nothing but the entries of a form", () => {
    for (const wrong of [undefined, null, {}, [], { ...form, passengers: [null] }, { ...form, isCountKnown: 1 }]) {
      expect(() => readPassengerForm(wrong as never, new FormData())).toThrow("must be what `passengerForm` returned");
    }
    for (const entries of [undefined, null, {}, [["passengers.0.fname", "x"]], "passengers.0.fname=x"]) {
      expect(() => readPassengerForm(form, entries as never)).toThrow(ConfigurationError);
    }
  });
});

describe("formIssues", () => {
  const personal = Object.fromEntries(Object.entries(common).filter(([name]) => !name.startsWith("gst_")));
  const child: Record<string, string> = { ...personal, ...typed.child, passenger_type: "adult" };

  it("separates fields, the form and the quote, each with its English text", () => {
    const { fname: _, ...incomplete } = child;
    const offer = {
      ...plain,
      segments: plain.segments.map((segment) => ({ ...segment, flight_status: "Waitlisted" })),
    };
    const { fields, form, offer: ofQuote, hasErrors } = formIssues(validatePassengers(offer, [incomplete, incomplete]));
    expect(textsOf(fields["passengers.0.fname"] ?? [])).toEqual([["invalid_field.required", "Enter the first name."]]);
    expect(textsOf(form).map(([key]) => key)).toEqual(["count_differs_from_quote", "passenger_repeated"]);
    expect(textsOf(ofQuote)[0]).toEqual([
      "segment_not_confirmed",
      "This flight is not confirmed: there may be no seat on it.",
    ]);
    expect(hasErrors).toBe(true);
  });

  it("shows your texts, with the numbers, days and types that the issue names", () => {
    const texts = {
      adult_too_young: "Erwachsene sind am {firstDay} mindestens {adultFrom}. {unknown}",
      count_differs_from_quote: ({ values }) => `${values?.type}: ${values?.given} statt ${values?.quoted}`,
      too_many_passengers: "höchstens {maxPassengers}",
    } satisfies NonNullable<Parameters<typeof formIssues>[1]>["texts"];
    const issues = validatePassengers(
      plain,
      Array.from({ length: 10 }, () => child),
    );
    const { fields, form } = formIssues(issues, { texts });
    const day = plain.segments[0]?.origin.departure_time.slice(0, 10);
    const tooYoung = fields["passengers.0.dob"]?.[0];
    expect(tooYoung?.text).toBe(`Erwachsene sind am ${day} mindestens 12. {unknown}`);
    // The quote has the type: it cannot be chosen in the form.
    expect(tooYoung).not.toHaveProperty("suggestion");
    expect(textsOf(form)).toEqual(
      expect.arrayContaining([
        ["too_many_passengers", "höchstens 9"],
        ["count_differs_from_quote", "adult: 10 statt 1"],
      ]),
    );
  });

  it("names a key for every issue, under which a translation is found", () => {
    expect(new Set(formTextKeys).size).toBe(formTextKeys.length);
    const upper = Object.fromEntries(formTextKeys.map((key) => [key, key])) as Record<FormTextKey, string>;
    const issues = validatePassengers(gst, [{ ...child, fname: "1", title: "Mr" }, 1]);
    expect(issues.length).toBeGreaterThan(5);
    const { fields, form, offer } = formIssues(issues, { texts: upper });
    for (const { key, text } of Object.values(fields)
      .flatMap((shown) => shown ?? [])
      .concat(form, offer))
      expect(text).toBe(key);
  });

  it("refuses texts that would not be shown", () => {
    expect(() => formIssues([], { texts: { adult_to_young: "x" } as never })).toThrow('did you mean "adult_too_young"');
    expect(() => formIssues([], { texts: { gst_missing: 1 } as never })).toThrow("must be a string or a function");
    expect(() => formIssues("issues" as never)).toThrow("`issues` must be a list");
    const issue = { code: "invalid_field", path: [], message: "", severity: "error" };
    const drifted = [{ path: "" }, { path: [{}] }, { problem: Object.create(null) }, { values: { title: {} } }];
    for (const wrong of [{}, null, ...drifted.map((fields) => ({ ...issue, ...fields }))]) {
      expect(() => formIssues([wrong as never])).toThrow("must be an issue of a passenger check");
      expect(() => formIssues([wrong as never])).toThrow(ConfigurationError);
    }
  });

  it("refuses a function that returns no string, such as an async one", () => {
    const issues = validatePassengers(gst, [{ ...child, fname: "" }]);
    const shown = (text: () => unknown) => () =>
      formIssues(issues, { texts: { "invalid_field.required": text as () => string } });
    expect(shown(() => "Bitte")).not.toThrow();
    expect(shown(() => 1)).toThrow("formIssues: `texts.invalid_field.required` must return a string.");
    expect(shown(async () => "Bitte")).toThrow("`texts.invalid_field.required` must return a string, not a promise.");
    expect(shown(() => Promise.reject(new Error("no")))).toThrow(ConfigurationError);
  });

  it("shows nothing for no issues", () => {
    expect(formIssues([])).toEqual({ fields: {}, form: [], offer: [], hasErrors: false });
  });
});
