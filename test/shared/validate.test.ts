import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { RequestValidationError, ResponseValidationError } from "../../src/errors/index.ts";
import { type ClientEvent, type ClientOptions, defineOperation } from "../../src/index.ts";
import { looseObject, string } from "../../src/shared/schema.ts";
import { checkedSchema, essentialIssues, validate } from "../../src/shared/validate.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { made, schemaOf } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers, startServer } from "../support/server.ts";
import { throws } from "../support/throws.ts";

/** Asks for a token in each result, which callers come for, and for a name, which they do not. */
const search = defineOperation({
  name: "flights.search",
  area: "flights",
  path: "flight/search",
  params: z.object({
    from: z.string().length(3, "must be an airport code"),
    client_referenceId: z.string().optional(),
  }),
  body: z.looseObject({
    name: z.string(),
    data: z.looseObject({ result: z.array(z.looseObject({ token: z.string(), price: z.number() })) }),
  }),
  essential: ["data.result[].token"],
});

const good = { status: "SUCCESS", name: "n", data: { result: [{ token: "T1", price: 1 }] } };
const drifted = { status: "SUCCESS", name: 7, data: { result: [{ token: "T1", price: "1" }], extra: true } };

async function answered(body: unknown, options: ClientOptions = {}) {
  const events: ClientEvent[] = [];
  const { api } = await serve(answers(200, body), { onEvent: (event) => events.push(event), ...options });
  const call = api.send(search, { from: "BOM" });
  return { call, drifts: () => events.filter((event) => event.type === "drift") };
}

describe("a request is checked before anything leaves the machine", () => {
  it("and every broken rule is named with its place", async () => {
    const { server, api } = await serve(answers(200, good));
    const error = await failureOf(api.send(search, { from: "Mumbai" }), RequestValidationError);
    expect(error.message).toBe("flights.search: from must be an airport code. Nothing was sent.");
    expect(error.issues).toEqual([{ path: ["from"], message: "must be an airport code", code: "too_big" }]);
    expect(error).toMatchObject({ outcome: "notSent", attempts: 0, isRetryable: false, operation: "flights.search" });
    expect(server.requests).toHaveLength(0);
  });

  it("rules of the operation that depend on the client's options count too", async () => {
    const operation = made({
      params: schemaOf(() => [{ message: "first", path: ["a", { key: 0 }, Symbol("s")] }]),
      validateParams: (params, options) => [
        { path: ["b"], message: `${Object.keys(params)} ${options.validation?.mobile}`, code: "mine" },
      ],
    });
    const error = await failureOf(
      clientOf(nowhere, { validation: { mobile: "asGiven" } }).send(operation, { b: 1 }),
      RequestValidationError,
    );
    expect(error.message).toBe("test.made: a[0].Symbol(s) first; b b asGiven. Nothing was sent.");
    expect(error.issues).toEqual([
      { path: ["a", 0, "Symbol(s)"], message: "first", code: "custom" },
      { path: ["b"], message: "b asGiven", code: "mine" },
    ]);
    expect(error.pretty()).toBe("✖ a[0].Symbol(s): first\n✖ b: b asGiven");
  });

  it("a message has three of the broken rules and says how many more there are", async () => {
    const validateParams = () =>
      ["a", "b", "c", "d", "e"].map((path) => ({ path: [path], message: "is odd", code: "odd" }));
    const error = await failureOf(clientOf(nowhere).send(made({ validateParams }), {}), RequestValidationError);
    expect(error.message).toBe("test.made: a is odd; b is odd; c is odd; and 2 more in `issues`. Nothing was sent.");
    expect(error.issues).toHaveLength(5);
  });

  it("an issue with the whole value names the params or the body", async () => {
    const sent = await failureOf(clientOf(nowhere).ai.createResponse("hello" as never), RequestValidationError);
    expect(sent.message).toBe("ai.createResponse: params must be an object, is a string. Nothing was sent.");
    const body = schemaOf<Record<string, unknown>>(() => [{ message: "is odd" }]);
    const { api } = await serve(answers(200, good), { validation: { response: "strict" } });
    const call = api.send(made({ body }), {});
    const { message } = await failureOf(call, ResponseValidationError);
    expect(message).toContain("does not have the documented form: the body is odd. ");
  });

  it.each([undefined, null, "text", 7])("params that are not an object are refused: %j", async (params) => {
    const validateParams = vi.fn(() => []);
    const operation = { ...search, validateParams, normalize: () => expect.unreachable() };
    await failureOf(clientOf(nowhere).send(operation, params as never), RequestValidationError);
    const off = { validation: { request: "off" } } as const;
    await failureOf(clientOf(nowhere).send(operation, params as never, off), RequestValidationError);
    expect(validateParams).not.toHaveBeenCalled();
  });

  it('validation.request: "off" sends what was passed', async () => {
    const server = await startServer(answers(200, good));
    const off = { validation: { request: "off" } } as const;
    await clientOf(server, off).send(search, { from: "Mumbai" });
    await clientOf(server).send(search, { from: "Mumbai" }, off);
    expect(server.requests.map(({ body }) => JSON.parse(body).from)).toEqual(["Mumbai", "Mumbai"]);
  });

  it("`normalize` tidies the params before they are checked, and leaves the caller's object as it was", async () => {
    const { server, api } = await serve(answers(200, good));
    const params = { from: " bom " };
    await api.send({ ...search, normalize: ({ from }) => ({ from: from.trim().toUpperCase() }) }, params);
    expect(JSON.parse(server.requests[0]?.body ?? "").from).toBe("BOM");
    expect(params).toEqual({ from: " bom " });
  });
});

describe("a response that lacks an essential field is refused", () => {
  it.each([
    [
      "the token of one offer",
      { ...good, data: { result: [{ token: "T1", price: 1 }, { price: 2 }] } },
      "data.result[1].token",
    ],
    ["the list of offers", { ...good, data: {} }, "data.result"],
    ["the object that holds it", { status: "SUCCESS", name: "n" }, "data"],
    ["what comes first in the message, before drift elsewhere", { status: "SUCCESS", name: 7 }, "data"],
  ])("%s", async (_case, body, place) => {
    const { call } = await answered(body);
    const error = await failureOf(call, ResponseValidationError);
    expect(error.message).toContain(`${place} `);
    expect(error.body).toEqual(body);
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: false, kind: "response_validation" });
    expect(error.pretty()).toContain(`✖ ${place}: `);
    expect(error.issues.length).toBeGreaterThan(0);
  });

  it("an empty list is a response", async () => {
    const body = { ...good, data: { result: [] } };
    expect(await (await answered(body)).call).toEqual(body);
  });

  it("a response without status is judged by its shape alone", async () => {
    await failureOf((await answered({ error: "something" })).call, ResponseValidationError);
  });
});

describe("any other difference is reported without failing the call", () => {
  it("the response passes unchanged, with warnings and a drift event", async () => {
    const { call, drifts } = await answered(drifted);
    const { data, warnings } = await call.withResponse();
    expect(data).toEqual(drifted);
    expect(warnings.map(({ path }) => path)).toEqual([["name"], ["data", "result", 0, "price"]]);
    expect(drifts()).toEqual([
      {
        type: "drift",
        callId: expect.any(String),
        operation: "flights.search",
        clientReferenceId: expect.any(String),
        paths: ["name", "data.result.0.price"],
      },
    ]);
  });

  it("an unknown field is not a difference", async () => {
    const { call, drifts } = await answered({ ...good, added: { later: true } });
    expect((await call.withResponse()).warnings).toEqual([]);
    expect(drifts()).toEqual([]);
  });

  it('validation.response: "strict" refuses any difference', async () => {
    const error = await failureOf(
      (await answered(drifted, { validation: { response: "strict" } })).call,
      ResponseValidationError,
    );
    expect(error.issues).toHaveLength(2);
    expect(await (await answered(good, { validation: { response: "strict" } })).call).toEqual(good);
  });

  it('validation.response: "off" skips the check', async () => {
    const { call, drifts } = await answered({ status: "SUCCESS" }, { validation: { response: "off" } });
    expect(await call.withResponse()).toMatchObject({ data: { status: "SUCCESS" }, warnings: [] });
    expect(drifts()).toEqual([]);
  });

  it("the call's validation overrides the client's, part by part", async () => {
    const { api } = await serve(answers(200, drifted), { validation: { request: "off", response: "strict" } });
    await api.send(search, { from: "Mumbai" }, { validation: { response: "off" } });
    await failureOf(api.send(search, { from: "Mumbai" }, { validation: {} }), ResponseValidationError);
  });
});

describe("essential paths", () => {
  const at = (...paths: (string | number)[][]) => paths.map((path) => ({ path, message: "m", code: "c" }));

  it.each<[string, readonly string[], ReturnType<typeof at>, number]>([
    ["the very place", ["system.text"], at(["system", "text"]), 1],
    ["on the way to it", ["system.text"], at(["system"]), 1],
    ["the root", ["system.text"], at([]), 1],
    ["beside it", ["system.text"], at(["system", "msg_id"]), 0],
    ["below it", ["data.result"], at(["data", "result", 0, "origin"]), 0],
    ["an element of a list", ["data.result[].token"], at(["data", "result", 3]), 1],
    ["in an element of a list", ["data.result[].token"], at(["data", "result", 3, "token"]), 1],
    ["a list that is an object", ["data.result[].token"], at(["data", "result", "x", "token"]), 0],
    ["a name that merely begins alike", ["data.result"], at(["data", "results"]), 0],
    ["one of two that will do", ["vpa|vpaList"], at(["vpa"]), 0],
    ["both of two that would do", ["vpa|vpaList"], at(["vpa"], ["vpaList"]), 2],
    ["one of several", ["context_token", "system.text"], at(["context_token"]), 1],
    ["nothing", [], at([]), 0],
  ])("%s", (_case, essential, issues, broken) => {
    expect(essentialIssues(essential, issues)).toHaveLength(broken);
  });
});

const schema = looseObject({ a: string });

describe("the schema of an operation", () => {
  afterEach(() => {
    vi.doUnmock("../../src/shared/explain.ts");
    vi.resetModules();
  });

  it("responds at once with the value itself if it passes, and does not make the schema of zod", () => {
    const toZod = vi.fn(schema.toZod);
    const value = { a: "x", more: 1 };
    const result = checkedSchema({ ...schema, toZod })["~standard"].validate(value);
    expect("value" in result && result.value).toBe(value);
    expect(toZod).not.toHaveBeenCalled();
  });

  it("explains by zod why a value does not pass", async () => {
    const issues = await validate(checkedSchema(schema), { a: 1 }, "test");
    expect(issues).toEqual([{ path: ["a"], message: "must be a string, is a number", code: "invalid_type" }]);
  });

  it("leaves the verdict to zod if the two differ", async () => {
    const value = { a: "x" };
    const result = await checkedSchema<{ a: string }>({
      ...schema,
      passes: (given): given is { a: string } => typeof given === "string",
    })["~standard"].validate(value);
    expect(result).toEqual({ value });
    expect("value" in result && result.value).toBe(value);
  });

  it("refuses a value whose getter throws", async () => {
    const value = {
      get a(): string {
        throw new Error("not to be shown");
      },
    };
    const issues = await validate(checkedSchema(schema), value, "test");
    expect(issues).toEqual([{ path: [], message: "could not be checked", code: "not_checked" }]);
  });

  it("refuses the value although the explanation cannot be loaded", async () => {
    vi.resetModules();
    vi.doMock("../../src/shared/explain.ts", throws(new Error("no such chunk")));
    const fresh = await import("../../src/shared/validate.ts");
    const issues = await fresh.validate(fresh.checkedSchema(schema), { a: 1 }, "test");
    expect(issues).toEqual([
      { path: [], message: "is not of the documented form; the explanation could not be loaded", code: "custom" },
    ]);
  });
});
