import { describe, expect, it } from "vitest";
import { ResponseValidationError } from "../../src/errors/index.ts";
import { checkout, memoryJournal } from "../../src/flights/index.ts";
import { type ClientEvent, type ClientOptions, ServiceApi } from "../../src/index.ts";

const search = { trace_id: "T", token: "S" };

function clientOf(body: object, options: ClientOptions = {}) {
  const fetch = async () => Response.json({ status: "SUCCESS", status_code: "200", message: "", ...body });
  return new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch, ...options });
}
const offer = { token: "q", fare: { currency: "INR", total_fare: 7480 } };
const rule = { origin: "DEL", destination: "BOM" };
const operations = [
  ["fareQuote", offer],
  ["fareRule", rule],
] as const;

describe("§4.4, §4.5: data.trace_id is the request value", () => {
  it.each(operations)("%s refuses a response for another trace", async (name, result) => {
    const api = clientOf({ data: { trace_id: "SOMEBODY-ELSES", result: [result] } });
    const error = await api.flights[name](search).catch((reason: unknown) => reason);
    expect(ResponseValidationError.isInstance(error) && error).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: ["data", "trace_id"], code: "trace_mismatch" })]),
      httpStatus: 200,
      isRetryable: false,
    });
    expect(String(error)).toContain("data.trace_id is not the trace_id that was sent");
    expect(String(error)).not.toContain("SOMEBODY-ELSES");
  });

  it.each(operations)(
    "%s accepts a response without a trace, and one with the trace of the request",
    async (name, result) => {
      for (const trace of [
        {},
        { trace_id: null },
        { trace_id: "" },
        { trace_id: { toString: 0 } },
        { trace_id: "T" },
      ]) {
        const { data } = await clientOf({ data: { ...trace, result: [result] } }).flights[name](search);
        expect(data.result).toEqual([result]);
      }
      const other = clientOf({ data: { trace_id: "X", result: [result] } });
      expect(await other.flights[name](search, { extraBody: { trace_id: "X" } })).toBeDefined();
      expect(await other.flights[name](search, { validation: { response: "off" } })).toBeDefined();
    },
  );

  it("a checkout refuses it too", async () => {
    const api = clientOf({ data: { trace_id: "SOMEBODY-ELSES", result: [offer] } });
    await expect(checkout(api, search, { journal: memoryJournal() }).quote()).rejects.toThrow(ResponseValidationError);
  });
});

describe("the parameters of a fare quote: a token and a price", () => {
  it.each([
    ["a price that is a string", { ...offer, fare: { currency: "INR", total_fare: "7480.00" } }],
    ["a price that is null", { ...offer, fare: { currency: "INR", total_fare: null } }],
    ["a fare without a price", { ...offer, fare: { currency: "INR" } }],
    ["no fare", { token: "q" }],
    ["no token", { fare: offer.fare }],
  ])("%s is refused", async (_case, result) => {
    const api = clientOf({ data: { trace_id: "T", result: [offer, result] } });
    await expect(api.flights.fareQuote(search)).rejects.toThrow(/data\.result\[1\]\.(fare|token)/);
  });

  it("everything else that differs is a warning, and onEvent is called with it", async () => {
    const events: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => void events.push(event);
    const api = clientOf({ data: { trace_id: "T", result: [{ ...offer, segments: "none" }] } }, { onEvent });
    const { warnings } = await api.flights.fareQuote(search).withResponse();
    expect(warnings.map(({ path }) => path.join("."))).toContain("data.result.0.segments");
    expect(events.map(({ type }) => type)).toContain("drift");
  });

  it("a fare rule needs only its list", async () => {
    const api = clientOf({ data: { trace_id: "T", result: [rule] } });
    expect((await api.flights.fareRule(search).withResponse()).warnings.length).toBeGreaterThan(0);
    await expect(clientOf({ data: { trace_id: "T" } }).flights.fareRule(search)).rejects.toThrow("data.result");
  });

  it("an empty list is a response", async () => {
    const api = clientOf({ data: { trace_id: "T", result: [] } });
    expect((await api.flights.fareQuote(search)).data.result).toEqual([]);
  });
});
