import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import * as flights from "../src/flights/operations.ts";
import { type ClientEvent, ResponseValidationError } from "../src/index.ts";
import * as verification from "../src/verification/operations.ts";
import { samplePassengers } from "./flights/offers.ts";
import { clientOf, errorOf } from "./support/client.ts";
import { made } from "./support/operations.ts";
import { serve } from "./support/serve.ts";
import { answers, startServer } from "./support/server.ts";
import { throws } from "./support/throws.ts";

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

  it("say that there are more only if some were left out", async () => {
    const issuesWith = (odd: number) =>
      issuesOf(verification.findVpas.body, { vpaList: [...list(odd, 0), ...list(400, "asha@bank")] });
    const room = 95 - (await issuesWith(0)).length;
    expect((await issuesWith(room)).at(-1)).not.toMatchObject({ code: "more_issues" });
    expect((await issuesWith(room + 1)).at(-1)).toMatchObject({ code: "more_issues" });
  });

  it.each<[string, StandardSchemaV1, (list: readonly unknown[]) => unknown]>([
    ["an offer", flights.fareQuote.body, (result) => ({ data: { result } })],
    ["a rule", flights.fareRule.body, (result) => ({ data: { result } })],
    ["a segment", flights.book.body, (segments) => ({ data: { result: { pnr: "ABC123", segments } } })],
    ["a late segment", flights.fareQuote.body, (segments) => ({ data: { result: [...list(9), { segments }] } })],
  ])("are not looked for if none would be listed: in the fields of %s", async (_case, schema, bodyOf) => {
    let reads = 0;
    const read = (seen: unknown) => {
      reads += 1;
      return seen;
    };
    const counted = new Proxy({}, { get: () => read(undefined), has: () => read(false) === true });
    await issuesOf(schema, bodyOf(list(1_000, counted)));
    const first = reads;
    await issuesOf(schema, bodyOf(list(11_000, counted)));
    // A field without parts has its issue in the list; those with parts may yet have others in them.
    expect((reads - 2 * first) / 10_000).toBeLessThan(7);
  });

  it("are not looked for in the rest of a list whose elements have no parts", async () => {
    let reads = 0;
    const vpaList = new Proxy(list(50_000, 0), {
      get: (target, name) => {
        reads += 1;
        return Reflect.get(target, name);
      },
    });
    await issuesOf(verification.findVpas.body, { vpaList });
    expect(reads).toBeLessThan(1_000);
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
    const broken = throws(new RangeError("Maximum call stack size exceeded"));
    const operation = made({
      isSuccess: () => true,
      body: { "~standard": { version: 1, vendor: "by-hand", validate: broken } },
    });
    const { api } = await serve(answers(200, { status: "SUCCESS", pnr: "ABC123" }));
    const { data, warnings } = await api.send(operation, {}).withResponse();
    expect(data).toMatchObject({ pnr: "ABC123" });
    expect(warnings).toMatchObject([{ code: "not_checked" }]);
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
