import { describe, expect, it } from "vitest";
import type { ApiErrorKind } from "../../../src/errors/index.ts";
import {
  type ClientOptions,
  defineOperation,
  fareQuote,
  type OperationDefinition,
  type ServiceApi,
} from "../../../src/index.ts";
import { bookUnchecked } from "../../support/book.ts";
import { clientOf, errorOf } from "../../support/client.ts";
import { type Fields, ifNotProcessed, made, never, safe } from "../../support/operations.ts";

/** Makes the response to each attempt. */
type Respond = () => Response | Promise<Response>;
type Send = (api: ServiceApi) => PromiseLike<unknown>;

const json =
  (status: number, body: object, headers: HeadersInit = {}): Respond =>
  () =>
    Response.json(body, { status, headers });
const text =
  (status: number, body: BodyInit, headers: HeadersInit = {}): Respond =>
  () =>
    new Response(body, { status, headers });

/** The error of a call whose attempts get these responses, of which the last one stays. */
function errorAfter(send: Send, responses: Respond | readonly Respond[], options: ClientOptions = {}) {
  const list = [responses].flat();
  const fetch = async () => (list.length > 1 ? list.shift() : list[0])?.() ?? Response.error();
  return errorOf(send(clientOf({ url: "https://api.example.in" }, { fetch, ...options })));
}

const sending =
  (operation: ReturnType<typeof made>): Send =>
  (api) =>
    api.send(operation, {});

const calls = {
  findVpas: (api) => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }),
  fareQuote: (api) => api.flights.fareQuote({ trace_id: "T", token: "S" }),
  createResponse: (api) => api.ai.createResponse({ user: { text: "Hello" } }),
  stream: (api) => api.ai.stream({ user: { text: "Hello" } }).finalText(),
  book: (api) => bookUnchecked(api),
} satisfies Record<string, Send>;

describe("an HTTP status that says more than the code 400 or 422 beside it", () => {
  it.each<[number, ApiErrorKind]>([
    [401, "authentication"],
    [402, "insufficient_balance"],
    [403, "permission"],
    [408, "unavailable"],
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("HTTP %i: %s, and the call is retried as after the status alone", async (status, kind) => {
    for (const name of ["findVpas", "fareQuote", "createResponse", "stream"] as const) {
      const facts = async (body: object) => {
        const error = await errorAfter(calls[name], json(status, body, { "retry-after": "0" }));
        const { attempts, isRetryable, outcome } = error;
        return { kind: error.kind, attempts, isRetryable, outcome };
      };
      const alone = await facts({ status: "FAILED" });
      const isAsked = status === 429 || status === 503 || (status === 408 && /^f/.test(name));
      expect(alone).toMatchObject({ kind, attempts: isAsked ? 3 : 1 });
      for (const code of ["400", 422, "422", 400]) {
        expect(await facts({ status: "FAILED", status_code: code })).toEqual(alone);
        expect(await facts({ status: "failed", statusCode: code })).toEqual(alone);
      }
    }
  });

  it.each<[number, string, ApiErrorKind]>([
    [400, "422", "invalid"],
    [404, "400", "invalid"],
    [500, "400", "invalid"],
    [502, "422", "invalid"],
    [401, "404", "not_found"],
    [429, "401", "authentication"],
    [503, "402", "insufficient_balance"],
    [400, "200", "invalid"],
    [401, "200", "authentication"],
  ])("HTTP %i beside the code %s: of any others, the code of a refusal decides: %s", async (status, code, kind) => {
    expect(await errorAfter(calls.fareQuote, json(status, { status: "FAILED", status_code: code }))).toMatchObject({
      kind,
      statusCode: code,
      httpStatus: status,
    });
  });
});

describe("a refusal in words has one kind on every operation, under the code 400 or without one", () => {
  it.each<[string, ApiErrorKind]>([
    ["Too many requests", "rate_limited"],
    ["Rate limit exceeded", "rate_limited"],
    ["You have exceeded your quota. Please try again later.", "rate_limited"],
    ["Access denied", "permission"],
    ["Your account is suspended", "permission"],
    ["You are not allowed to access this service", "permission"],
    ["Authentication required", "authentication"],
    ["No API key found in request", "authentication"],
    ["Wrong username or password", "authentication"],
    ["You do not have enough balance", "insufficient_balance"],
    ["Wallet limit has been exceeded", "insufficient_balance"],
    ["Session not found", "session_expired"],
    ["The token does not exist", "session_expired"],
    ["The token does not belong to this search", "trace_mismatch"],
    ["Tokens belong to different searches", "trace_mismatch"],
    ["No seats left on the flight", "offer_unavailable"],
    ["Flight closed for sale", "offer_unavailable"],
    ["Fare increased from INR 4,500 to INR 5,100", "offer_unavailable"],
  ])("%j is %s", async (message, kind) => {
    for (const name of ["findVpas", "fareQuote", "createResponse", "book"] as const) {
      for (const [status, code] of [
        [200, "400"],
        [400, "400"],
        [200, "422"],
        [200, undefined],
        [400, undefined],
        [418, undefined],
      ] as const) {
        const body = { status: "FAILED", status_code: code, message };
        const error = await errorAfter(calls[name], json(status, body), { maxRetries: 0 });
        expect([name, status, code, error.kind, error.outcome]).toEqual([name, status, code, kind, "rejected"]);
      }
    }
  });

  it.each<[string, number, string, ApiErrorKind]>([
    ["the words of another kind", 401, "Too many requests", "authentication"],
    ["an account that is not the caller's", 400, "The account of this number is deactivated", "invalid"],
    ["words that name a field", 400, "vpa_mobile is required", "invalid"],
    ["words that say only that something is missing", 400, "Resource not found", "invalid"],
    ["words that name a method, without a status that does", 418, "Method not allowed", "unknown"],
    ["words that say nothing", 400, "Request failed", "invalid"],
    ["words that say nothing, under a status that says nothing", 418, "Request failed", "unknown"],
  ])("but %s under HTTP %i leave it to the status", async (_case, status, message, kind) => {
    for (const name of ["findVpas", "fareQuote", "createResponse"] as const) {
      const refused = json(status, { status: "FAILED", message });
      expect((await errorAfter(calls[name], refused, { maxRetries: 0 })).kind).toBe(kind);
    }
  });

  it("of a booking, each text of the body counts, and not its message alone", async () => {
    const body = { status: "FAILED", status_code: "400", message: "Booking failed", reason: "Access denied" };
    expect(await errorAfter(calls.book, json(200, body))).toMatchObject({ kind: "permission", outcome: "rejected" });
    expect(await errorAfter(calls.book, json(200, { ...body, reason: "" }))).toMatchObject({ outcome: "unknown" });
  });

  it("a sentence of the deployment proves a refusal and names no kind: the code does", async () => {
    const options = { knownMessages: { refused: ["Declined by rule 7"] } };
    const refused = json(200, { status: "FAILED", status_code: "400", message: "Declined by rule 7" });
    expect(await errorAfter(calls.book, refused, options)).toMatchObject({ kind: "invalid", outcome: "rejected" });
  });
});

describe("404 and the words of a page that is not there", () => {
  it.each<[string, Respond, ApiErrorKind]>([
    ["the service's code as a number, in a 200", json(200, { statusCode: 404, message: "gone" }), "not_found"],
    ["the service's code as text", json(404, { status: "error", status_code: "400" }), "invalid"],
    ["the service's code and another status", json(404, { status: "error", statusCode: "404" }), "not_found"],
    ["another status than the service's", json(404, { status: "error", message: "Not Found" }), "unknown"],
    ["another status, and a code that is a number", json(404, { status: "error", statusCode: 404 }), "unknown"],
    ["a code of no refusal", json(404, { statusCode: "200", message: "Not Found" }), "unknown"],
  ])("%s", async (_case, respond, kind) => {
    expect((await errorAfter(calls.findVpas, respond)).kind).toBe(kind);
  });
});

describe("the advice of a refusal", () => {
  const no = (code: string) => ({ status: "FAILED", status_code: code, message: "No." });

  it.each<[string, Send, Respond | readonly Respond[], string]>([
    [
      "of the first attempt says nothing of what was done",
      sending(ifNotProcessed),
      json(402, no("402")),
      "test.ifNotProcessed: the service refused the call (insufficient_balance, HTTP 402, code 402): No. Add funds to the account first.",
    ],
    [
      "of a look-up does not, after an attempt that may have been carried out either",
      sending(safe),
      [json(503, {}), json(402, no("402"))],
      "test.safe: the service refused the call (insufficient_balance, HTTP 402, code 402): No. Add funds to the account first.",
    ],
    [
      "that is a page neither",
      sending(safe),
      [json(503, {}), text(401, "<html>")],
      "test.safe: the response is a web page, as a gateway sends it (HTTP 401, text/plain;charset=UTF-8). Check `clientId` and `clientSecret` (partner panel, Developers, Developer Setting, Credentials).",
    ],
    [
      "for what exists already is to look it up",
      sending(never),
      json(409, no("409")),
      "test.never: the service refused the call (duplicate, HTTP 409, code 409): No. Look up what exists already; do not retry.",
    ],
    [
      "in JSON blames no gateway",
      sending(safe),
      json(400, no("400")),
      "test.safe: the service refused the call (invalid, HTTP 400, code 400): No. Correct the request before sending it again.",
    ],
    [
      "that is a page and that asks to call again is that it may be",
      sending(ifNotProcessed),
      text(503, "<html>", { "retry-after": "0" }),
      "test.ifNotProcessed: the response is a web page, as a gateway sends it (HTTP 503, text/plain;charset=UTF-8). It is safe to retry.",
    ],
    [
      "whose message ends with dots quotes it without them",
      sending(safe),
      json(400, { ...no("400"), message: "No. . ..\n" }),
      "test.safe: the service refused the call (invalid, HTTP 400, code 400): No. Correct the request before sending it again.",
    ],
  ])("%s", async (_case, send, responses, message) => {
    expect((await errorAfter(send, responses)).message).toBe(message);
  });
});

describe("a page in place of a response", () => {
  it.each([
    [408, ifNotProcessed, "unknown"],
    [408, never, "unknown"],
    [404, ifNotProcessed, "rejected"],
  ] as const)("under HTTP %i to %o: %s", async (status, operation, outcome) => {
    expect((await errorAfter(sending(operation), text(status, "<html>"), { maxRetries: 0 })).outcome).toBe(outcome);
  });

  it.each([400, 401, 500])("that is empty, under HTTP %i, ends a stream before it has begun", async (status) => {
    expect(await errorAfter(calls.stream, text(status, ""))).toMatchObject({
      kind: "unexpected_response",
      reason: "empty",
      httpStatus: status,
    });
  });

  it("is in `body`, and is not what the service says", async () => {
    const error = await errorAfter(sending(never), text(400, "Bad request of some kind"));
    expect(error).toMatchObject({ kind: "invalid", serviceMessage: undefined, body: "Bad request of some kind" });
    expect(error.message).toContain("in a body that is not JSON");
  });

  it("that was cut under HTTP 400 is a refusal all the same: the call is sent once", async () => {
    const error = await errorAfter(sending(safe), text(400, '{"status":'));
    expect(error).toMatchObject({ reason: "cut", attempts: 1, isRetryable: false, outcome: "unknown" });
  });
});

describe("the outcome of a refusal", () => {
  const invalid: ClientOptions = { classifyError: () => "invalid", maxRetries: 0 };

  it.each<[string, Respond]>([
    ["that is pending", json(200, { status: "PENDING" })],
    ["under HTTP 408", json(408, { status: "FAILED" })],
    ["under the code 408", json(200, { status: "FAILED", status_code: "408" })],
  ])("%s is unknown, whatever kind `classifyError` chooses", async (_case, respond) => {
    for (const operation of [ifNotProcessed, never]) {
      expect(await errorAfter(sending(operation), respond, invalid)).toMatchObject({
        kind: "invalid",
        outcome: "unknown",
      });
    }
  });

  it("is unknown if nothing could prove it: a look-up of the document, copied to be sent once", async () => {
    const once: Send = (api) => api.send({ ...fareQuote, retry: "never" }, { trace_id: "T", token: "S" });
    const refused = json(400, { status: "FAILED", status_code: "400", message: "Invalid token" });
    expect(await errorAfter(once, refused)).toMatchObject({ kind: "session_expired", outcome: "unknown" });
  });

  it.each<[string, () => Response]>([
    [
      "of another host, to which a `fetch` followed a redirect",
      () => Object.defineProperty(Response.json({ status: "FAILED" }, { status: 401 }), "redirected", { value: true }),
    ],
    [
      "that moved, of which no byte came before the connection broke",
      () => new Response(new ReadableStream({ pull: (body) => body.error(new Error("reset")) }), { status: 308 }),
    ],
  ])("%s is unknown", async (_case, respond) => {
    expect(await errorAfter(sending(never), respond)).toMatchObject({ kind: "unknown", outcome: "unknown" });
  });

  it("what is not known as part of it is named only if that leaves the outcome open", async () => {
    const part = "seat 12a is held";
    const message = "Invalid token. Seat 12A is held";
    const open = await errorAfter(sending(never), json(400, { status: "FAILED", message }));
    expect(open).toMatchObject({ outcome: "unknown", unrecognized: part, message: expect.stringContaining(part) });
    for (const [hooks, said] of [
      [{ isRejection: () => true }, message],
      [{}, "Order 17 was already booked. Seat 12A is held"],
    ] as const) {
      const error = await errorAfter(sending(made(hooks)), json(400, { status: "FAILED", message: said }));
      expect(error).toMatchObject({ unrecognized: undefined, message: expect.not.stringContaining("knownMessages") });
    }
  });
});

describe("the hooks of an operation", () => {
  it.each<[string, Respond, object]>([
    [
      "JSON",
      json(418, { STATUS: "FAILED", status: " Failed\n", status_code: "E42", message: "No." }),
      {
        ...{ kind: "unknown", httpStatus: 418, verdict: "failed", statusCode: "E42", serviceMessage: "No." },
        body: { STATUS: "FAILED", status: " Failed\n", status_code: "E42", message: "No." },
      },
    ],
    [
      "a page",
      text(418, "teapot"),
      {
        ...{ kind: "unknown", httpStatus: 418, verdict: "unknown", statusCode: undefined, serviceMessage: "teapot" },
        body: "teapot",
      },
    ],
  ])("`isRejection` sees a refusal as it was read: %s", async (_case, respond, expected) => {
    const seen: unknown[] = [];
    const isRejection = (response: unknown) => seen.push(response) > 0;
    expect(await errorAfter(sending(made({ isRejection })), respond)).toMatchObject({ outcome: "rejected" });
    expect(seen).toStrictEqual([expected]);
  });

  it("`isSuccess` that returns false is the reason, whatever the status is", async () => {
    const definition: OperationDefinition<Fields, Fields> = { name: "made.up", path: "made/up" };
    const operation = defineOperation({ ...definition, isSuccess: () => false });
    for (const body of [{}, { status: "odd" }, { status: "SUCCESS", statusCode: "204" }]) {
      expect(await errorAfter((api) => api.send(operation, {}), json(200, body))).toMatchObject({
        kind: "response_validation",
        message: expect.stringContaining(" is not a success: `isSuccess` of the operation returned false."),
      });
    }
  });
});
