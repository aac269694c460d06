import { describe, expect, it, vi } from "vitest";
import { ConnectionError } from "../../src/index.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers } from "../support/server.ts";

describe("a cache between the client and the service, such as that of Next.js", () => {
  const spied = () => vi.fn(async (_url: string, _init: RequestInit) => new Response("{}"));

  it.each([safe, ifNotProcessed, never])("must not store the response of $name", async (operation) => {
    const fetch = spied();
    await clientOf(nowhere, { fetch: fetch as unknown as typeof globalThis.fetch }).send(operation, {});
    vi.stubGlobal("fetch", fetch);
    await clientOf(nowhere).send(operation, {});
    for (const [, init] of fetch.mock.calls) expect(init.cache).toBe("no-store");
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["whose requests have no such property, as workerd with an early compatibility date", class Request {}],
    ["without `Request`", undefined],
  ])("is not mentioned in a runtime %s", async (_runtime, Request) => {
    const fetch = spied();
    vi.stubGlobal("fetch", fetch);
    vi.stubGlobal("Request", Request);
    await clientOf(nowhere).send(safe, {});
    expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("cache");
  });

  it("is named by the headers of the request, as it arrives", async () => {
    const { server, api } = await serve(answers(200, {}));
    await api.send(safe, {});
    expect(server.requests[0]?.headers).toMatchObject({ "cache-control": "no-cache" });
  });
});

describe("Next.js that renders a route at build time, and refuses what must not be cached", () => {
  const refusal = () => Object.assign(new Error("Dynamic server usage: …"), { digest: "DYNAMIC_SERVER_USAGE" });
  const refusing = (error: unknown) => vi.fn(() => Promise.reject(error));

  it("gets its own digest back, by which it renders the route for each request: nothing was sent", async () => {
    const fetch = refusing(refusal());
    const api = clientOf(nowhere, { fetch });
    const booking = bookUnchecked(api);
    for (const call of [api.send(safe, {}), api.send(never, {}), booking]) {
      const error = await failureOf(call, ConnectionError);
      expect(error).toMatchObject({ digest: "DYNAMIC_SERVER_USAGE", outcome: "notSent", isRetryable: false });
      expect(error.message).toContain("Next.js renders this route at build time");
      expect(JSON.stringify(error)).not.toContain("digest");
    }
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it("and the digest of any other error: the outcome is unknown", async () => {
    const fetch = refusing(Object.assign(new Error("hanging"), { digest: "HANGING_PROMISE_REJECTION" }));
    const error = await failureOf(clientOf(nowhere, { fetch, maxRetries: 0 }).send(safe, {}), ConnectionError);
    expect(error).toMatchObject({ digest: "HANGING_PROMISE_REJECTION", outcome: "unknown" });
  });

  it.each([undefined, 42])("and none that is not a string: %j", async (digest) => {
    const fetch = refusing(Object.assign(new Error("broken"), { digest }));
    const error = await failureOf(clientOf(nowhere, { fetch, maxRetries: 0 }).send(safe, {}), ConnectionError);
    expect(error).not.toHaveProperty("digest");
  });
});

describe("a spy on the global `fetch`", () => {
  it.each([
    ["a string, of a look-up", safe, "string"],
    ["a stream, of a call that must not be sent twice", ifNotProcessed, "object"],
    ["a stream, of a call that must be sent once", never, "object"],
  ] as const)("reads the body with `new Response(body)`: %s", async (_case, operation, type) => {
    const bodies: unknown[] = [];
    vi.stubGlobal("fetch", async (_url: string, { body }: RequestInit) => {
      bodies.push(typeof body, await new Response(body).json());
      return new Response("{}");
    });
    await clientOf(nowhere).send(operation, { a: 1 });
    expect(bodies).toEqual([type, expect.objectContaining({ a: 1 })]);
  });
});
