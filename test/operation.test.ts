import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  ConfigurationError,
  RequestValidationError,
  ResponseValidationError,
  type ServiceApiError,
} from "../src/errors/index.ts";
import { book, createResponse, defineOperation, fareQuote, fareRule, findVpas, quoteToken } from "../src/index.ts";
import { clientOf, errorOf, failureOf, nowhere, sample } from "./support/client.ts";
import { schemaOf } from "./support/operations.ts";
import { serve } from "./support/serve.ts";
import { answers, reply, startServer, succeeds } from "./support/server.ts";

describe("defineOperation", () => {
  it("has safe defaults: sent once, nothing essential, 60 s, a reference", () => {
    const params = schemaOf<object>();
    const body = schemaOf<object>();
    const operation = defineOperation({ name: "payouts.status", area: "flights", path: "payout/status", params, body });
    expect(Object.fromEntries(Object.entries(operation))).toEqual({
      name: "payouts.status",
      area: "flights",
      path: "payout/status",
      params,
      body,
      essential: [],
      echo: [],
      retry: "never",
      timeout: 60_000,
      autofill: ["client_referenceId"],
    });
  });

  it("keeps copies of its lists, which nobody can change", () => {
    const echo = [{ response: "id", request: "id", onMismatch: "refused" } as const];
    const operation = defineOperation({ name: "payouts.status", path: "payout/status", essential: [], echo });
    echo.length = 0;
    expect(operation.echo).toEqual([{ response: "id", request: "id", onMismatch: "refused" }]);
    expect([operation.echo, operation.echo[0], operation.essential, operation.autofill].every(Object.isFrozen)).toBe(
      true,
    );
  });

  it("needs a name and a path alone: an area without a prefix, no schemas, sent once", () => {
    const operation = defineOperation({ name: "payouts.status", path: "payout/status" });
    expect(Object.fromEntries(Object.entries(operation))).toEqual({
      name: "payouts.status",
      area: "none",
      path: "payout/status",
      params: expect.anything(),
      body: expect.anything(),
      essential: [],
      echo: [],
      retry: "never",
      timeout: 60_000,
      autofill: ["client_referenceId"],
    });
  });

  it.each([
    "",
    "/payout",
    "a//b",
    "../x",
    "a/..",
    "./a",
    "a?b=1",
    "a#b",
    "https://evil.example/x",
    "a b",
    "a\\b",
    "%2e%2e/x",
    ".%2e/x",
    "a/%2E./b",
    "a/%2e",
  ])("refuses the path %j", (path) => {
    const given = { name: "a", area: "ai", path, params: schemaOf<object>(), body: schemaOf<object>() } as const;
    expect(() => defineOperation(given)).toThrow("`path` must be a path below `baseUrl`");
  });

  it.each(["p", "payout/status", "v2.1/payout-status/", "a..b/%20", "users/@me:list"])(
    "accepts the path %j",
    (path) => {
      const given = { name: "a", area: "ai", path, params: schemaOf<object>(), body: schemaOf<object>() } as const;
      expect(defineOperation(given).path).toBe(path);
    },
  );

  it("keeps what is passed, and the result cannot be changed", () => {
    const given = {
      name: "a",
      area: "ai",
      path: "p",
      params: schemaOf<object>(),
      body: schemaOf<object>(),
      essential: ["x"],
      echo: [{ response: "x", request: "y", onMismatch: "refused" }],
      retry: "safe",
      timeout: 5,
      autofill: [],
      toUnknownOutcomeError: (error: ServiceApiError) => error,
    } as const;
    const normalize = vi.fn((params: object) => params);
    const validateParams = vi.fn(() => []);
    const isSuccess = vi.fn(() => true);
    const isRejection = vi.fn(() => true);
    const hooks = { normalize, validateParams, isSuccess, isRejection };
    const operation = defineOperation<object, object>({ ...given, ...hooks });
    expect(operation).toMatchObject(given);
    const params = {};
    const response = {
      httpStatus: 200,
      verdict: "success",
      statusCode: "200",
      serviceMessage: "ok",
      body: {},
    } as const;
    expect(operation.normalize?.(params, {})).toBe(params);
    expect(operation.validateParams?.(params, {})).toEqual([]);
    expect(operation.isSuccess?.(response, {})).toBe(true);
    expect(operation.isRejection?.({ ...response, kind: "invalid" })).toBe(true);
    expect(hooks.validateParams).toHaveBeenCalledWith(params, {});
    expect(hooks.isSuccess).toHaveBeenCalledWith(response, {});
    expect(Object.isFrozen(operation)).toBe(true);
  });

  it.each<[string, object]>([
    ['unknown option "accepts"', { accepts: () => true }],
    ['unknown option "retryable"', { retryable: true }],
    ["`name` is missing", { name: undefined }],
    ['`area` is too close to "flights": did you mean "flights"? Otherwise choose another name', { area: "flight" }],
    ['`area` is too close to "verification"', { area: "Verification" }],
    ['`area` is too close to "ai"', { area: "ia" }],
    ['`area` is too close to "ai"', { area: "AI" }],
    ["`area` must be a non-empty string", { area: "" }],
    ["`area` must be a non-empty string", { area: 1 }],
    ["`area` must be a non-empty string", { area: Object.create(null) }],
    ["`body` is missing", { essential: ["utr"], body: undefined }],
    ["`retry` must be", { retry: "always" }],
    ["`timeout` must be a number of milliseconds", { timeout: Number.NaN }],
    ["`timeout` must be a number of milliseconds", { timeout: -1 }],
    ["`essential` has an invalid element at index 0", { essential: [undefined] }],
    ['unknown option "else"', { echo: [{ response: "x", request: "y", onMismatch: "warning", else: 1 }] }],
    ["`onMismatch` is missing", { echo: [{ response: "x", request: "y" }] }],
    ["`compare` must be", { echo: [{ response: "x", request: "y", onMismatch: "warning", compare: "loose" }] }],
    ["`echo` must be a list", { echo: "trace_id" }],
    ["`autofill` has an invalid element at index 0", { autofill: ["trace_id"] }],
    ["`isSuccess` must be a function", { isSuccess: true }],
    ["`params` must be a Standard Schema", { params: {} }],
  ])("refuses a definition that cannot work: %s", (message, wrong) => {
    const definition = { name: "a", area: "flights", path: "p", params: schemaOf(), body: schemaOf(), ...wrong };
    expect(() => defineOperation(definition as never)).toThrow(message);
    expect(() => defineOperation(definition as never)).toThrow(ConfigurationError);
  });

  it.each(["none", "payouts", "api", "lights2go", "constructor", "toString", "fare-search", "flightSearch"])(
    "has no prefix in the area %j, unless `pathPrefixes` names one",
    async (area) => {
      const server = await startServer(succeeds);
      const operation = defineOperation({ name: "x", area, path: "payout/status" });
      await clientOf(server).send(operation, {});
      await clientOf(server, { pathPrefixes: { [area]: "/v2/" } }).send(operation, {});
      expect(server.requests.map(({ path }) => path)).toEqual(["/payout/status", "/v2/payout/status"]);
    },
  );

  it("sends a first try of an unknown endpoint with credentials and a reference, and returns what comes", async () => {
    const { server, api } = await serve(answers(200, { status: "SUCCESS", anything: [1] }));
    const tryOut = defineOperation({ name: "payouts.status", path: "payout/status" });
    const { data, warnings } = await api.send(tryOut, { transactionId: "T1" }).withResponse();
    expect({ data, warnings }).toEqual({ data: { status: "SUCCESS", anything: [1] }, warnings: [] });
    expect(server.requests[0]).toMatchObject({ headers: { "client-id": "test-client" } });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      transactionId: "T1",
      client_referenceId: expect.stringMatching(/^\w{26}$/),
    });
  });

  it.each([
    [503, { status: "FAILED" }],
    [200, { status: "FAILED" }],
    [200, "<html>"],
    [404, {}],
  ])("sends it once, and throws what is not a success: HTTP %j, %j", async (status, body) => {
    const { server, api } = await serve(answers(status, body));
    const error = await errorOf(api.send(defineOperation({ name: "x", path: "x" }), {}));
    expect(error.isRetryable).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    { status: "ERROR" },
    { status: "Failure" },
    { status: "" },
    { status: "OK, but not done" },
    { status: "ACCEPTED" },
    { status: false },
    { status: 500 },
    { status: { code: 1 } },
    { status: ["SUCCESS"] },
    { success: false },
    { success: "False" },
    { success: 0, status: "SUCCESS" },
  ])("does not take a status for a success that it does not know: %j", async (body) => {
    const server = await startServer(answers(200, body));
    const tryOut = { name: "x", path: "x" };
    for (const response of ["essential", "strict", "off"] as const) {
      const api = clientOf(server, { validation: { response } });
      // `success: false` next to SUCCESS contradicts itself.
      const error = await failureOf(api.send(defineOperation(tryOut), {}), ResponseValidationError);
      expect(error).toMatchObject({ outcome: "unknown", isRetryable: false, body });
      expect(error.message).toMatch(/(status|success) does not say success: pass `isSuccess`, or a schema for `body`/);
    }
    const accepting = [{ isSuccess: () => true }, { body: schemaOf<object>() }];
    for (const more of accepting) {
      expect(await clientOf(server).send(defineOperation<object, object>({ ...tryOut, ...more }), {})).toEqual(body);
    }
  });

  it.each([{}, { status: null }, { message: "Payout failed" }, { success: 17 }, { success: { count: 0 } }])(
    "takes %j, which does not say what it is, for a success only if the call may be retried",
    async (body) => {
      const server = await startServer(answers(200, body));
      const tryOut = { name: "x", path: "x" };
      const error = await failureOf(clientOf(server).send(defineOperation(tryOut), {}), ResponseValidationError);
      expect(error).toMatchObject({ outcome: "unknown", body, issues: [{ code: "unexpected_status" }] });
      for (const more of [{ retry: "safe" }, { retry: "ifNotProcessed" }, { body: schemaOf<object>() }] as const)
        expect(await clientOf(server).send(defineOperation<object, object>({ ...tryOut, ...more }), {})).toEqual(body);
    },
  );

  it.each([
    { status_code: "200" },
    { status: true },
    { status: 200 },
    { status: "201" },
    { status: " success " },
    { status: "SUCCESS", success: true },
  ])("takes for a success: %j", async (body) => {
    const { api } = await serve(answers(200, body));
    expect(await api.send(defineOperation({ name: "x", path: "x" }), {})).toEqual(body);
  });

  it.each(["", " ", 17, {}, []])("refuses the reference %j, without a schema", async (client_referenceId) => {
    const server = await startServer(succeeds);
    const tryOut = defineOperation({ name: "x", path: "x" });
    const error = await failureOf(clientOf(server).send(tryOut, { client_referenceId }), RequestValidationError);
    expect(error.issues).toMatchObject([{ path: ["client_referenceId"], message: "must be a non-empty string" }]);
    expect(server.requests).toEqual([]);
    await clientOf(server).send(tryOut, { client_referenceId: undefined });
    expect(server.requests).toHaveLength(1);
  });

  it.each([undefined, null, "text", [1]])(
    "refuses params that are not an object, without a schema: %j",
    async (params) => {
      const error = await failureOf(
        clientOf(nowhere).send(defineOperation({ name: "x", path: "x" }), params as never),
        RequestValidationError,
      );
      expect(error.outcome).toBe("notSent");
    },
  );

  it("that is made from `book` proves a booking, also the first of a process", async () => {
    // Another copy of the module, which has not sent a `book` yet.
    const copy = "../src/flights/operations.ts?copy";
    const operations: typeof import("../src/flights/operations.ts") = await import(copy);
    const booked = sample("flight/book/success-full-service-held");
    const { api } = await serve(answers(200, booked));
    const slow = defineOperation({ ...operations.book, timeout: 60_000 });
    const params = { trace_id: "00000000-aaaa-4bbb-8ccc-000000000001", token: quoteToken("q"), passengers: [] };
    expect(await api.send(slow, params, { validation: { request: "off" } })).toEqual(booked);
  });

  it("that is made from `book` cannot be sent twice", () => {
    for (const retry of ["safe", "ifNotProcessed"] as const)
      expect(() => defineOperation({ ...book, retry })).toThrow("is sent once: leave `retry`");
    expect(defineOperation({ ...book, retry: "never" }).retry).toBe("never");
  });

  it("whose `isSuccess` refuses is named in the error", async () => {
    const { api } = await serve();
    const refusing = defineOperation({ name: "x", path: "x", isSuccess: () => false });
    const error = await failureOf(api.send(refusing, {}), ResponseValidationError);
    expect(error.message).toContain("is not a success: `isSuccess` of the operation returned false");
    expect(error).toMatchObject({ outcome: "unknown", issues: [{ path: [], code: "not_success" }] });
  });

  it("treats a user's own endpoint in the same way: authentication, checks, retries, errors", async () => {
    const payoutStatus = defineOperation({
      name: "payouts.status",
      area: "verification",
      path: "payout/status",
      params: z.object({ client_referenceId: z.string() }),
      body: z.looseObject({ status: z.string(), utr: z.optional(z.string()) }),
      essential: ["status"],
      retry: "safe",
    });
    const { server, api } = await serve(
      (response, _request, n) => reply(response, n === 1 ? 503 : 200, n === 1 ? {} : { status: "SUCCESS", utr: "U1" }),
      { pathPrefixes: { verification: "v1" } },
    );
    expect((await api.send(payoutStatus, { client_referenceId: "order-17" })).utr).toBe("U1");
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/payout/status", "/v1/payout/status"]);
    expect(server.requests[1]?.headers["client-id"]).toBe("test-client");
    await failureOf(api.send(payoutStatus, { client_referenceId: 17 as never }), RequestValidationError);
  });
});

describe("the five operations of §4 are five such values", () => {
  it.each([
    [
      findVpas,
      "verification.findVpas",
      "verification",
      "verification/upimobile_multiple",
      "safe",
      ["vpa|vpaList"],
      ["clientData"],
    ],
    [
      createResponse,
      "ai.createResponse",
      "ai",
      "ai/create-response",
      "ifNotProcessed",
      ["context_token", "system.text"],
      ["client_referenceId"],
    ],
    [
      fareQuote,
      "flights.fareQuote",
      "flights",
      "flight/fare_quote",
      "safe",
      ["data.result[].token", "data.result[].fare.total_fare"],
      ["client_referenceId"],
    ],
    [fareRule, "flights.fareRule", "flights", "flight/fare_rule", "safe", ["data.result"], ["client_referenceId"]],
    [book, "flights.book", "flights", "flight/book", "never", [], ["client_referenceId"]],
  ])("%#: %o", (operation, name, area, path, retry, essential, autofill) => {
    expect(operation).toMatchObject({ name, area, path, retry, essential, autofill });
    expect(Object.isFrozen(operation)).toBe(true);
  });
});
