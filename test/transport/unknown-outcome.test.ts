import { describe, expect, it, vi } from "vitest";
import {
  AbortError,
  ApiError,
  BookingOutcomeUnknownError,
  ConnectionError,
  InvalidRequestError,
  type Outcome,
  ResponseValidationError,
  ServiceApiError,
} from "../../src/errors/index.ts";
import type { BookParams } from "../../src/index.ts";
import { clientOf, errorOf, failureOf, nowhere, sample } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { type Fields, made } from "../support/operations.ts";
import { expectNoSecret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers, deadAddress, reset, stalls, succeeds } from "../support/server.ts";
import { throws } from "../support/throws.ts";

/** The error of the made-up operation below. */
class LookItUpError extends ServiceApiError {
  override get name(): string {
    return "LookItUpError";
  }
}

const toUnknownOutcomeError = vi.fn(
  (error: ServiceApiError, call: { readonly body: Readonly<Fields>; readonly sentAt: number }) =>
    new LookItUpError("connection", { message: `look up ${call.body.order}`, outcome: "unknown", cause: error }),
);
/** Like `book`: sent once; a response that names what was made is returned unless it says that it failed. */
const pay = made({
  name: "test.pay",
  isSuccess: ({ body, verdict }) =>
    typeof (body as Fields).receipt === "string" && (verdict === "success" || verdict === "unknown"),
  toUnknownOutcomeError,
});

describe("the outcome of an operation that is sent once, first match", () => {
  it.each<[string, Answer]>([
    ["under HTTP 200", answers(200, { status: "SUCCESS", receipt: "R1" })],
    ["under HTTP 400", answers(400, { status: "SUCCESS", receipt: "R1" })],
    ["under HTTP 303", answers(303, { status: "SUCCESS", receipt: "R1" }, { location: "/x" })],
    ["under HTTP 307", answers(307, { receipt: "R1" }, { location: "https://other.example" })],
    ["under HTTP 503", answers(503, { receipt: "R1" }, { "retry-after": "0" })],
    ["under HTTP 401", answers(401, { receipt: "R1" })],
  ])("a response that names it is returned: %s", async (_case, answer) => {
    const { server, api } = await serve(answer);
    expect(await api.send(pay, { order: "o-1" })).toMatchObject({ receipt: "R1" });
    expect(server.requests).toHaveLength(1);
  });

  it("with its differences as warnings, even if they would otherwise be refused", async () => {
    const odd = made({
      ...pay,
      body: { "~standard": { version: 1, vendor: "t", validate: () => ({ issues: [{ message: "odd" }] }) } },
      essential: ["receipt"],
    });
    const { api } = await serve(answers(200, { receipt: "R1" }), { validation: { response: "strict" } });
    expect((await api.send(odd, {}).withResponse()).warnings).toEqual([
      { path: [], message: "odd", code: "custom" },
      { path: ["status"], message: "does not say success", code: "unexpected_status" },
    ]);
  });

  const unknown: [string, Answer, string][] = [
    ["in progress", answers(200, { status: "PROCESSING" }), "in_progress"],
    ["in part", answers(200, { status: "FAILED", message: "Partially booked" }), "in_progress"],
    [
      "under FAILED, though it is named",
      answers(200, { status: "FAILED", status_code: "409", receipt: "R1" }),
      "duplicate",
    ],
    ["under pending, though it is named", answers(200, { status: "PENDING", receipt: "R1" }), "in_progress"],
    ["HTTP 409", answers(409, { status: "FAILED" }), "duplicate"],
    ["HTTP 302", answers(302, "", { location: "/x" }), "unknown"],
    ["HTTP 303", answers(303, "", { location: "/x" }), "unknown"],
    ["HTTP 400 cut in the middle", answers(400, '{"receipt":"R'), "unexpected_response"],
    ["HTTP 308 cut in the middle", answers(308, '{"receipt":"R'), "unknown"],
    ["HTTP 400 without a word", answers(400, { status: "FAILED" }), "invalid"],
    ["FAILED without a word", answers(200, { status: "FAILED", status_code: "400" }), "invalid"],
    ["HTTP 400 with a web page", answers(400, "<html></html>"), "invalid"],
    ["HTTP 422 without a body", answers(422, ""), "invalid"],
    ["HTTP 402", answers(402, { status: "FAILED" }), "insufficient_balance"],
    ["HTTP 301 with a word", answers(301, { status: "FAILED" }, { location: "/x" }), "unknown"],
    ["HTTP 408", answers(408, { status: "FAILED" }), "unavailable"],
    ["the code 408 in a 200", answers(200, { status: "FAILED", status_code: "408" }), "unavailable"],
    ["HTTP 500", answers(500, { status: "FAILED" }), "unavailable"],
    ["HTTP 500 with a body that says 400", answers(500, { status: "FAILED", status_code: "400" }), "invalid"],
    ["the code 500 in a 200", answers(200, { status: "FAILED", status_code: "500" }), "unavailable"],
    ["HTTP 502 with a web page", answers(502, "<html></html>"), "unexpected_response"],
    ["HTTP 503 with Retry-After", answers(503, {}, { "retry-after": "0" }), "unavailable"],
    ["HTTP 504 without a body", answers(504, ""), "unexpected_response"],
    ["an empty 200", answers(200, ""), "unexpected_response"],
    ["a web page under 200", answers(200, "<html></html>"), "unexpected_response"],
    ["a 200 cut in the middle", answers(200, '{"receipt":"R'), "unexpected_response"],
    ["a success that names nothing", succeeds, "response_validation"],
    ["an answer without status that names nothing", answers(200, {}), "response_validation"],
    ["a success under HTTP 400 that names nothing", answers(400, { status: "SUCCESS" }), "unexpected_response"],
    ["a connection that is reset", reset, "connection"],
    ["no answer in time", () => {}, "timeout"],
  ];

  it.each(unknown)("%s: unknown, explained by the operation, sent once", async (_case, answer, kind) => {
    const { server, api } = await serve(answer);
    const call = api.send(pay, { order: "o-1" }, { timeout: kind === "timeout" ? 250 : 30_000 });
    const error = await failureOf(call, LookItUpError);
    expect(error.message).toBe("look up o-1");
    expect(error.cause).toMatchObject({ kind, outcome: "unknown", attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("an abort after the call was handed to fetch: unknown", async () => {
    const { server, api } = await serve(stalls);
    const controller = new AbortController();
    const failure = failureOf(api.send(pay, {}, { signal: controller.signal }), LookItUpError);
    await server.received(1);
    controller.abort();
    expect((await failure).cause).toBeInstanceOf(AbortError);
  });

  const rejected: [string, Answer, Outcome, number | undefined][] = [
    [
      "FAILED in a 200 that says why",
      answers(200, { status: "FAILED", status_code: "400", message: "order is required" }),
      "rejected",
      200,
    ],
    ["HTTP 400 in words", answers(400, "Missing required field: order"), "rejected", 400],
    ["HTTP 415 without a body", answers(415, ""), "rejected", 415],
  ];
  it.each(rejected)("%s: rejected", async (_case, answer, outcome, httpStatus) => {
    const { api } = await serve(answer);
    const error = await failureOf(api.send(pay, { order: "o-1" }), InvalidRequestError);
    expect(error).toMatchObject({ outcome, httpStatus });
  });

  it.each([301, 307, 401, 403, 404, 405, 429])("HTTP %i without a word: rejected", async (status) => {
    const body = status < 400 ? "" : { status: "FAILED" };
    const { server, api } = await serve(answers(status, body, { location: "/x" }));
    const error = await errorOf(api.send(pay, {}));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.outcome).toBe("rejected");
    expect(server.requests).toHaveLength(1);
  });

  it("a connection that was certainly never made: notSent", async () => {
    const error = await failureOf(clientOf({ url: deadAddress }).send(pay, {}), ConnectionError);
    expect(error).toMatchObject({ outcome: "notSent", isRetryable: true, attempts: 1 });
  });

  it("an abort before fetch: notSent", async () => {
    const error = await failureOf(clientOf(nowhere).send(pay, {}, { signal: AbortSignal.abort() }), AbortError);
    expect(error).toMatchObject({ outcome: "notSent", attempts: 0 });
  });
});

describe("the call as an operation's hooks see it", () => {
  it("an explanation that throws leaves the error that it was to explain", async () => {
    const { api } = await serve(reset);
    const broken = made({
      toUnknownOutcomeError: throws(new TypeError("broken")),
    });
    expect(await failureOf(api.send(broken, {}), ConnectionError)).toMatchObject({ outcome: "unknown" });
  });

  it("is the body as it was sent, and when", async () => {
    const { server, api } = await serve(reset);
    stopClock("Date");
    await api.send(pay, { order: "o-2" }, { extraBody: { more: 1 } }).catch(() => {});
    const [error, call] = toUnknownOutcomeError.mock.lastCall ?? [];
    expect(call?.body).toEqual(JSON.parse(server.requests[0]?.body ?? ""));
    expect(call?.sentAt).toBe(vi.getMockedSystemTime()?.getTime());
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it("an explanation that is not an error leaves the error that it was to explain", async () => {
    const { api } = await serve(reset);
    const asynchronous = async () => Promise.reject(new Error("too late"));
    const broken = made({ toUnknownOutcomeError: asynchronous as never });
    expect(await failureOf(api.send(broken, {}), ConnectionError)).toMatchObject({ outcome: "unknown" });
  });

  it("an operation that explains nothing throws the error itself", async () => {
    const { api } = await serve(answers(200, {}));
    const plain = made({ isSuccess: () => false });
    expect((await failureOf(api.send(plain, {}), ResponseValidationError)).outcome).toBe("unknown");
  });
});

describe("§4.3: a booking is sent once, whatever happens", () => {
  const { token, trace_id, passengers } = sample("flight/book/request-oneway-adult");
  const params = { token, trace_id, passengers } as unknown as BookParams;

  it.each<[string, Answer, Outcome]>([
    ["a reset", reset, "unknown"],
    ["HTTP 500", answers(500, { status: "FAILED" }), "unknown"],
    ["HTTP 503 with Retry-After", answers(503, {}, { "retry-after": "0" }), "unknown"],
    ["HTTP 502 with a web page", answers(502, "<html></html>"), "unknown"],
    ["HTTP 200 cut in the middle", answers(200, '{"status":"SUCC'), "unknown"],
    ["no answer in time", () => {}, "unknown"],
    ["HTTP 429 with Retry-After", answers(429, {}, { "retry-after": "0" }), "rejected"],
    ["HTTP 307", answers(307, "", { location: "/flight/book" }), "rejected"],
    ["HTTP 421", answers(421, { status: "FAILED" }), "unknown"],
  ])("%s", async (_case, answer, outcome) => {
    const { server, api } = await serve(answer, { maxRetries: 5 });
    const call = api.flights.book(params, { timeout: 300, maxRetries: 5 });
    const error = await errorOf(call);
    expect(error.outcome).toBe(outcome);
    expect(error instanceof BookingOutcomeUnknownError).toBe(outcome === "unknown");
    expect(error.clientReferenceId).toHaveLength(26);
    expectNoSecret(error);
    expect(server.requests).toHaveLength(1);
  });

  it("a connection that was never made: the booking was not sent", async () => {
    const call = clientOf({ url: deadAddress }).flights.book(params);
    expect(await failureOf(call, ConnectionError)).toMatchObject({ outcome: "notSent", attempts: 1 });
  });
});
