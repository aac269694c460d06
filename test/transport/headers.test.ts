import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/index.ts";
import { version } from "../../src/index.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { safe } from "../support/operations.ts";
import { secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { startServer, succeeds } from "../support/server.ts";

describe("headers", () => {
  it("of a call are sent, then those of withOptions() and of the client, in whatever case each is written", async () => {
    const { server, api } = await serve(succeeds, { headers: { "X-Tenant": "one", "x-trace": "t" } });
    await api.send(safe, {}, { headers: { "x-tenant": "two" } });
    await api.withOptions({ headers: { "x-tenant": "two" } }).send(safe, {}, { headers: { "X-Tenant": "three" } });
    expect(server.requests.map(({ headers }) => [headers["x-tenant"], headers["x-trace"]])).toEqual([
      ["two", "t"],
      ["three", "t"],
    ]);
  });

  it("a user agent that HTTP does not allow is refused: with it, nothing would be sent", () => {
    for (const userAgent of ["shop\nx: y", "shop/1\n", "दुकान"]) {
      expect(() => clientOf(nowhere, { userAgent })).toThrow(
        /`userAgent` has a name or value that HTTP does not allow/,
      );
    }
  });

  it.each([
    ...["client-id", "Client-Secret", "CONTENT-TYPE"],
    ...["Content-Length", "transfer-encoding", "expect", "connection", "keep-alive", "upgrade"],
  ])("%s is reserved for the library", async (name) => {
    expect(() => clientOf(nowhere, { headers: { [name]: secret } })).toThrow(ConfigurationError);
    const error = await failureOf(
      clientOf(nowhere).send(safe, {}, { headers: { [name]: secret } }),
      ConfigurationError,
    );
    expect(error.message).toContain(`\`headers\` cannot set "${name}"`);
  });

  it.each([
    ["a value with a newline", { "x-token": `${secret}\n${secret}` }],
    ["a value that ends with a newline", { authorization: `Bearer ${secret}\n` }],
    ["a value that begins with a newline", { "x-token": `\r\n${secret}` }],
    ["a value with a control character", { "x-token": `${secret}\u0001` }],
    ["a value with NUL", { "x-token": `${secret}\0` }],
    ["a name with a newline", { "x-token\n": secret }],
    ["a value beyond Latin-1", { "x-token": `${secret}आ` }],
    ["a name that is none", { [`x token ${"y".repeat(100)}`]: secret }],
  ])("%s is refused and not echoed", async (_case, headers) => {
    const error = await failureOf(clientOf(nowhere).send(safe, {}, { headers }), ConfigurationError);
    expect(error.message).toMatch(/has a name or value that HTTP does not allow/);
    expect(error.message.length).toBeLessThan(160);
  });
});

describe("User-Agent", () => {
  it("names the package and its version", async () => {
    const { server, api } = await serve();
    await api.send(safe, {});
    expect(server.requests[0]?.headers["user-agent"]).toBe(`serviceapi/${version}`);
  });

  it("can be replaced", async () => {
    const server = await startServer(succeeds);
    await clientOf(server, { userAgent: "shop/2.1" }).send(safe, {});
    await clientOf(server, { headers: { "User-Agent": "by-header/1" } }).send(safe, {});
    expect(server.requests.map(({ headers }) => headers["user-agent"])).toEqual(["shop/2.1", "by-header/1"]);
  });

  it("userAgent: false omits our User-Agent", async () => {
    const custom = vi.fn<typeof fetch>(async () => Response.json({ status: "SUCCESS" }));
    await clientOf(nowhere, { userAgent: false, fetch: custom }).send(safe, {});
    expect(new Headers(custom.mock.calls[0]?.[1]?.headers).has("user-agent")).toBe(false);
  });
});

describe("an environment without fetch", () => {
  it("is refused before anything is sent, and not taken for a broken connection", async () => {
    vi.stubGlobal("fetch", undefined);
    const error = await failureOf(clientOf(nowhere, { fetch: undefined }).send(safe, {}), ConfigurationError);
    expect(error.message).toContain("There is no `fetch`");
    expect(error.outcome).toBe("notSent");
  });

  it("is served by the option `fetch`", async () => {
    vi.stubGlobal("fetch", undefined);
    const custom = vi.fn<typeof fetch>(async () => Response.json({ status: "SUCCESS" }));
    await clientOf(nowhere, { fetch: custom }).send(safe, {});
    expect(custom).toHaveBeenCalledOnce();
  });
});

describe("browsers", () => {
  it("are refused, because anyone can read the secret there", async () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    const error = await failureOf(clientOf(nowhere).send(safe, {}), ConfigurationError);
    expect(error.message).toContain("dangerouslyAllowBrowser");
    expect(error.outcome).toBe("notSent");
  });

  it("are allowed by `dangerouslyAllowBrowser`", async () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    const { server, api } = await serve(succeeds, { dangerouslyAllowBrowser: true });
    await api.send(safe, {});
    expect(server.requests).toHaveLength(1);
  });

  it.each(["window", "document"])(
    "a runtime with %s alone (a worker, an edge runtime) is not a browser",
    async (name) => {
      vi.stubGlobal(name, {});
      const { server, api } = await serve();
      await api.send(safe, {});
      expect(server.requests).toHaveLength(1);
    },
  );
});
