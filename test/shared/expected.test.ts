import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ResponseValidationError } from "../../src/errors/index.ts";
import { compareBooking } from "../../src/flights/index.ts";
import type { Booking, ClientEvent, ClientOptions, FareQuote, ServiceApi } from "../../src/index.ts";
import { answering, errorOf, sample } from "../support/client.ts";
import { made } from "../support/operations.ts";

const unchecked = { validation: { request: "off" } } as const;
const calls = {
  verification: (api: ServiceApi) => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }),
  ai: (api: ServiceApi) => api.ai.createResponse({ user: { text: "Hello" } }),
  "flight/fare_quote": (api: ServiceApi) => api.flights.fareQuote({ trace_id: "", token: "t" }, unchecked),
  "flight/fare_rule": (api: ServiceApi) => api.flights.fareRule({ trace_id: "", token: "t" }, unchecked),
  "flight/book": (api: ServiceApi) => api.flights.book({} as never, unchecked),
};
type Area = keyof typeof calls;

const clientId = "demo-client-0001";
async function receive(area: Area, body: object, options: ClientOptions = {}) {
  return await calls[area](answering(body, { clientId, ...options })).withResponse();
}
const good: Record<Area, string> = {
  verification: "verification/success-multiple",
  ai: "ai/response-whole-markdown",
  "flight/fare_quote": "flight/fare_quote/success-domestic-oneway-full-service",
  "flight/fare_rule": "flight/fare_rule/success-roundtrip",
  "flight/book": "flight/book/success-full-service-held",
};

/** The sample of a success with another value at a dot path. */
function withValue(area: Area, path: string, value: unknown): object {
  const body = sample(good[area]);
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  const parent = steps.reduce<object>((object, step) => Reflect.get(object, step), body);
  Reflect.set(parent, last, value);
  return body;
}

const odd: readonly (readonly [Area, string, unknown, string])[] = [
  ["verification", "vpa", "notavpa", "unexpected_format"],
  ["verification", "vpaList.1", "two words@bank", "unexpected_format"],
  ["verification", "count", 1.5, "unexpected_value"],
  ["verification", "count", 2, "unexpected_value"],
  ["verification", "statusCode", "404", "unexpected_value"],
  ["ai", "context_token", "token-1", "unexpected_format"],
  ["ai", "response_status", "processing", "unexpected_value"],
  ["ai", "status_code", "500", "unexpected_value"],
  ["flight/fare_quote", "data.result.0.last_ticket_date", "soon", "unexpected_format"],
  ["flight/fare_quote", "data.result.0.last_ticket_date", "2026-12-01T10:00:00Z", "unexpected_format"],
  ["flight/fare_quote", "data.result.0.segments.0.origin.airport_code", "DELHI", "unexpected_format"],
  ["flight/fare_quote", "data.result.0.segments.0.airline_code", "Zeta Air", "unexpected_format"],
  ["flight/fare_quote", "data.result.0.fare.total_fare", -5, "unexpected_format"],
  ["flight/fare_quote", "data.result.0.mini_fare_rules.0.from", "soon", "unexpected_format"],
  ["flight/fare_quote", "status_code", "400", "unexpected_value"],
  ["flight/fare_rule", "data.result.0.departure_time", "10:30", "unexpected_format"],
  ["flight/fare_rule", "data.result.0.origin", "", "unexpected_format"],
  ["flight/book", "data.result.last_ticket_date", "tomorrow", "unexpected_format"],
  ["flight/book", "data.result.passengers.0.dob", "14/07/1988", "unexpected_format"],
  ["flight/book", "data.result.fare.basefare", -1, "unexpected_format"],
];

describe("a format or a contradiction that the document rules out", () => {
  it.each(odd)("%s: %s = %j is a warning and a drift, also in an essential field", async (area, path, value, code) => {
    const events: ClientEvent[] = [];
    const body = withValue(area, path, value);
    const { data, warnings } = await receive(area, body, { onEvent: (event) => events.push(event) });
    expect(data).toEqual(body);
    expect(warnings.map((issue) => [issue.path.join("."), issue.code])).toEqual([[path, code]]);
    expect(events).toContainEqual(expect.objectContaining({ type: "drift", paths: [path] }));
    const off = await receive(area, body, { validation: { response: "off" } });
    expect(off.warnings).toEqual([]);
  });

  it.each(odd.filter(([area]) => area !== "flight/book"))(
    "%s: %s = %j is refused if the checks are strict",
    async (...row) => {
      const [area, path, value] = row;
      const call = receive(area, withValue(area, path, value), { validation: { response: "strict" } });
      const error = await errorOf(call, ResponseValidationError);
      expect(error).toMatchObject({ reason: "form", issues: [{ path: expect.anything() }] });
    },
  );

  it("ai: an invalid token as the parent of a first turn is two of them", async () => {
    const { warnings } = await receive("ai", withValue("ai", "parent_context_token", "svc-1"));
    expect(warnings.map(({ path, code }) => [path.join("."), code])).toEqual([
      ["parent_context_token", "parent_token_mismatch"],
      ["parent_context_token", "unexpected_format"],
    ]);
  });

  it("is a warning on an operation of your own, too", async () => {
    const api = answering({ status: "SUCCESS", status_code: "404" });
    expect((await api.send(made({ retry: "safe" }), {}).withResponse()).warnings).toMatchObject([
      { path: ["status_code"] },
    ]);
  });

  it("does not hide an essential field that is missing behind many odd ones", async () => {
    const body = sample<FareQuote>(good["flight/fare_quote"]);
    const [offer] = body.data.result;
    const negative = { ...offer, fare: { ...offer?.fare, total_fare: -1 } };
    const result = [...Array.from({ length: 200 }, () => negative), { ...offer, fare: { currency: "INR" } }];
    const call = receive("flight/fare_quote", { ...body, data: { ...body.data, result } });
    expect((await errorOf(call, ResponseValidationError)).message).toContain("data.result[200].fare.total_fare");
  });

  it("leaves flights comparable", () => {
    const [offer] = sample<FareQuote>(good["flight/fare_quote"]).data.result;
    const booked = withValue("flight/book", "data.result.segments.0.origin.airport_code", "DELHI") as Booking;
    if (offer === undefined) throw new Error("expected an offer");
    expect(compareBooking(offer, booked.data.result, []).notCompared).not.toContain("flights");
  });

  const samples = (Object.keys(calls) as Area[]).flatMap((area) =>
    readdirSync(new URL(`../../src/emulator/samples/${area}/`, import.meta.url))
      .filter((file) => /^(success|response-whole).*\.json$/.test(file))
      .filter((file) => !/inconsistent|without-pnr/.test(file))
      .map((file) => [area, file.replace(".json", "")] as const),
  );

  it.each(samples)("the sample %s/%s has none", async (area, name) => {
    const body = sample<Record<string, unknown>>(`${area}/${name}`);
    if (area === "verification") Object.assign(body, { clientData: { client_id: clientId, mobile: "6000000001" } });
    const { warnings } = await receive(area, body);
    expect(warnings.filter(({ code }) => code.startsWith("unexpected_"))).toEqual([]);
  });
});
