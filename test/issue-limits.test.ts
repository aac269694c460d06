import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import * as flights from "../src/flights/operations.ts";
import { type ClientEvent, ResponseValidationError } from "../src/index.ts";
import * as verification from "../src/verification/operations.ts";
import { samplePassengers } from "./flights/offers.ts";
import { clientOf, errorOf } from "./support/client.ts";
import { cpuTime } from "./support/cpu-time.ts";
import { made } from "./support/operations.ts";
import { answers } from "./support/outcome.ts";
import { startServer } from "./support/server.ts";

const list = (length: number, element: unknown = {}) => Array.from({ length }, () => element);

describe("the issues of a response", () => {
  it("are at most 100, and the last one says that there are more", async () => {
    const body = { status: "success", status_code: "101", data: { trace_id: "t", result: list(5_000) } };
    const issues = await issuesOf(flights.fareQuote.body, body);
    expect(issues.length).toBeLessThanOrEqual(100);
    expect(issues.at(-1)).toMatchObject({ code: "more_issues", message: expect.stringContaining("more issues") });
  });

  it("name every field that is wrong, however many issues come before it", async () => {
    const offer = { fare: { total_fare: "x" } };
    const issues = await issuesOf(flights.fareQuote.body, { data: { result: [...list(400, { token: "T" }), offer] } });
    const places = issues.map(({ path = [] }) => path.join("."));
    expect(places).toContain("data.result.400.token");
    expect(places).toContain("data.result.400.fare.total_fare");
  });

  it.each<[string, StandardSchemaV1, (length: number) => unknown]>([
    ["a list of offers", flights.fareQuote.body, (n) => ({ data: { result: list(n) } })],
    ["a booking's segments", flights.book.body, (n) => ({ data: { result: { pnr: "ABC123", segments: list(n) } } })],
    ["a list of VPAs", verification.findVpas.body, (n) => ({ vpaList: list(n * 20, 0) })],
  ])("cost linear time: %s", async (_case, schema, bodyOf) => {
    const timeOf = async (length: number) => {
      const body = bodyOf(length);
      const startedAt = cpuTime();
      await issuesOf(schema, body);
      return cpuTime() - startedAt;
    };
    await timeOf(2_500);
    const once = await timeOf(2_500);
    const many = await timeOf(40_000);
    expect(many).toBeLessThan(16 * 4 * Math.max(once, 5));
  });
});

describe("a response with a huge number of issues", () => {
  const booked = (segments: unknown) => ({
    status: "SUCCESS",
    status_code: "200",
    data: { trace_id: "T", result: { pnr: "ABC123", booking_id: 77, segments } },
  });
  const request = { trace_id: "T", token: "Q" as never, passengers: samplePassengers("oneway-adult") };

  it("does not keep a booking from its caller", async () => {
    const body = booked(list(10_000));
    const events: ClientEvent[] = [];
    const api = clientOf(await startServer(answers(200, body)), { onEvent: (event) => events.push(event) });
    const { data, warnings } = await api.flights.book(request).withResponse();
    expect(data).toEqual(body);
    expect(warnings.length).toBeGreaterThan(10);
    expect(warnings.length).toBeLessThanOrEqual(100);
    const drift = events.find((event) => event.type === "drift");
    expect(drift?.type === "drift" && drift.paths.length).toBeLessThanOrEqual(100);
  });

  it("does not keep a success from its caller when a check throws", async () => {
    const broken = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    const operation = made({
      isSuccess: () => true,
      validateEcho: broken,
      body: { "~standard": { version: 1, vendor: "by-hand", validate: broken } },
    });
    const server = await startServer(answers(200, { status: "SUCCESS", pnr: "ABC123" }));
    const { data, warnings } = await clientOf(server).send(operation, {}).withResponse();
    expect(data).toMatchObject({ pnr: "ABC123" });
    expect(warnings).toMatchObject([{ code: "not_checked" }, { code: "not_checked" }]);
  });

  it("is a ResponseValidationError with the body if it lacks what the caller asked for", async () => {
    const body = { status: "SUCCESS", status_code: "200", data: { trace_id: "T", result: list(20_000) } };
    const api = clientOf(await startServer(answers(200, body)));
    const error = await errorOf(api.flights.fareQuote({ trace_id: "T", token: "S" }), ResponseValidationError);
    expect(error.body).toEqual(body);
    expect(error.issues.length).toBeLessThanOrEqual(100);
    expect(error.message).toContain("data.result[0].token");
  });
});

async function issuesOf(schema: StandardSchemaV1, value: unknown): Promise<readonly StandardSchemaV1.Issue[]> {
  const result = await schema["~standard"].validate(value);
  return result.issues ?? [];
}
