import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import { book, fareQuote, fareRule } from "../../src/flights/operations.ts";
import { quoteToken } from "../../src/flights/types/index.ts";
import { sample, samples, withField } from "./samples.ts";

async function complaints(schema: StandardSchemaV1, value: unknown): Promise<string[]> {
  const result = await schema["~standard"].validate(value);
  return (result.issues ?? []).map((issue) => `${(issue.path ?? []).join(".")}: ${issue.message}`);
}

type Rule = readonly [path: string, value: unknown, message: string];

const nonEmpty = "must be a non-empty string";
const date = "must be a calendar date as YYYY-MM-DD";
const airport = "must be a 3-letter airport code";

const lookup: Rule[] = [
  ["trace_id", undefined, "is missing"],
  ["trace_id", "", "must be the trace_id of the flight search"],
  ["trace_id", 5, "must be the trace_id of the flight search"],
  ["token", undefined, "is missing"],
  ["token", "", "must be the token of a search result"],
  ["token", 5, "must be the token of a search result"],
  ["client_referenceId", "", `${nonEmpty}; leave it out to have one generated`],
];

describe.each([
  ["§4.4 fare quote", fareQuote.params, "fare_quote/request"],
  ["§4.5 fare rule", fareRule.params, "fare_rule/request"],
])("%s: the request", (_section, schema, request) => {
  it("accepts the sample, and the reference may be omitted", async () => {
    expect(await complaints(schema, sample(request))).toEqual([]);
    expect(await complaints(schema, withField(sample(request), ["client_referenceId"], undefined))).toEqual([]);
  });

  it.each(lookup)("%s = %j: %s", async (path, value, message) => {
    expect(await complaints(schema, withField(sample(request), [path], value))).toEqual([`${path}: ${message}`]);
  });

  it("refuses the unnamed fields of the form and says where they go", async () => {
    expect(await complaints(schema, withField(sample(request), ["user"], {}))).toEqual([
      ": has unknown field user; fields that the document does not show go into `extraBody`",
    ]);
  });
});

const texts = ["fname", "lname", "mobile", "address", "city", "country", "country_code"];
const choices = ["seat", "baggage", "meal"];
const gst = ["gst_company_name", "gst_number", "gst_company_address", "gst_company_mobile", "gst_company_email"];

const booking: Rule[] = [
  ["trace_id", undefined, "is missing"],
  ["trace_id", "", "must be the trace_id of the flight search"],
  ["token", undefined, "is missing"],
  ["token", "", "must be the token of a fare quote result"],
  ["client_referenceId", "", `${nonEmpty}; leave it out to have one generated`],
  ["passengers", undefined, "is missing"],
  ["passengers", {}, "must be a list of passengers"],
  ["passengers", [], "must have at least one passenger"],
  ...["Dr", "mr", "MR", "", 1].map((title): Rule => ["passengers.0.title", title, "must be Mr, Mrs, Ms or Mstr"]),
  ...["Adult", "senior", ""].map((t): Rule => ["passengers.0.passenger_type", t, "must be adult, child or infant"]),
  ...["male", "m", ""].map((gender): Rule => ["passengers.0.gender", gender, "must be M or F"]),
  ...[
    "1985-1-09",
    "09-01-1985",
    "1985-02-29",
    "1900-02-29",
    "1985-13-01",
    "1985-04-31",
    "1985-01-09T00:00:00Z",
    "",
  ].map((dob): Rule => ["passengers.0.dob", dob, date]),
  ...["traveller", "a@", "@b", "a b@c", ""].map(
    (value): Rule => ["passengers.0.email", value, "must be an e-mail address"],
  ),
  ...["title", "email", "passenger_type", "dob", "gender", ...texts].map(
    (field): Rule => [`passengers.0.${field}`, undefined, "is missing"],
  ),
  ...texts.flatMap((field): Rule[] => [
    [`passengers.0.${field}`, "", nonEmpty],
    [`passengers.0.${field}`, 5, nonEmpty],
  ]),
  ...choices.flatMap((field): Rule[] => [
    [`passengers.0.${field}`, {}, "must be a list with one entry per leg"],
    [`passengers.0.${field}.0.code`, "", nonEmpty],
    [`passengers.0.${field}.0.code`, undefined, "is missing"],
    [`passengers.0.${field}.0.origin`, "Delhi", airport],
    [`passengers.0.${field}.0.origin`, undefined, "is missing"],
    [`passengers.0.${field}.0.destination`, "D3", airport],
    [`passengers.0.${field}.0.destination`, undefined, "is missing"],
  ]),
  ["passengers.0.gst", "29AAAAA0000A1Z5", "must be an object, is a string"],
  ...gst.flatMap((field): Rule[] => [
    [`passengers.0.gst.${field}`, undefined, "is missing"],
    [`passengers.0.gst.${field}`, 29, "must be a string, is a number"],
  ]),
];

describe("§4.3 flight booking: the request", () => {
  const request = sample("book/request-international-family-ssr-gst");
  const at = (path: string) => path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));

  it.each(samples("book", "request"))("%s is accepted", async (name) => {
    expect(await complaints(book.params, sample(name))).toEqual([]);
  });

  it.each(booking)("%s = %j: %s", async (path, value, message) => {
    expect(await complaints(book.params, withField(request, at(path), value))).toEqual([`${path}: ${message}`]);
  });

  it.each(["client_referenceId", "passengers.0.seat", "passengers.0.baggage", "passengers.0.meal", "passengers.0.gst"])(
    "%s may be left out",
    async (path) => {
      expect(await complaints(book.params, withField(request, at(path), undefined))).toEqual([]);
    },
  );

  it.each([
    ["passengers.0.title", ["Mr", "Mrs", "Ms", "Mstr"]],
    ["passengers.0.passenger_type", ["adult", "child", "infant"]],
    ["passengers.0.gender", ["M", "F"]],
    ["passengers.0.dob", ["2024-02-29", "2000-02-29", "1999-12-31"]],
    ["passengers.0.email", ["a@b", "अतिथि@उदाहरण.भारत", "a+b@c.example"]],
  ])("%s accepts each documented value", async (path, values) => {
    for (const value of values) expect(await complaints(book.params, withField(request, at(path), value))).toEqual([]);
  });

  it("refuses fields that the document does not show, in a passenger and in a seat too", async () => {
    expect(await complaints(book.params, withField(request, ["passengers", 0, "passport_no"], "X1"))).toEqual([
      "passengers.0: has unknown field passport_no; fields that the document does not show go into `extraBody`",
    ]);
    expect(await complaints(book.params, withField(request, ["passengers", 0, "seat", 0, "price"], 1))).toEqual([
      "passengers.0.seat.0: has unknown field price; fields that the document does not show go into `extraBody`",
    ]);
  });

  it("accepts a token that was stored as text and marked again", async () => {
    const token = quoteToken("FQ1[DEMO]+/=");
    expect(token).toBe("FQ1[DEMO]+/=");
    expect(await complaints(book.params, withField(request, ["token"], token))).toEqual([]);
  });

  it.each(["", undefined, null, 5])("marks no %j", (text) => {
    expect(() => quoteToken(text as never)).toThrow(/^quoteToken: the token must be a non-empty string\.$/);
  });

  it("never quotes a value in a message", async () => {
    const found = await complaints(book.params, withField(request, ["passengers", 0, "dob"], "secret-birthday"));
    expect(found.join()).not.toContain("secret");
  });
});
