import { describe, expect, it } from "vitest";
import {
  ApiError,
  BookingOutcomeUnknownError,
  ConnectionError,
  DuplicateRequestError,
  ResponseValidationError,
  StreamTruncatedError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import { type ClientEvent, requestIdOf } from "../../src/index.ts";
import { namingRequest, readRequestId } from "../../src/transport/errors/details.ts";
import { completed } from "../ai/events.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { made, safe } from "../support/operations.ts";
import { expectNoSecret, secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers, deadAddress, startServer } from "../support/server.ts";

describe("the ID of a request", () => {
  it.each([
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "x-amz-request-id",
    "x-correlation-id",
    "correlation-id",
    "x-trace-id",
    "cf-ray",
    "traceparent",
  ])("is read from %s", (name) => {
    expect(readRequestId(new Headers({ [name]: " id-1 " }))).toBe("id-1");
  });

  it("prefers the service's own to that of a gateway, and is undefined without either", () => {
    expect(readRequestId(new Headers({ "cf-ray": "ray", "x-request-id": "own" }))).toBe("own");
    expect(readRequestId(new Headers({ "cf-ray": "ray", "x-request-id": "" }))).toBe("ray");
    expect(readRequestId(new Headers())).toBeUndefined();
  });

  it.each([
    ["abc-123", " Request ID: abc-123."],
    ["x".repeat(64), ` Request ID: ${"x".repeat(64)}.`],
    ["x".repeat(65), ""],
    ["with a blank", ""],
    ["आशा", ""],
    ["", ""],
    [undefined, ""],
  ])("is part of a message only if it is short printable ASCII: %j", (id, text) => {
    expect(namingRequest(id)).toBe(text);
  });
});

describe("every error that had a response carries it, and its message ends with it", () => {
  const id = { "x-request-id": "req-1" };

  it.each([
    ["a refusal", answers(400, { status: "FAILED", message: "no" }, id), ApiError],
    ["a redirect", answers(307, "", { ...id, location: "/x" }), ApiError],
    ["a page", answers(400, "<html>", id), UnexpectedResponseError],
    ["a response that lacks what it was asked for", answers(200, {}, id), ResponseValidationError],
  ] as const)("%s", async (_case, answer, errorClass) => {
    const operation = errorClass === ResponseValidationError ? made({ isSuccess: () => false }) : safe;
    const error = await errorOf<ApiError | UnexpectedResponseError | ResponseValidationError>(
      clientOf(await startServer(answer)).send(operation, {}),
      errorClass,
    );
    expect(error.requestId).toBe("req-1");
    expect(error.message).toMatch(/\. Request ID: req-1\.$/);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ requestId: "req-1" });
  });

  it("a booking that may exist, and one that exists already", async () => {
    const failing = await startServer(answers(500, { status: "FAILED" }, id));
    const open = await errorOf(bookUnchecked(clientOf(failing)), BookingOutcomeUnknownError);
    expect(open).toMatchObject({ requestId: "req-1", message: expect.stringMatching(/ Request ID: req-1\.$/) });
    const done = await startServer(answers(409, { status: "FAILED" }, id));
    expect((await errorOf(bookUnchecked(clientOf(done)), DuplicateRequestError)).requestId).toBe("req-1");
  });

  it("one without a response has none", async () => {
    const error = await errorOf(clientOf({ url: deadAddress }).send(made(), {}), ConnectionError);
    expect(error.requestId).toBeUndefined();
  });

  it("a stream has it once it has begun, and so have its error and its events", async () => {
    const events: ClientEvent[] = [];
    const { api } = await serve(answers(200, "", { ...id, "content-type": "text/event-stream" }), {
      onEvent: (event) => events.push(event),
    });
    const stream = api.ai.stream({ user: { text: "x" } });
    expect(stream.requestId).toBeUndefined();
    const error = await errorOf(stream.finalText(), StreamTruncatedError);
    expect([stream.requestId, error.requestId]).toEqual(["req-1", "req-1"]);
    expect(await stream.ended()).toEqual({ state: "truncated", error, requestId: "req-1" });
    expect(events.find(({ type }) => type === "response")).toMatchObject({ requestId: "req-1" });
  });

  it("a stream that was refused has the ID of the refusal", async () => {
    const { api } = await serve(answers(401, { status: "FAILED", message: "no" }, id));
    const stream = api.ai.stream({ user: { text: "x" } });
    await errorOf(stream.finalText(), ApiError);
    expect(stream.requestId).toBe("req-1");
  });

  it("events have it, without a secret that it may hold", async () => {
    const events: ClientEvent[] = [];
    const { api } = await serve(answers(404, { status: "FAILED" }, { "x-request-id": `req-${secret}` }), {
      onEvent: (event) => events.push(event),
    });
    await errorOf(api.send(safe, {}));
    expect(events.slice(1)).toMatchObject([
      { type: "response", requestId: expect.stringMatching(/^req-/) },
      { type: "error", requestId: expect.stringMatching(/^req-/) },
    ]);
    expectNoSecret(events);
  });

  it("requestIdOf() returns it for the response of a stream, and of a turn", async () => {
    const { api } = await serve(answers(200, completed("Hello"), id));
    const { ai } = api;
    const responses = [
      await ai.stream({ user: { text: "x" } }).finalResponse(),
      await ai.conversation().stream("x").finalResponse(),
      await ai.conversation().send("x"),
    ];
    expect(responses.map(requestIdOf)).toEqual(Array(3).fill("req-1"));
  });

  it("withResponse() has it, and requestIdOf() returns it for a result", async () => {
    const { api } = await serve(answers(200, { status: "SUCCESS" }, id));
    const { data, requestId } = await api.send(safe, {}).withResponse();
    expect([requestId, requestIdOf(data), requestIdOf(await api.send(safe, {}))]).toEqual(Array(3).fill("req-1"));
    expect([requestIdOf({ ...data }), requestIdOf([]), requestIdOf("text" as never)]).toEqual(Array(3).fill(undefined));
  });
});
