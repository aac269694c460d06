import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import { book, fareQuote, fareRule } from "../../src/flights/operations.ts";
import { sample, samples, withField } from "./samples.ts";

type Row = readonly [
  field: string,
  type: "string" | "number" | "integer" | "boolean" | "array" | "object",
  nullable?: "null",
];

const wrong: Record<Row[1], unknown> = {
  string: 7,
  number: "7",
  integer: 7.5,
  boolean: "true",
  array: {},
  object: "text",
};

const strings = (...fields: string[]): Row[] => fields.map((field) => [field, "string"]);
const booleans = (...fields: string[]): Row[] => fields.map((field) => [field, "boolean"]);
const numbers = (...fields: string[]): Row[] => fields.map((field) => [field, "number"]);

const envelope: Row[] = [...strings("status", "status_code", "message"), ["data", "object"]];
const place = ["airport_code", "airport_name", "terminal", "city_code", "city_name", "country_code", "country_name"];
const segment: Row[] = [
  ...strings("trip_indicator", "segment_indicator", "flight_number", "airline_code", "airline_name"),
  ...strings("fare_class", "operating_carrier", "duration", "flight_status"),
  ["origin", "object"],
  ["destination", "object"],
  ["baggage", "object"],
  ["flight_class", "string", "null"],
  ...booleans("is_stopover", "e-ticket_available"),
];
const bookedFare: Row[] = [
  ["currency", "string"],
  ...numbers("basefare", "tax_and_surcharges", "total_fare", "total_baggage_charges"),
  ...numbers("total_meal_charges", "total_seat_charges", "total_special_service_charges"),
];

interface Section {
  readonly section: string;
  readonly schema: StandardSchemaV1;
  readonly body: string;
  readonly at: readonly (string | number)[];
  readonly rows: readonly Row[];
}

const quoteOf = (section: string, at: Section["at"], rows: readonly Row[]): Section => ({
  section,
  schema: fareQuote.body,
  body: "fare_quote/success-international-roundtrip-family",
  at,
  rows,
});
const ruleOf = (section: string, at: Section["at"], rows: readonly Row[]): Section => ({
  section,
  schema: fareRule.body,
  body: "fare_rule/success-roundtrip",
  at,
  rows,
});
const bookingOf = (section: string, at: Section["at"], rows: readonly Row[]): Section => ({
  section,
  schema: book.body,
  body: "book/success-international-family",
  at,
  rows,
});

const offer = ["data", "result", 0] as const;
const booked = ["data", "result"] as const;

const sections: Section[] = [
  quoteOf("§4.4 envelope", [], envelope),
  quoteOf(
    "§4.4 data",
    ["data"],
    [
      ["trace_id", "string"],
      ["result", "array"],
    ],
  ),
  quoteOf("§2.4 fare quote result", offer, [
    ...strings("token", "fname_format", "lname_format", "source", "airline_code", "airline_remark"),
    ...strings("validating_airline", "last_ticket_date", "fare_type"),
    ...booleans("is_lcc", "free_meal", "refundable", "coupon_applicable", "pan_required_at_book"),
    ...booleans("pan_required_at_ticket", "passport_required_at_book", "passport_required_at_ticket"),
    ...booleans("hold_mandatory_with_ssr", "gst_mandatory"),
    ["segments", "array"],
    ["fare", "object"],
    ["fare_breakdown", "array"],
    ["fare_inclusions", "array"],
    ["fare_rules", "array"],
    ["mini_fare_rules", "array"],
  ]),
  quoteOf(
    "§2.4 fare",
    [...offer, "fare"],
    [["currency", "string"], ...numbers("basefare", "tax_and_surcharges", "total_fare")],
  ),
  quoteOf(
    "§2.4 fare_breakdown",
    [...offer, "fare_breakdown", 1],
    [...strings("currency", "passenger_type"), ["passenger_count", "integer"], ["basefare", "number"]],
  ),
  quoteOf("§2.4 fare_rules", [...offer, "fare_rules", 1], strings("origin", "destination", "airline", "fare_rules")),
  quoteOf("§2.5 segment", [...offer, "segments", 1], segment),
  quoteOf("§2.5 origin", [...offer, "segments", 1, "origin"], strings(...place, "departure_time")),
  quoteOf("§2.5 destination", [...offer, "segments", 1, "destination"], strings(...place, "arrival_time")),
  quoteOf("§2.5 baggage", [...offer, "segments", 1, "baggage"], strings("checked_baggage", "cabin_baggage")),
  quoteOf(
    "§2.6 mini fare rule",
    [...offer, "mini_fare_rules", 2],
    [
      ...strings("journey_points", "type", "from", "to", "unit", "charges"),
      ...booleans("online_reissue_allowed", "online_refund_allowed"),
    ],
  ),
  ruleOf("§4.5 envelope", [], envelope),
  ruleOf(
    "§4.5 data",
    ["data"],
    [
      ["trace_id", "string"],
      ["result", "array"],
    ],
  ),
  ruleOf("§2.7 fare rule result", offer, [
    ...strings("origin", "destination", "airline", "departure_time", "return_time", "fare_rules"),
    ["flight_id", "integer"],
    ["fare_inclusions", "array"],
    ["fare_restriction", "string", "null"],
  ]),
  bookingOf("§4.3 envelope", [], envelope),
  bookingOf(
    "§2.8 data",
    ["data"],
    [
      ["trace_id", "string"],
      ["result", "object"],
    ],
  ),
  bookingOf("§2.8 booking", booked, [
    ...strings("pnr", "source", "origin", "destination", "airline_code", "airline_remark", "last_ticket_date"),
    ["booking_id", "integer"],
    ...booleans(
      "price_changed",
      "time_changed",
      "seats_booked",
      "domestic",
      "is_lcc",
      "non_refundable",
      "coupon_applicable",
    ),
    ["credit_note_no", "string", "null"],
    ["segments", "array"],
    ["passengers", "array"],
    ["fare", "object"],
  ]),
  bookingOf("§2.5 segment of a booking", [...booked, "segments", 1], segment),
  bookingOf(
    "§2.9 booked passenger",
    [...booked, "passengers", 0],
    [
      ["passenger_id", "integer"],
      ["barcode_details", "object"],
      ...strings("title", "fname", "lname", "passenger_type", "dob", "gender", "mobile", "email", "address", "city"),
      ...strings("country_code", "country"),
      ["is_lead_passenger", "boolean"],
      ["fare", "object"],
      ["seat", "array"],
    ],
  ),
  bookingOf(
    "§2.9 barcode_details",
    [...booked, "passengers", 0, "barcode_details"],
    [
      ["Id", "integer"],
      ["Barcode", "array"],
    ],
  ),
  bookingOf(
    "§2.9 Barcode",
    [...booked, "passengers", 0, "barcode_details", "Barcode", 0],
    [
      ["Index", "integer"],
      ...strings("Format", "Content"),
      ["BarCodeInBase64", "string", "null"],
      ["JourneyWayType", "integer"],
    ],
  ),
  bookingOf(
    "§2.9 seat",
    [...booked, "passengers", 0, "seat", 0],
    [
      ...strings("code", "desc", "airline_code", "flight_number", "craft_type", "row_no", "seat_no", "seat_type"),
      ["price", "number"],
      ...strings("currency", "origin", "destination"),
    ],
  ),
  bookingOf("§2.10 fare of a passenger", [...booked, "passengers", 0, "fare"], bookedFare),
  bookingOf("§2.10 fare of the booking", [...booked, "fare"], bookedFare),
];

async function issuePaths(schema: StandardSchemaV1, body: unknown): Promise<string[]> {
  const result = await schema["~standard"].validate(body);
  return (result.issues ?? []).map((issue) => (issue.path ?? []).join("."));
}

for (const { section, schema, body, at, rows } of sections) {
  describe(`${section}: the response`, () => {
    const whole = sample(body);

    it.each(rows.map((row) => ({ field: row[0], type: row[1], nullable: row[2] })))(
      "$field is $type",
      async ({ field, type, nullable }) => {
        const path = [...at, field];
        expect(await issuePaths(schema, withField(whole, path, wrong[type]))).toEqual([path.join(".")]);
        expect(await issuePaths(schema, withField(whole, path, undefined))).toEqual([path.join(".")]);
        expect(await issuePaths(schema, withField(whole, path, null))).toEqual(
          nullable === "null" ? [] : [path.join(".")],
        );
      },
    );

    it("allows fields that the document does not show", async () => {
      const result = await schema["~standard"].validate(withField(whole, [...at, "added_later"], { deep: [1] }));
      expect(result).toEqual({ value: withField(whole, [...at, "added_later"], { deep: [1] }) });
    });
  });
}

describe("the sample responses", () => {
  const drifting = new Set(["fare_quote/success-nested-mini-rules"]);
  const all = [
    ...samples("fare_quote", "success").map((name) => [name, fareQuote.body] as const),
    ...samples("fare_rule", "success").map((name) => [name, fareRule.body] as const),
    ...samples("book", "success").map((name) => [name, book.body] as const),
  ];

  it.each(all)("%s has the shape of its schema, or differs as is known", async (name, schema) => {
    const paths = await issuePaths(schema, sample(name));
    expect(paths.length > 0).toBe(drifting.has(name));
    for (const path of paths) expect(path).toMatch(/^data\.result\.0\.mini_fare_rules\.0\b/);
  });

  it.each(all)("%s is returned as the same value", async (name, schema) => {
    const body = sample(name);
    const result = await schema["~standard"].validate(body);
    if (!result.issues) expect(result.value).toBe(body);
  });

  it("accept any enumeration value that the document does not name", async () => {
    const body = withField(
      sample("fare_quote/success-senior-fare"),
      ["data", "result", 0, "segments", 0, "trip_indicator"],
      "inbound",
    );
    expect(await issuePaths(fareQuote.body, body)).toEqual([]);
  });
});
