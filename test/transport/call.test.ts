import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import {
  AbortError,
  ConfigurationError,
  NotFoundError,
  RequestValidationError,
  UnexpectedResponseError,
} from "../../src/errors.ts";
import { findVpas } from "../../src/index.ts";
import { clientOf, failureOf } from "../support/client.ts";
import { collectGarbage } from "../support/gc.ts";
import { made, never, safe, schemaOf } from "../support/operations.ts";
import { drip, reply, startServer } from "../support/server.ts";
import { watchTimers } from "../support/timers.ts";

const body = { status: "SUCCESS", status_code: "200", data: { n: 1 } };
const succeeds = () => startServer((response) => reply(response, 200, body, { "x-request-id": "r-1" }));
const fails = () => startServer((response) => reply(response, 404, { status: "FAILED" }));
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe("a call is sent when it is made, once", () => {
  it("without being awaited", async () => {
    const server = await succeeds();
    clientOf(server).send(safe, {});
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

  it("and one that fails and is never awaited is no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const server = await fails();
    const api = clientOf(server);
    api.send(safe, {});
    api.verification.findVpas({ vpa_mobile: "1", consent: "Y" });
    const dead = clientOf({ url: "http://127.0.0.1:1" }, { maxRetries: 0 });
    dead.send(never, {});
    await server.received(1);
    await turns();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("one that fails before it is awaited fails when it is", async () => {
    const call = clientOf({ url: "https://api.example.com" }).send(findVpas, { vpa_mobile: "1", consent: "Y" });
    await turns();
    await failureOf(call, RequestValidationError);
    await failureOf(call.withResponse(), RequestValidationError);
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

  it("Promise.all, allSettled, race and any take it", async () => {
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
    await expect(
      clientOf(server)
        .send(safe, {})
        .then(() => {
          throw mine;
        }),
    ).rejects.toBe(mine);
  });
});

describe("withResponse()", () => {
  it("gives the body with status, headers, attempts, reference and warnings", async () => {
    const server = await startServer((response, _request, n) =>
      reply(response, n === 1 ? 500 : 201, body, { "x-request-id": "r-1" }),
    );
    const answer = await clientOf(server).send(safe, { client_referenceId: "order-17" }).withResponse();
    expect(answer).toMatchObject({ data: body, attempts: 2, clientReferenceId: "order-17", warnings: [] });
    expect(answer.response.status).toBe(201);
    expect(answer.response.headers.get("x-request-id")).toBe("r-1");
    expect(answer.response.bodyUsed).toBe(true);
  });
});

describe("asResponse()", () => {
  it.each([
    ["a success", 200, '{"status":"SUCCESS"}'],
    ["FAILED in a 200", 200, '{"status":"FAILED"}'],
    ["a web page", 200, "<html></html>"],
    ["a refusal", 404, '{"status":"failed"}'],
    ["a success body under 400", 400, '{"status":"SUCCESS"}'],
  ])("resolves for any final status, body unread: %s", async (_case, status, text) => {
    const server = await startServer((response) => reply(response, status, text));
    const response = await clientOf(server).send(safe, {}).asResponse();
    expect(response.bodyUsed).toBe(false);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
    expect(server.requests).toHaveLength(1);
  });

  it("repeats first what may be repeated, and resolves for the last status", async () => {
    const server = await startServer((response) => reply(response, 503, "later"));
    const response = await clientOf(server).send(safe, {}).asResponse();
    expect(response.status).toBe(503);
    expect(await response.text()).toBe("later");
    expect(server.requests).toHaveLength(3);
    await server.idle().catch(() => {});
  });

  it("repeats by the status alone, whatever the body says", async () => {
    const server = await startServer((response, _request, n) =>
      reply(response, n === 1 ? 503 : 200, { status: "FAILED", status_code: "400" }),
    );
    const response = await clientOf(server).send(safe, {}).asResponse();
    expect(response.status).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it("does not repeat a refusal whose Retry-After is too far off", async () => {
    const server = await startServer((response) => reply(response, 429, "", { "retry-after": "3600" }));
    expect((await clientOf(server).send(safe, {}).asResponse()).status).toBe(429);
    expect(server.requests).toHaveLength(1);
  });

  it("does not wait for the body", async () => {
    const server = await startServer((response) => {
      response.writeHead(200);
      response.flushHeaders();
    });
    const response = await clientOf(server).send(safe, {}).asResponse();
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("checks nothing", async () => {
    const strict = made({ body: schemaOf(() => [{ message: "never right" }]), essential: ["x"] });
    const server = await succeeds();
    expect((await clientOf(server).send(strict, {}).asResponse()).status).toBe(200);
  });

  it("its deadline ends with the headers", async () => {
    let finish = () => {};
    const server = await startServer((response) => {
      response.writeHead(200);
      response.flushHeaders();
      finish = () => response.end("late");
    });
    const timers = watchTimers();
    const response = await clientOf(server).send(safe, {}, { timeout: 5_000, totalTimeout: 6_000 }).asResponse();
    expect(timers()).toBe(0);
    finish();
    expect(await response.text()).toBe("late");
  });

  it("the caller's abort still governs the body", async () => {
    const server = await startServer((response) => {
      response.writeHead(200);
      drip(response);
    });
    const controller = new AbortController();
    const response = await clientOf(server).send(safe, {}, { signal: controller.signal }).asResponse();
    const reading = response.text();
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await server.idle();
  });

  it("also after garbage collection, in 20 of 20 runs", async () => {
    const server = await startServer((response) => {
      response.writeHead(200);
      drip(response);
    });
    const api = clientOf(server);
    for (let run = 0; run < 20; run++) {
      const controller = new AbortController();
      const response = await api.send(safe, {}, { signal: controller.signal }).asResponse();
      const reader = response.body?.getReader();
      await reader?.read();
      await turns();
      collectGarbage();
      const reading = (async () => {
        while (!(await reader?.read())?.done);
      })();
      controller.abort(new Error("enough"));
      await expect(reading).rejects.toThrow("enough");
    }
    await server.idle();
  });

  it("lets go of the signal at once where there is no body", async () => {
    const server = await startServer((response) => response.writeHead(204).end());
    const { signal } = new AbortController();
    await clientOf(server).send(safe, {}, { signal }).asResponse();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("an abort before the headers is an AbortError", async () => {
    const server = await startServer(() => {});
    const controller = new AbortController();
    const failure = failureOf(clientOf(server).send(safe, {}, { signal: controller.signal }).asResponse(), AbortError);
    await server.received(1);
    controller.abort();
    expect(await failure).toMatchObject({ phase: "headers" });
  });
});

describe("the body of a call goes to one of both, and the other is told so", () => {
  it("asResponse() after await", async () => {
    const server = await succeeds();
    const call = clientOf(server).send(safe, {});
    await call;
    expect((await failureOf(call.asResponse(), ConfigurationError)).message).toContain(
      "call asResponse() first and alone",
    );
  });

  it("await after asResponse()", async () => {
    const server = await succeeds();
    const call = clientOf(server).send(safe, {});
    const response = await call.asResponse();
    expect((await failureOf(call, ConfigurationError)).message).toContain("make another call to have it parsed");
    expect(await response.json()).toEqual(body);
    expect(await call.asResponse()).toBe(response);
  });
});

describe("a custom fetch", () => {
  it("is used as it is, and given the address, headers, body and signal", async () => {
    const custom = vi.fn<typeof fetch>(async () => Response.json(body));
    await clientOf({ url: "https://api.example.com" }, { fetch: custom }).send(safe, { n: 1 });
    expect(custom).toHaveBeenCalledOnce();
    const [url, init] = custom.mock.calls[0] ?? [];
    expect(url).toBe("https://api.example.com/made/up");
    expect(init).toMatchObject({ method: "POST", redirect: "manual", signal: expect.any(AbortSignal) });
    expect(JSON.parse(String(init?.body))).toMatchObject({ n: 1 });
    expect(new Headers(init?.headers).get("client-id")).toBe("test-client");
  });

  it("a runtime's own that is replaced later (msw, tracing) is seen", async () => {
    const api = clientOf({ url: "https://api.example.com" });
    const replaced = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(body));
    for (const operation of [safe, never]) expect(await api.send(operation, {})).toEqual(body);
    expect(replaced).toHaveBeenCalledTimes(2);
    replaced.mockRestore();
  });

  it("one that gives no response fails as one of our errors", async () => {
    const api = clientOf({ url: "https://api.example.com" }, { fetch: async () => undefined as never });
    expect(await failureOf(api.send(safe, {}), ConfigurationError)).toMatchObject({ outcome: "unknown", attempts: 1 });
  });

  it("one that gives an answer of HTTP 200 without a body is told apart from an answer", async () => {
    const api = clientOf({ url: "https://api.example.com" }, { fetch: async () => new Response(null) });
    expect(await failureOf(api.send(never, {}), UnexpectedResponseError)).toMatchObject({ reason: "empty" });
  });
});
