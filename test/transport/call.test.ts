import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ConfigurationError,
  NotFoundError,
  RequestValidationError,
  ServiceApiError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import type { ClientEvent } from "../../src/index.ts";
import { clientOf, errorOf, failureOf, nowhere } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers, inTurn, startServer } from "../support/server.ts";
import { throws } from "../support/throws.ts";

const body = { status: "SUCCESS", status_code: "200", data: { n: 1 } };
const succeeds = () => startServer(answers(200, body, { "x-request-id": "r-1" }));
const fails = () => startServer(answers(404, { status: "FAILED" }));
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A call that nobody awaits holds its response until its deadline. */
const signalOfTest = () => {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller.signal;
};

describe("a call is sent immediately, and once", () => {
  it("without being awaited", async () => {
    const server = await succeeds();
    clientOf(server).send(safe, {}, { signal: signalOfTest() });
    await server.received(1);
  });

  it("however often and however it is awaited", async () => {
    const server = await succeeds();
    const call = clientOf(server).send(safe, {});
    expect(await call).toEqual(body);
    expect(await call).toBe(await call);
    expect((await call.withResponse()).data).toBe(await call);
    await Promise.all([call, call.then(), call.finally(() => {}), call.withResponse()]);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a call that was not awaited", () => {
  it("describes itself in the console", async () => {
    const call = clientOf(await succeeds()).send(safe, {});
    expect(inspect(call)).toBe("ApiCall { test.safe; await it for the response }");
    await call;
    expect(inspect({ call })).toBe("{ call: ApiCall { test.safe; await it for the response } }");
  });
});

describe("a call of something that is not an operation", () => {
  const definition = { name: "a", area: "flights", path: "p", params: safe.params, body: safe.body };
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["a name", "flights.book"],
    ["a definition that defineOperation() did not take", definition],
    ["an operation whose schema is none", { ...safe, params: {} }],
  ])("is refused before anything else: %s", async (_case, operation) => {
    const api = clientOf(nowhere);
    const call = api.send(operation as never, "no params" as never, { timeout: -1 });
    const error = await failureOf(call, ConfigurationError);
    expect(error.message).toBe(
      "send: the first argument must be an operation that defineOperation() returned. Nothing was sent.",
    );
    expect(inspect(call)).toContain("no operation");
  });

  it("accepts one that was created elsewhere, and a schema that is a function", async () => {
    const api = clientOf(await succeeds());
    const schema = Object.assign(() => {}, safe.params);
    expect(await api.send({ ...safe, params: schema }, {})).toEqual(body);
  });
});

describe("a call is a promise", () => {
  it("then, catch and finally behave as a promise's do", async () => {
    const server = await succeeds();
    const api = clientOf(server);
    expect(await api.send(safe, {}).then((value) => [value])).toEqual([body]);
    expect(await api.send(safe, {}).then(null, null)).toEqual(body);
    expect(await api.send(safe, {}).catch(() => "caught")).toEqual(body);
    const order: string[] = [];
    expect(await api.send(safe, {}).finally(() => order.push("finally"))).toEqual(body);
    expect(order).toEqual(["finally"]);
    expect(Object.prototype.toString.call(api.send(safe, {}))).toBe("[object ApiCall]");
  });

  it("then, catch and finally of one that fails", async () => {
    const server = await fails();
    const api = clientOf(server);
    expect(await api.send(safe, {}).catch((error) => error)).toBeInstanceOf(NotFoundError);
    expect(
      await api.send(safe, {}).then(
        () => "answered",
        (error) => error,
      ),
    ).toBeInstanceOf(NotFoundError);
    const done = vi.fn();
    await failureOf(api.send(safe, {}).finally(done), NotFoundError);
    expect(done).toHaveBeenCalledOnce();
  });

  it("Promise.all, allSettled, race and any accept it", async () => {
    const good = clientOf(await succeeds());
    const bad = clientOf(await fails());
    expect(await Promise.all([good.send(safe, {}), good.send(safe, {})])).toEqual([body, body]);
    expect(await Promise.allSettled([good.send(safe, {}), bad.send(safe, {})])).toEqual([
      { status: "fulfilled", value: body },
      { status: "rejected", reason: expect.any(NotFoundError) },
    ]);
    expect(await Promise.race([good.send(safe, {})])).toEqual(body);
    expect(await Promise.any([bad.send(safe, {}), good.send(safe, {})])).toEqual(body);
  });

  it("an error in the caller's own `then` is the caller's", async () => {
    const server = await succeeds();
    const mine = new Error("mine");
    await expect(clientOf(server).send(safe, {}).then(throws(mine))).rejects.toBe(mine);
  });
});

describe("withResponse()", () => {
  it("returns the body with status, headers, attempts, reference and warnings", async () => {
    const { api } = await serve(
      inTurn(answers(500, body, { "x-request-id": "r-1" }), answers(201, body, { "x-request-id": "r-1" })),
    );
    const answer = await api.send(safe, { client_referenceId: "order-17" }).withResponse();
    expect(answer).toMatchObject({ data: body, attempts: 2, clientReferenceId: "order-17", warnings: [] });
    expect(answer.response.status).toBe(201);
    expect(answer.response.headers.get("x-request-id")).toBe("r-1");
    expect(answer.response.bodyUsed).toBe(true);
  });
});

describe("a custom fetch", () => {
  it("is used as it is, and receives the URL, headers, body and signal", async () => {
    const custom = vi.fn<typeof fetch>(async () => Response.json(body));
    await clientOf(nowhere, { fetch: custom }).send(safe, { n: 1 });
    expect(custom).toHaveBeenCalledOnce();
    const [url, init] = custom.mock.calls[0] ?? [];
    expect(url).toBe("https://api.example.com/made/up");
    expect(init).toMatchObject({ method: "POST", redirect: "manual", signal: expect.any(AbortSignal) });
    expect(JSON.parse(String(init?.body))).toMatchObject({ n: 1 });
    expect(new Headers(init?.headers).get("client-id")).toBe("test-client");
  });

  it("a global fetch that is replaced later (msw, tracing) is used", async () => {
    const api = clientOf(nowhere);
    const replaced = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(body));
    for (const operation of [safe, never]) expect(await api.send(operation, {})).toEqual(body);
    expect(replaced).toHaveBeenCalledTimes(2);
  });

  it("one that returns HTTP 200 without a body is distinguished from a response", async () => {
    const api = clientOf(nowhere, { fetch: async () => new Response(null) });
    expect(await failureOf(api.send(never, {}), UnexpectedResponseError)).toMatchObject({ reason: "empty" });
  });
});

it("params that cannot be looked at are refused with one of our errors, which is reported", async () => {
  const events: ClientEvent[] = [];
  const api = clientOf(nowhere, { onEvent: (event) => events.push(event) });
  const params = {
    get client_referenceId(): string {
      throw new Error("not here");
    },
  };
  expect(await failureOf(api.send(never, params), RequestValidationError)).toMatchObject({ outcome: "notSent" });
  expect(events.map(({ type }) => type)).toEqual(["error"]);
});

describe("the stack of an error leads to the caller", () => {
  it.each(["await", "withResponse", "asResponse"] as const)("%s", async (way) => {
    const refusing = await fails();
    const api = clientOf(way === "asResponse" ? { url: "http://127.0.0.1:1" } : refusing, { maxRetries: 0 });
    async function payInvoice(): Promise<unknown> {
      const call = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
      return await (way === "await" ? call : call[way]());
    }
    const error = await errorOf(payInvoice(), ServiceApiError);
    const head = `${error.name}: ${error.message}`;
    expect(error.stack?.slice(0, head.length)).toBe(head);
    expect(error.stack?.slice(head.length)).toMatch(/at (async )?payInvoice /);
  });

  it("for a call that is refused before it is sent", async () => {
    const api = clientOf({ url: "http://127.0.0.1:1" });
    async function payInvoice(): Promise<unknown> {
      return await api.verification.findVpas({ vpa_mobile: "", consent: "Y" });
    }
    async function checkOut(): Promise<unknown> {
      return (await Promise.all([payInvoice()]))[0];
    }
    const { stack } = await errorOf(checkOut(), RequestValidationError);
    expect(stack).toMatch(/at (async )?payInvoice [\s\S]*at (async )?checkOut /);
  });

  it.each([() => null, () => ({}), () => Symbol("s"), throws(new Error("no"))])(
    "whatever `Error.prepareStackTrace` of the application returns (%#)",
    async (prepare) => {
      const original = Error.prepareStackTrace;
      Error.prepareStackTrace = prepare as never;
      try {
        const call = clientOf({ url: "http://127.0.0.1:1" }, { maxRetries: 0 }).send(safe, {});
        const error = await call.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(ServiceApiError.isInstance(error) && error.kind).toBe("connection");
      } finally {
        Error.prepareStackTrace = original;
      }
    },
  );

  it("and is its own if nobody awaits the call", async () => {
    const failed = gate();
    const onEvent = ({ type }: ClientEvent) => type === "error" && failed.open();
    const call = clientOf({ url: "http://127.0.0.1:1" }, { maxRetries: 0, onEvent }).send(safe, {});
    await failed.opened;
    await turns();
    const error = await errorOf(call, ServiceApiError);
    expect(error.stack).toContain(error.message);
    expect(error.stack).toMatch(/\n +at /);
  });
});
