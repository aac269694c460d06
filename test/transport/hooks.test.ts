import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, ConfigurationError, ResponseValidationError } from "../../src/errors/index.ts";
import type { ClientEvent, ClientOptions, OperationDefinition, RequestOptions } from "../../src/index.ts";
import { clientOf, errorOf, failureOf, nowhere } from "../support/client.ts";
import { type Fields, made, schemaOf } from "../support/operations.ts";
import { throws } from "../support/throws.ts";
import { watchUnhandled } from "../support/unhandled.ts";

type Hooks = Partial<OperationDefinition<Fields, Fields>>;

let unhandled: readonly unknown[];
beforeEach(() => {
  unhandled = watchUnhandled();
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

/** Sends an operation with these hooks, which get this response. */
function send(hooks: object, status: number, body: object, options: ClientOptions = {}, own?: RequestOptions) {
  const sent: string[] = [];
  const fetch: ClientOptions["fetch"] = async (_url, init) => {
    sent.push(String(init?.body));
    return Response.json(body, { status, headers: status === 303 ? { location: "/x" } : {} });
  };
  const api = clientOf(nowhere, { fetch, ...options });
  return { call: api.send(made(hooks as Hooks), { amount: 8500 }, own), sent };
}

/** No instance of this realm's `Promise`. */
const foreign = () => runInNewContext('Promise.reject(new Error("later"))');
const boom = throws(new Error("boom"));
const rejects = async () => Promise.reject(new Error("later"));

describe("a hook that does not decide at once", () => {
  it.each<[string, object, number, object]>([
    ["isRejection: async false", { isRejection: async () => false }, 500, { status: "FAILED" }],
    ["isRejection: async true", { isRejection: async () => true }, 500, { status: "FAILED" }],
    ["isRejection: 1", { isRejection: () => 1 }, 400, { status: "FAILED" }],
    ["isRejection: undefined", { isRejection: () => undefined }, 400, { status: "FAILED" }],
    ["isRejection rejects", { isRejection: rejects }, 400, { status: "FAILED" }],
    ["isSuccess: async false, 303", { isSuccess: async () => false }, 303, { status: "FAILED" }],
    ["isSuccess: async false", { isSuccess: async () => false }, 200, { status: "SUCCESS" }],
    ["isSuccess: 0", { isSuccess: () => 0 }, 200, { status: "SUCCESS" }],
    ["isSuccess: undefined", { isSuccess: () => undefined }, 200, { status: "SUCCESS" }],
    ["isSuccess: a promise of another realm", { isSuccess: foreign }, 303, { status: "SUCCESS" }],
    ["isSuccess rejects", { isSuccess: rejects }, 200, { status: "SUCCESS" }],
  ])("%s: the outcome is unknown", async (name, hooks, status, body) => {
    const error = await failureOf(send(hooks, status, body).call, ConfigurationError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
    expect(error.message).toContain(`\`${name.match(/^\w+/)?.[0]}\` must return`);
    expect(error.message).toContain("look it up");
  });

  it.each<[string, object]>([
    ["normalize: async", { normalize: async (params: Fields) => params }],
    ["normalize rejects", { normalize: rejects }],
    ["normalize: undefined", { normalize() {} }],
    ["normalize: a list", { normalize: () => [] }],
    ["validateParams: async", { validateParams: async () => [] }],
    ["validateParams rejects", { validateParams: rejects }],
    ["validateParams: false", { validateParams: () => false }],
  ])("%s: nothing is sent", async (name, hooks) => {
    for (const request of ["strict", ...(name.startsWith("normalize") ? (["off"] as const) : [])] as const) {
      const { call, sent } = send(hooks, 200, { status: "SUCCESS" }, { validation: { request } });
      const error = await failureOf(call, ConfigurationError);
      expect(error).toMatchObject({ outcome: "notSent", attempts: 0 });
      expect(error.message).toContain(`\`${name.match(/^\w+/)?.[0]}\` must return`);
      expect(sent).toEqual([]);
    }
  });

  it("an asynchronous schema that rejects is refused without an unhandled rejection", async () => {
    const schema = { "~standard": { version: 1, vendor: "by-hand", validate: rejects } };
    expect((await failureOf(send({ params: schema }, 200, {}).call, ConfigurationError)).outcome).toBe("notSent");
    expect((await failureOf(send({ body: schema }, 200, {}).call, ConfigurationError)).outcome).toBe("unknown");
  });

  it("toUnknownOutcomeError leaves the error as it is", async () => {
    const { call } = send({ toUnknownOutcomeError: rejects }, 500, { status: "FAILED" });
    expect(await errorOf(call, ApiError)).toMatchObject({ outcome: "unknown", httpStatus: 500 });
  });
});

describe("a hook that decides at once", () => {
  it("is believed", async () => {
    const no = send({ isRejection: () => false }, 400, { status: "FAILED" });
    expect((await errorOf(no.call)).outcome).toBe("unknown");
    const yes = send({ isRejection: () => true }, 500, { status: "FAILED" });
    expect((await errorOf(yes.call)).outcome).toBe("rejected");
    expect(await send({ isSuccess: () => true }, 303, { status: "?" }).call).toEqual({ status: "?" });
    await failureOf(send({ isSuccess: () => false }, 200, { status: "SUCCESS" }).call, ResponseValidationError);
  });

  it("that calls a response a success is not overruled by an abort while the body is checked", async () => {
    const controller = new AbortController();
    const body = schemaOf(() => {
      controller.abort();
      return [{ message: "is odd" }];
    });
    const { call } = send(
      { body, isSuccess: () => true },
      200,
      { status: "SUCCESS" },
      {},
      { signal: controller.signal },
    );
    expect((await call.withResponse()).warnings).toMatchObject([{ message: "is odd" }]);
  });

  it("that calls a response a success is not overruled by a check that throws: a warning says so", async () => {
    const body = schemaOf(boom);
    const { call } = send({ body, isSuccess: () => true }, 200, { status: "SUCCESS" });
    expect((await call.withResponse()).warnings).toEqual([
      { path: [], message: "could not be checked: the check of this operation threw", code: "not_checked" },
    ]);
  });

  it.each([
    [200, []],
    [299, []],
    [300, [{ path: [], message: "came with HTTP 300", code: "unexpected_http_status" }]],
  ])("that calls a response under HTTP %d a success may have a warning", async (status, warnings) => {
    const { call } = send({ isSuccess: () => true }, status, { status: "SUCCESS" });
    expect((await call.withResponse()).warnings).toEqual(warnings);
  });

  it("finds no issues if it returns nothing", async () => {
    const { call, sent } = send({ validateParams() {} }, 200, { status: "SUCCESS" });
    expect(await call).toEqual({ status: "SUCCESS" });
    expect(sent).toHaveLength(1);
  });
});

describe("a retryDelay that returns no duration", () => {
  it.each<[string, () => unknown]>([
    ["it throws", boom],
    ["NaN", () => Number.NaN],
    ["a negative one", () => -1],
    ["true", () => true],
    ['"0"', () => "0"],
    ["a list", () => []],
    ["null", () => null],
    ["a rejected promise", rejects],
  ])("leaves the pause to the default: %s", async (_case, retryDelay) => {
    vi.spyOn(Math, "random").mockReturnValueOnce(0.01);
    const pauses: number[] = [];
    const options = { maxRetries: 1, retryDelay: retryDelay as () => number };
    const onEvent = (event: ClientEvent) => event.type === "retry" && pauses.push(event.delay);
    await errorOf(send({ retry: "safe" }, 503, {}, { ...options, onEvent }).call);
    expect(pauses).toEqual([5]);
  });
});
