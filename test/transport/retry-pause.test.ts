import { describe, expect, it, vi } from "vitest";
import { AbortError, RateLimitError, ServiceUnavailableError } from "../../src/errors/index.ts";
import type { ClientEvent } from "../../src/index.ts";
import { ServiceApi } from "../../src/service-api.ts";
import { defaultRetryDelay, parseRetryAfter } from "../../src/transport/retry-policy.ts";
import { failureOf } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { gate } from "../support/gate.ts";
import { safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers, inTurn, reply } from "../support/server.ts";

const success = { status: "SUCCESS", status_code: "200" };

describe("the pause before a retry", () => {
  it("grows exponentially from 500 ms to 8 s, with full jitter", () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    expect([1, 2, 3, 4, 5, 6, 60].map(defaultRetryDelay)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    random.mockReturnValue(0);
    expect(defaultRetryDelay(5)).toBe(0);
  });

  it.each([
    ["0", 0],
    ["2", 2_000],
    [" 120 ", 120_000],
    ["1.5", 1_500],
    ["1.25", 1_250],
    ["on Sat, 21 Nov 2026 06:00:10 GMT", undefined],
    ["Sat, 21 Nov 2026 06:00:10 GMT", 10_000],
    ["Sat, 21 Nov 2026 05:00:00 GMT", 0],
    [null, undefined],
    ["", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["9999999999", 9_999_999_999_000],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["5, 10", 10_000],
    ["soon, 5", 5_000],
    ["Sat, 21 Nov 2026 06:00:10 GMT, 3", 10_000],
    ["Saturday, 21-Nov-26 06:00:10 GMT", 10_000],
    ["Sat Nov 21 06:00:10 2026", 10_000],
    ["Thu Nov  5 06:00:10 2026", 0],
    [",", undefined],
    ["2026-11-21", undefined],
    ["Sat, 99 Nov 2026 99:00:10 GMT", undefined],
  ])("Retry-After %j is %j milliseconds", (header, ms) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 10, 21, 6, 0, 0))).toBe(ms);
  });

  const retries = async (header: string | undefined, status: number, contentType = "application/json") => {
    const events: ClientEvent[] = [];
    const controller = new AbortController();
    const { server, api } = await serve(
      (response, _request, n) => {
        const headers = { "content-type": contentType, ...(header !== undefined && { "retry-after": header }) };
        if (n === 1) reply(response, status, contentType.includes("html") ? "<html></html>" : {}, headers);
        else reply(response, 200, success);
      },
      {
        retryDelay: () => 7,
        onEvent(event) {
          events.push(event);
          if (event.type === "retry" && event.delay > 1_000) controller.abort();
        },
      },
    );
    const outcome = await api.send(safe, {}, { signal: controller.signal }).then(
      () => "answered",
      (error: unknown) => error,
    );
    return { outcome, retry: events.find((event) => event.type === "retry"), requests: server.requests.length };
  };

  it.each([429, 503, 500])("Retry-After counts under HTTP %i", async (status) => {
    expect(await retries("0", status)).toMatchObject({ outcome: "answered", retry: { delay: 0, attempt: 1 } });
    expect(await retries("30", status)).toMatchObject({ retry: { delay: 30_000 } });
  });

  it.each(["1764387600000", "Sat, 21 Nov 2099 06:00:10 GMT", "5, 3600"])(
    "%s is longer than any pause: the error comes at once",
    async (header) => {
      const { outcome, retry, requests } = await retries(header, 429);
      expect(outcome).toBeInstanceOf(RateLimitError);
      expect(outcome).toMatchObject({ retryAfter: expect.toSatisfy((ms) => ms >= 3_600_000) });
      expect([retry, requests]).toEqual([undefined, 1]);
    },
  );

  it("Retry-After may be a date", async () => {
    stopClock("Date");
    vi.setSystemTime("2026-11-20T06:00:00Z");
    const { retry } = await retries("Fri, 20 Nov 2026 06:00:40 GMT", 503);
    expect(retry).toMatchObject({ delay: 40_000 });
  });

  it.each(["soon", "-1", undefined])("without a readable one (%j), `retryDelay` decides", async (header) => {
    expect(await retries(header, 503)).toMatchObject({
      outcome: "answered",
      retry: { delay: 7, reason: "unavailable" },
    });
  });

  it.each([
    ["JSON", "application/json"],
    ["a gateway's web page", "text/html"],
  ])("beyond 60 s the error comes at once, with `retryAfter` on it: %s", async (_case, contentType) => {
    const { outcome, retry, requests } = await retries("61", 503, contentType);
    expect(outcome).toMatchObject({ retryAfter: 61_000, isRetryable: true, attempts: 1 });
    expect(retry).toBeUndefined();
    expect(requests).toBe(1);
  });

  it("Retry-After counts on a gateway's web page too", async () => {
    expect(await retries("30", 503, "text/html")).toMatchObject({ retry: { delay: 30_000 } });
  });

  it("a `Retry-After` of just `maxRetryAfter` is waited for", async () => {
    const { api } = await serve(inTurn(answers(429, {}, { "retry-after": "0.05" }), answers(200, success)), {
      maxRetryAfter: 50,
    });
    const { attempts } = await api.send(safe, {}).withResponse();
    expect(attempts).toBe(2);
  });

  it("`maxRetryAfter` moves that limit", async () => {
    const { api } = await serve(answers(429, {}, { "retry-after": "2" }), { maxRetryAfter: 1_999 });
    const error = await failureOf(api.send(safe, {}), RateLimitError);
    expect(error).toMatchObject({ retryAfter: 2_000, attempts: 1 });
  });

  it("`retryDelay` is asked with the number of the retry", async () => {
    const retryDelay = vi.fn(() => 0);
    const { api } = await serve(answers(503, {}), { retryDelay });
    await failureOf(api.send(safe, {}), ServiceUnavailableError);
    expect(retryDelay.mock.calls).toEqual([[1], [2]]);
  });

  it("is decided once for each failure, even for asResponse()", async () => {
    const delays = [0, 60_000];
    const retryDelay = vi.fn(() => delays.shift() ?? 60_000);
    const { server, api } = await serve(answers(503, {}), { retryDelay, totalTimeout: 30_000 });
    const response = await api.send(safe, {}).asResponse();
    expect(response.status).toBe(503);
    expect(retryDelay).toHaveBeenCalledTimes(2);
    expect(server.requests).toHaveLength(2);
  });

  it("needs no `fetch` but the one that was passed", async () => {
    const responses = [Response.json({}, { status: 503 }), Response.json(success)];
    vi.stubGlobal("fetch", undefined);
    const fetch = async () => responses.shift() ?? Response.error();
    const api = new ServiceApi({
      baseUrl: "https://api.example.com",
      clientId: "a",
      clientSecret: "a-secret",
      retryDelay: () => 0,
      fetch,
    });
    expect((await api.send(safe, {}).withResponse()).attempts).toBe(2);
  });

  it("without `retryDelay` the default is used", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    const { api } = await serve(inTurn(answers(500, success), answers(200, success)), { retryDelay: undefined });
    await api.send(safe, {});
    expect(random).toHaveBeenCalled();
  });

  it("an abort ends it immediately", async () => {
    const pausing = gate();
    const controller = new AbortController();
    const { server, api } = await serve(answers(503, {}, { "retry-after": "50" }), {
      onEvent: (event) => event.type === "retry" && pausing.open(),
    });
    const failure = failureOf(api.send(safe, {}, { signal: controller.signal }), AbortError);
    await pausing.opened;
    controller.abort("enough");
    const error = await failure;
    expect(error).toMatchObject({ phase: "backoff", reason: "enough", attempts: 1, outcome: "unknown" });
    expect(error.message).toContain("while waiting to retry");
    expect(error.cause).toMatchObject({ kind: "unavailable", httpStatus: 503, outcome: "unknown" });
    expect(server.requests).toHaveLength(1);
  });

  it("does not start if the call would end before it", async () => {
    const { server, api } = await serve(answers(503, {}), {
      retryDelay: (retry) => (retry === 1 ? 0 : 10_000),
      totalTimeout: 5_000,
    });
    await failureOf(api.send(safe, {}), ServiceUnavailableError);
    expect(server.requests).toHaveLength(2);
  });
});
