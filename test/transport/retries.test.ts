import { describe, expect, it } from "vitest";
import { remedyOf } from "../../src/errors/base.ts";
import {
  type ApiErrorKind,
  AuthenticationError,
  ConnectionError,
  InsufficientBalanceError,
  type Outcome,
  RateLimitError,
  ServiceApiError,
  ServiceUnavailableError,
  TimeoutError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import { type AttemptFailure, isRetryable } from "../../src/transport/retry-policy.ts";
import { clientOf, errorOf, failureOf, nowhere } from "../support/client.ts";
import { type Fields, ifNotProcessed, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers, breaksOff, deadAddress, inTurn, reset, stalls } from "../support/server.ts";

const success = { status: "SUCCESS", status_code: "200" };
const classes = { safe, ifNotProcessed, never };

function refusal(kind: ApiErrorKind, code: number, retryAfter?: number): AttemptFailure {
  return { remedy: remedyOf(kind), code, retryAfter };
}

describe("retries by class", () => {
  const rows: readonly [AttemptFailure, readonly boolean[]][] = [
    //                                                         safe, ifNotProcessed, never
    ["notSent", [true, true, true]],
    ["lost", [true, false, false]],
    [refusal("invalid", 400), [false, false, false]],
    [refusal("invalid", 400, 1), [false, false, false]],
    [refusal("invalid", 401), [false, false, false]],
    [refusal("invalid", 404), [false, false, false]],
    [refusal("invalid", 409), [false, false, false]],
    [refusal("invalid", 408), [true, false, false]],
    [refusal("invalid", 429), [true, true, true]],
    [refusal("invalid", 500), [true, false, false]],
    [refusal("invalid", 501), [false, false, false]],
    [refusal("invalid", 502), [true, false, false]],
    [refusal("invalid", 503), [true, false, false]],
    [refusal("invalid", 503, 0), [true, true, false]],
    [refusal("invalid", 504), [true, false, false]],
    [refusal("unknown", 499), [false, false, false]],
    [refusal("unknown", 500, 1_000), [true, false, false]],
    // Of another code, the kind of the refusal decides for a call that is safe to repeat.
    [refusal("unavailable", 200), [true, false, false]],
    [refusal("rate_limited", 403), [true, false, false]],
    [refusal("unavailable", 501), [false, false, false]],
    [refusal("duplicate", 409), [false, false, false]],
    [refusal("in_progress", 409), [false, false, false]],
    // A call that may have an effect is not retried once it is done or under way, whatever the code.
    [refusal("duplicate", 429, 1_000), [true, false, false]],
    [refusal("duplicate", 503, 1_000), [true, false, false]],
    [refusal("in_progress", 429, 1_000), [true, false, false]],
    [refusal("in_progress", 503, 1_000), [true, false, false]],
  ];

  it.each(rows)("`isRetryable` after %j", (failure, [harmless, maybe, once]) => {
    expect(isRetryable("safe", failure, "rejected")).toBe(harmless);
    expect(isRetryable("ifNotProcessed", failure, "rejected")).toBe(maybe);
    expect(isRetryable("never", failure, "rejected")).toBe(once);
  });
});

describe("the exact number of requests, counted at the server", () => {
  /** Each with the classes that are retried after it. */
  const faults: Record<string, [fault: Answer, ...retried: (keyof typeof classes)[]]> = {
    reset: [reset, "safe"],
    "reset in mid-body": [breaksOff('{"status":'), "safe"],
    "a body cut short": [breaksOff('{"status":', (response) => response.destroy()), "safe"],
    "a body cut after a brace": [answers(200, '{"status":"SUCCESS","data":{"a":1}'), "safe"],
    stall: [stalls, "safe"],
    "408": [answers(408, { status: "FAILED" }), "safe"],
    "429": [answers(429, { status: "FAILED" }), "safe", "ifNotProcessed"],
    "500": [answers(500, { status: "FAILED" }), "safe"],
    "502 HTML": [answers(502, "<html>Bad gateway</html>", { "content-type": "text/html" }), "safe"],
    "503": [answers(503, { status: "FAILED" }), "safe"],
    "503 with Retry-After": [answers(503, { status: "FAILED" }, { "retry-after": "0" }), "safe", "ifNotProcessed"],
    "504 empty": [answers(504, ""), "safe"],
    "FAILED 503 in a 200": [answers(200, { status: "FAILED", status_code: "503" }), "safe"],
    "FAILED 500 as a number in a 200": [answers(200, { status: "failed", statusCode: 500 }), "safe"],
    "400": [answers(400, { status: "FAILED" })],
    "401": [answers(401, { status: "FAILED" })],
    "501": [answers(501, { status: "FAILED" })],
    "FAILED in a 200": [answers(200, { status: "FAILED" })],
    "pending in a 200": [answers(200, { status: "pending" })],
    "HTML in a 200": [answers(200, "<!doctype html><p>Hello")],
    "empty 200": [answers(200, "")],
  };

  for (const [name, operation] of Object.entries(classes)) {
    it.each(Object.entries(faults))(`${name}: %s`, async (fault, [answer, ...retried]) => {
      const { server, api } = await serve(answer);
      const timeout = fault === "stall" ? 250 : 30_000;
      const error = await errorOf(api.send(operation, {}, { timeout }));
      expect(ServiceApiError.isInstance(error)).toBe(true);
      expect(server.requests).toHaveLength(retried.includes(operation.retry) ? 3 : 1);
      expect(error.attempts).toBe(server.requests.length);
    });
  }

  it.each(Object.keys(classes) as (keyof typeof classes)[])("%s: a refused connection", async (name) => {
    const api = clientOf({ url: deadAddress });
    const error = await failureOf(api.send(classes[name], {}), ConnectionError);
    expect(error).toMatchObject({
      code: "ECONNREFUSED",
      outcome: "notSent",
      isRetryable: true,
      attempts: name === "never" ? 1 : 3,
    });
    expect(error.message).toMatch(/nothing was sent/i);
  });

  it("a host name that is not found", async () => {
    const api = clientOf({ url: "https://serviceapi-test.invalid" });
    const error = await failureOf(api.send(ifNotProcessed, {}), ConnectionError);
    expect(error).toMatchObject({ outcome: "notSent", attempts: 3 });
    expect(error.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it.each([0, 1, 2, 5])("maxRetries: %i is one request more", async (maxRetries) => {
    const { server, api } = await serve(answers(503, {}), { maxRetries });
    await failureOf(api.send(safe, {}), ServiceUnavailableError);
    expect(server.requests).toHaveLength(maxRetries + 1);
  });

  it("maxRetries has no effect on a class that is never retried", async () => {
    const { server, api } = await serve(answers(429, {}, { "retry-after": "0" }), { maxRetries: 5 });
    await failureOf(api.send(never, {}, { maxRetries: 9 }), RateLimitError);
    expect(server.requests).toHaveLength(1);
  });

  it("stops at the first response", async () => {
    const { server, api } = await serve(inTurn(reset, answers(200, success)));
    const { data, attempts } = await api.send(safe, {}).withResponse();
    expect(data).toEqual(success);
    expect(attempts).toBe(2);
    expect(server.requests).toHaveLength(2);
  });

  it("stops at the first error that a retry cannot fix", async () => {
    const { api } = await serve(inTurn(answers(503, { status: "FAILED" }), answers(404, { status: "FAILED" })));
    await expect(api.send(safe, {})).rejects.toMatchObject({ kind: "not_found", attempts: 2 });
  });

  const refusal = (status: number) => Response.json({ status: "FAILED" }, { status });
  const broken = (code: string) => Promise.reject(Object.assign(new TypeError("x"), { code }));
  const attempts = {
    lost: [() => broken("ECONNRESET"), ConnectionError],
    refused: [async () => refusal(429), RateLimitError],
    "refused for good": [async () => refusal(401), AuthenticationError],
    "a web page": [async () => new Response("<html>", { status: 401 }), UnexpectedResponseError],
    "not sent": [() => broken("ECONNREFUSED"), ConnectionError],
  } as const;

  it.each<[(keyof typeof attempts)[], keyof typeof attempts, Outcome]>([
    [["not sent"], "not sent", "notSent"],
    [["refused"], "not sent", "rejected"],
    [["refused", "not sent"], "not sent", "rejected"],
    [["not sent", "refused"], "not sent", "rejected"],
    [["lost"], "not sent", "unknown"],
    [["lost", "refused"], "not sent", "unknown"],
    [["refused", "lost", "not sent"], "not sent", "unknown"],
    [["lost"], "refused", "unknown"],
    [["not sent"], "refused", "rejected"],
    [["lost"], "refused for good", "unknown"],
    [["lost"], "a web page", "unknown"],
    [["not sent"], "a web page", "rejected"],
  ])(
    "remembers what earlier attempts may have done, whichever way the last one ends: %j, then %s",
    async (earlier, last, outcome) => {
      let n = 0;
      const fetch = () => attempts[earlier[n++] ?? last][0]();
      const api = clientOf(nowhere, { fetch, maxRetries: earlier.length });
      const error = await failureOf<ServiceApiError>(api.send(safe, {}), attempts[last][1]);
      expect(error).toMatchObject({ attempts: earlier.length + 1, outcome });
      if (outcome === "unknown") expect(error.message).not.toContain("Nothing was done");
    },
  );

  it("a refusal after an attempt that may have taken effect says so", async () => {
    const refused = { status: "FAILED", status_code: "402", message: "No funds." };
    const { api } = await serve(inTurn(answers(503, {}, { "retry-after": "0" }), answers(402, refused)));
    const error = await failureOf(api.send(ifNotProcessed, {}), InsufficientBalanceError);
    expect(error).toMatchObject({ attempts: 2, outcome: "unknown", isRetryable: false });
    expect(error.message).toContain(
      "Add funds to the account first. It may have been carried out: look it up by its `client_referenceId` before you retry.",
    );
  });
});

describe("`never` is sent once, whatever the connection does", () => {
  it("on a kept-alive connection that dies after the request was received", async () => {
    const { server, api } = await serve(inTurn(answers(200, success), reset));
    await api.send(never, {});
    const error = await failureOf(api.send(never, {}), ConnectionError);
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: false, attempts: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it("after HTTP 421, which makes Node's own fetch send again", async () => {
    const { server, api } = await serve(answers(421, { status: "FAILED", status_code: "421" }));
    await expect(api.send(never, { name: "आशा" })).rejects.toMatchObject({ httpStatus: 421 });
    expect(server.requests).toHaveLength(1);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ name: "आशा" });
    expect(server.requests[0]?.headers).not.toHaveProperty("transfer-encoding");
  });
});

describe("a retry sends the same request", () => {
  it("byte for byte, with the same client_referenceId", async () => {
    const { server, api } = await serve(inTurn(answers(503, success), answers(503, success), answers(200, success)));
    const params: Fields = { trace_id: "t-1", note: "नमस्ते" };
    const { clientReferenceId } = await api.send(safe, params).withResponse();
    const [first, ...others] = server.requests;
    expect(others).toHaveLength(2);
    for (const other of others) {
      expect(other.body).toBe(first?.body);
      expect(other.rawHeaders).toEqual(first?.rawHeaders);
    }
    expect(JSON.parse(first?.body ?? "")).toEqual({ ...params, client_referenceId: clientReferenceId });
  });

  it("as it was at the time of the call, even if the caller changes the object meanwhile", async () => {
    const { server, api } = await serve(inTurn(answers(503, success), answers(200, success)));
    const params: Fields = { nested: { value: 1 } };
    const call = api.send(safe, params);
    params.nested = "changed";
    await call;
    expect(server.requests.map(({ body }) => JSON.parse(body).nested)).toEqual([{ value: 1 }, { value: 1 }]);
  });
});

describe("what `isRetryable` says to the caller", () => {
  it.each([
    [safe, true],
    [ifNotProcessed, false],
    [never, false],
  ])("a timeout of $name: %j", async (operation, retryable) => {
    const { api } = await serve(stalls);
    const error = await failureOf(api.send(operation, {}, { maxRetries: 0, timeout: 30 }), TimeoutError);
    expect(error.isRetryable).toBe(retryable);
  });

  it("does not retry a web page under HTTP 200", async () => {
    const { api } = await serve(answers(200, "<html></html>"));
    expect((await failureOf(api.send(safe, {}), UnexpectedResponseError)).isRetryable).toBe(false);
  });
});

describe("a refusal of a call that is sent once, under a code that asks to try again", () => {
  it.each([
    ["Too many requests", "rejected", true],
    ["Seat 12A was booked, then throttled", "unknown", false],
  ])("%s: the outcome is %s, and isRetryable is %s", async (message, outcome, isRetryable) => {
    const { server, api } = await serve(answers(429, { status: "FAILED", status_code: "429", message }));
    const error = await errorOf(api.send(never, {}), ServiceApiError);
    expect(error).toMatchObject({ outcome, isRetryable });
    expect(server.requests).toHaveLength(1);
  });
});
