import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  ApiError,
  AuthenticationError,
  DuplicateRequestError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  OfferUnavailableError,
  PermissionError,
  RateLimitError,
  RequestInProgressError,
  ServiceUnavailableError,
  SessionExpiredError,
  TraceMismatchError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import type { ClientOptions } from "../../src/index.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";
import { secret } from "../support/secrets.ts";
import { outcomeOf, serve } from "../support/serve.ts";
import { type Answer, answers, startServer } from "../support/server.ts";

describe("the body's status wins if it is readable", () => {
  it.each([
    ["upper case", { status: "FAILED", status_code: "404", message: "gone" }],
    ["lower case", { status: "failed", statusCode: "404", message: "gone" }],
    ["mixed case", { status: "Failed", status_code: "404", message: "gone" }],
    ["spaces around it", { status: " FAILED\n", status_code: "404", message: "gone" }],
    ["a status of another kind", { status: "BAD_REQUEST_ERROR", status_code: "404", message: "gone" }],
    ["a number as code", { status: "FAILED", status_code: 404, message: "gone" }],
    ["a number as the other code", { status: "FAILED", statusCode: 404, message: "gone" }],
    ["the keys of one style with the case of the other", { status: "FAILED", statusCode: "404", message: "gone" }],
    ["a message behind one that is not a string", { status: "FAILED", statusCode: "404", message: 1, error: "gone" }],
    ["two codes, of which the second is of a refusal", { statusCode: "200", status_code: "404", message: "gone" }],
    ["two codes, of which the first is of a refusal", { statusCode: "404", status_code: "200", message: "gone" }],
    ["two codes of refusals, of which the first counts", { statusCode: "404", status_code: "500", message: "gone" }],
    ["two codes, of which the first is empty", { statusCode: "", status_code: "404", message: "gone" }],
    ["two codes, of which the second is empty", { statusCode: "404", status_code: "", message: "gone" }],
    ["two codes, of which one is of no form", { statusCode: "OK", status_code: 404, message: "gone" }],
  ])("throws for a failure in a response of HTTP 200: %s", async (_case, body) => {
    const error = await outcomeOf(answers(200, body), NotFoundError);
    expect(error).toMatchObject({
      httpStatus: 200,
      statusCode: "404",
      serviceMessage: "gone",
      body,
      outcome: "rejected",
    });
  });

  it.each([
    ["upper case", { status: "SUCCESS", status_code: "200", data: 1 }],
    ["lower case", { status: "success", statusCode: "101", data: 1 }],
    ["a number as code", { status: "success", statusCode: 101, data: 1 }],
    ["a number as the other code", { status: "SUCCESS", status_code: 200, data: 1 }],
    ["spaces around it", { status: " SUCCESS\n" }],
    ["no status at all", { data: 1 }],
    ["a message that is not a string", { status: "SUCCESS", message: ["a list"] }],
    ["codes that are neither text nor number", { status: "SUCCESS", statusCode: null, status_code: {} }],
    ["a status of another kind with a code that is not of a refusal", { status: "OK", status_code: "200" }],
    ["a status that is not text", { status: true }],
    ["a status named like a part of every object", { status: "constructor" }],
    ["a success whose code is one of a failure", { status: "SUCCESS", status_code: "500" }],
    ["an empty code", { statusCode: "", data: 1 }],
    ["two codes, of which none is of a refusal", { statusCode: "399", status_code: "", data: 1 }],
  ])("returns a success unchanged: %s", async (_case, body) => {
    const { api } = await serve(answers(200, body));
    expect(await api.send(safe, {})).toEqual(body);
  });

  it.each([400, 401, 404, 500, 503])(
    "a success body under HTTP %i is an UnexpectedResponseError with the body on it",
    async (status) => {
      const body = { status: "SUCCESS", status_code: "200", data: { token: "T" } };
      const error = await outcomeOf(answers(status, body), UnexpectedResponseError);
      expect(error).toMatchObject({ reason: "successUnderErrorStatus", httpStatus: status, body });
      // One of the two is wrong, and nothing shows which.
      expect(error.outcome).toBe("unknown");
    },
  );

  it.each([
    ["says success", JSON.stringify({ status: "SUCCESS", data: {} })],
    ["was cut", '{"status":"SUCCESS","data":{"a'],
    ["has a name twice", '{"status":"FAILED","status":"SUCCESS"}'],
  ])("a body that %s under HTTP 503 may be of work that is done: only a look-up is retried", async (_case, text) => {
    for (const [operation, requests] of [
      [ifNotProcessed, 1],
      [safe, 3],
    ] as const) {
      const { server, api } = await serve(answers(503, text, { "retry-after": "0" }));
      const error = await errorOf(api.send(operation, {}));
      expect(error).toMatchObject({ outcome: "unknown", isRetryable: operation === safe, attempts: requests });
      expect(error.message.includes("It is safe to retry.")).toBe(operation === safe);
      expect(server.requests).toHaveLength(requests);
    }
  });

  it.each(["<html>Conflict</html>", "", "{}"])("HTTP 409 says that it is done, whatever its body: %j", async (text) => {
    const { api } = await serve(answers(409, text));
    expect(await errorOf(api.send(ifNotProcessed, {}))).toMatchObject({ outcome: "unknown" });
  });

  it.each([
    ["in the object", '{"status":"FAILED","status":"SUCCESS","message":"Invalid token"}', true],
    ["below it", '{"status":"SUCCESS","data":{"a":[{"b":1,"b" :1}]}}', true],
    ["in two objects", '{"status":"SUCCESS","data":[{"b":1},{"b":1}]}', false],
    ["in a string", '{"status":"SUCCESS","data":["\\"b\\":1,\\"b\\":1", ": 15 kg", "\\\\"]}', false],
    ["in a string of escapes", `{"status":"SUCCESS","data":"${"\\n".repeat(4_200_000)}"}`, false],
    ["as a name of all objects", '{"status":"SUCCESS","__proto__":1,"constructor":1}', false],
  ])(
    "a name that comes twice, %s: a call that is sent once takes it in neither sense",
    async (_case, text, isTwice) => {
      const { api } = await serve(answers(400, text));
      const once = await errorOf(api.send(never, {}));
      expect(once).toMatchObject({ outcome: "unknown", reason: isTwice ? "repeatedName" : "successUnderErrorStatus" });
      const other = await startServer(answers(200, text));
      expect(await clientOf(other).send(safe, {})).toEqual(JSON.parse(text));
    },
  );

  it("BAD_REQUEST_ERROR with the code 403 in a response of HTTP 200 is refused permission, and says what to do", async () => {
    const body = {
      status: "BAD_REQUEST_ERROR",
      status_code: "403",
      message: "Access restricted. IP address is not registered.",
    };
    const error = await outcomeOf(answers(200, body), PermissionError);
    expect(error.message).toContain("public IP address has to be registered");
  });

  it.each([
    ["pending", { status: "pending", statusCode: "102" }],
    ["PENDING", { status: "PENDING", status_code: "102" }],
    ["PROCESSING", { status: "PROCESSING", status_code: 206 }],
    ["with white space", { status: " pending\n" }],
  ])("a pending response is never a success: %s", async (_case, body) => {
    const error = await outcomeOf(answers(200, body), RequestInProgressError);
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: false });
  });

  it.each([
    [{ statusCode: "200", status_code: "500", data: { token: "T" } }, "500", ServiceUnavailableError],
    [{ statusCode: 200, status_code: "400" }, "400", InvalidRequestError],
    [{ statusCode: "400", status_code: "500" }, "400", InvalidRequestError],
    [{ status_code: "400", data: { token: "T" } }, "400", InvalidRequestError],
    [{ status: "odd", statusCode: 400 }, "400", InvalidRequestError],
    [{ status_code: 500 }, "500", ServiceUnavailableError],
  ])("a code of a refusal alone refuses the call, whatever else came: %j", async (body, statusCode, errorClass) => {
    const error = await outcomeOf<ApiError>(answers(200, body), errorClass);
    expect(error).toMatchObject({ statusCode, body });
  });

  it("HTTP ≥ 400 without a status in the body is a refusal", async () => {
    await outcomeOf(answers(422, { errors: { token: ["required"] } }), InvalidRequestError);
  });
});

describe("one class for each kind", () => {
  it.each([
    [400, InvalidRequestError, "invalid"],
    [401, AuthenticationError, "authentication"],
    [402, InsufficientBalanceError, "insufficient_balance"],
    [403, PermissionError, "permission"],
    [404, NotFoundError, "not_found"],
    [408, ServiceUnavailableError, "unavailable"],
    [409, DuplicateRequestError, "duplicate"],
    [418, ApiError, "unknown"],
    [422, InvalidRequestError, "invalid"],
    [429, RateLimitError, "rate_limited"],
    [500, ServiceUnavailableError, "unavailable"],
    [502, ServiceUnavailableError, "unavailable"],
    [503, ServiceUnavailableError, "unavailable"],
    [504, ServiceUnavailableError, "unavailable"],
  ] as const)("HTTP %i", async (status, errorClass, kind) => {
    const error = await outcomeOf(answers(status, { status: "FAILED", message: "no" }), errorClass);
    expect(error).toMatchObject({
      kind,
      httpStatus: status,
      operation: "test.safe",
      attempts: 1,
      serviceMessage: "no",
    });
    expect(error.message).toContain(`(${kind}, HTTP ${status}, code none): no. `);
    expect(error.clientReferenceId).toHaveLength(26);
    expect(error.headers.get("content-type")).toBe("application/json");
  });

  it.each(["", " ", "."])("quotes no message that says nothing: %j", async (message) => {
    const error = await outcomeOf(answers(400, { status: "FAILED", statusCode: "400", message }), InvalidRequestError);
    expect(error.message).toMatch(/\(invalid, HTTP 400, code 400\)\. \S/);
  });

  it.each([
    ["Token has expired", SessionExpiredError],
    ["Flight no longer available", OfferUnavailableError],
    ["trace_id does not match", TraceMismatchError],
    ["Booking in progress", RequestInProgressError],
  ] as const)("%j", async (message, errorClass) => {
    await outcomeOf<ApiError>(answers(200, { status: "FAILED", status_code: "400", message }), errorClass);
  });

  it("`classifyError` decides before the table, and receives what was read", async () => {
    const body = { status: "FAILED", status_code: "E42", message: "wallet empty" };
    const seen: unknown[] = [];
    const classifyError: ClientOptions["classifyError"] = (answer) => {
      seen.push(answer);
      return answer.statusCode === "E42" ? "insufficient_balance" : undefined;
    };
    await outcomeOf(answers(200, body), InsufficientBalanceError, { classifyError });
    expect(seen).toEqual([
      { operation: "test.safe", httpStatus: 200, statusCode: "E42", serviceMessage: "wallet empty", body },
    ]);
    await outcomeOf(answers(404, { status: "FAILED" }), NotFoundError, { classifyError });
  });

  it.each([
    {},
    { message: "no Route matched with those values" },
    { status: 404, error: "Not Found" },
    { statusCode: 404, message: "Cannot POST /verification/upimobile_multiple", error: "Not Found" },
  ])("HTTP 404 with %j, as a gateway sends it, is about the URL and not about what was looked up", async (body) => {
    const error = await outcomeOf(answers(404, body), ApiError);
    expect(error).toMatchObject({ kind: "unknown", outcome: "rejected", isRetryable: false });
    expect(error.message).toMatch(/Nothing responds at this path: check `baseUrl` and `pathPrefixes`\.$/);
    expect(NotFoundError.isInstance(error)).toBe(false);
    const classifyError = () => "not_found" as const;
    await outcomeOf(answers(404, body), NotFoundError, { classifyError });
  });

  it("redacts a service message that quotes the secret, and truncates a long one", async () => {
    const message = `Bad credential ${secret} ${"x".repeat(500)}`;
    const { api } = await serve(answers(401, { status: "FAILED", message }));
    const error = await errorOf(api.send(safe, {}), ApiError);
    expect(error.message).toContain("Bad credential [redacted] xxx");
    expect(error.message.length).toBeLessThan(450);
    expect(error.serviceMessage).toBe(`Bad credential [redacted] ${"x".repeat(500)}`);
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
  });
});

describe("quirks that do not fail a response", () => {
  it.each([
    [
      "gzip",
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"status":"SUCCESS"}')),
    ],
    ["a byte order mark", answers(200, '\uFEFF{"status":"SUCCESS"}')],
    ["another content type", answers(200, '{"status":"SUCCESS"}', { "content-type": "text/plain" })],
    ["no content type", (response) => response.writeHead(200).end('{"status":"SUCCESS"}')],
    ["white space around it", answers(200, ' \n{"status":"SUCCESS"}\n')],
    ["another 2xx", answers(201, { status: "SUCCESS" })],
  ] as [string, Answer][])("%s", async (_case, answer) => {
    const { api } = await serve(answer);
    expect(await api.send(safe, {})).toEqual({ status: "SUCCESS" });
  });

  it("one byte at a time, in the middle of characters", async () => {
    const body = { status: "SUCCESS", name: "आशा 👩🏽‍✈️" };
    const { api } = await serve((response) => {
      response.writeHead(200);
      for (const byte of Buffer.from(JSON.stringify(body))) response.write(Buffer.from([byte]));
      response.end();
    });
    expect(await api.send(safe, {})).toEqual(body);
  });
});

describe("nothing is transformed", () => {
  it("the caller gets the response as received, with unknown fields and odd values", async () => {
    const text =
      '{"status":"SUCCESS","unknown":{"deep":[1,null,"x"]},"e-ticket_available":true,"zero":0,"empty":"","list":[],"n":null,"decimal":0.1,"big":12345678901234567890}';
    const { api } = await serve(answers(200, text));
    expect(await api.send(safe, {})).toEqual({ ...JSON.parse(text), big: "12345678901234567890" });
  });

  it("a key named __proto__ is a field like any other", async () => {
    const { api } = await serve(
      answers(200, '{"status":"SUCCESS","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    );
    const body = await api.send(safe, {});
    expect(Object.keys(body)).toEqual(["status", "__proto__", "constructor"]);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
