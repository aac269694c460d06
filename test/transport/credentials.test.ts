import { describe, expect, it, vi } from "vitest";
import { AbortError, ConfigurationError, TimeoutError } from "../../src/errors/index.ts";
import { ServiceApi } from "../../src/index.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { never, safe } from "../support/operations.ts";
import { everyPrintOf, secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers, inTurn, startServer, succeeds } from "../support/server.ts";
import { throws } from "../support/throws.ts";
import { watchUnhandled } from "../support/unhandled.ts";

describe("§5: the headers of every request", () => {
  it("carries client-id, client-secret and Content-Type, and adds only Accept and User-Agent", async () => {
    const { server, api } = await serve(succeeds);
    await api.send(safe, {});
    expect(server.requests[0]?.headers).toMatchObject({
      "client-id": "test-client",
      "client-secret": secret,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": expect.stringMatching(/^serviceapi\/\d+\.\d+\.\d+/),
    });
    const ofTheRuntime = [
      "host",
      "connection",
      "accept-language",
      "sec-fetch-mode",
      "accept-encoding",
      "content-length",
      // Of `cache: "no-store"`.
      "cache-control",
      "pragma",
    ];
    expect(
      Object.keys(server.requests[0]?.headers ?? {})
        .filter((name) => !ofTheRuntime.includes(name))
        .sort(),
    ).toEqual(["accept", "client-id", "client-secret", "content-type", "user-agent"]);
  });

  it("is read from the environment if the options have none", async () => {
    const server = await startServer(succeeds);
    vi.stubEnv("SERVICEAPI_BASE_URL", server.url);
    vi.stubEnv("SERVICEAPI_CLIENT_ID", "from-environment");
    vi.stubEnv("SERVICEAPI_CLIENT_SECRET", secret);
    await new ServiceApi().send(safe, {});
    expect(server.requests[0]?.headers).toMatchObject({ "client-id": "from-environment", "client-secret": secret });
  });

  it.each([
    ["clientId", { clientSecret: secret }, "SERVICEAPI_CLIENT_ID"],
    ["clientSecret", { clientId: "test-client" }, "SERVICEAPI_CLIENT_SECRET"],
  ])("a missing %s fails the first call, never the construction of the client", async (name, options, variable) => {
    vi.stubEnv("SERVICEAPI_CLIENT_ID", undefined);
    vi.stubEnv("SERVICEAPI_CLIENT_SECRET", undefined);
    const api = new ServiceApi({ baseUrl: nowhere.url, ...options });
    const error = await failureOf(api.send(safe, {}), ConfigurationError);
    expect(error.message).toBe(`\`${name}\` is missing: pass it as an option of the client, or set ${variable}.`);
    expect(error).toMatchObject({ outcome: "notSent", attempts: 0 });
  });

  it("so is a missing base URL", async () => {
    vi.stubEnv("SERVICEAPI_BASE_URL", "");
    const api = new ServiceApi({ clientId: "test-client", clientSecret: secret });
    expect((await failureOf(api.send(safe, {}), ConfigurationError)).message).toContain("set SERVICEAPI_BASE_URL");
  });
});

describe("a credential is visible ASCII", () => {
  it.each([
    ["a newline at its end", `${secret}\n`, /begins or ends with white space.*read from a file/],
    ["a blank before it", ` ${secret}`, /begins or ends with white space/],
    ["a byte order mark before it", `\uFEFF${secret}`, /begins or ends with white space/],
    ["a blank inside", `${secret} ${secret}`, /visible ASCII/],
    ["a newline inside", `${secret}\n${secret}`, /visible ASCII/],
    ["a letter beyond ASCII", `${secret}é`, /visible ASCII/],
    ["a character that cannot be seen", `${secret}\u200B${secret}`, /visible ASCII/],
    ["a NUL", `${secret}\0x`, /visible ASCII/],
  ])("%s is refused and not echoed, whether string or function", async (_case, clientSecret, reason) => {
    for (const given of [clientSecret, () => clientSecret, async () => clientSecret]) {
      const call = async () => clientOf(nowhere, { clientSecret: given }).send(safe, {});
      const error = await failureOf(call(), ConfigurationError);
      expect(error.message).toMatch(reason);
      expect(error.message).toContain("`clientSecret`");
      expect(everyPrintOf(error)).not.toContain(secret);
    }
  });

  it("is refused by the constructor if it is a string", () => {
    expect(() => clientOf(nowhere, { clientSecret: `${secret}\n` })).toThrow(
      "ServiceApi: `clientSecret` begins or ends",
    );
  });

  it.each([
    ["nothing", undefined, "is missing or empty"],
    ["an empty text", "", "is missing or empty"],
    ["null", null, "must be a string"],
    ["a number", 4711, "must be a string"],
  ])("a function that returns %s is refused, and the environment is not asked", async (_case, value, complaint) => {
    vi.stubEnv("SERVICEAPI_CLIENT_ID", "from-environment");
    vi.stubEnv("SERVICEAPI_CLIENT_SECRET", secret);
    for (const name of ["clientId", "clientSecret"]) {
      const { server, api } = await serve(succeeds, { [name]: () => value as string });
      const error = await failureOf(api.send(safe, {}), ConfigurationError);
      expect(error.message).toBe(`\`${name}\`, from its function, ${complaint}.`);
      expect(server.requests).toHaveLength(0);
    }
  });
});

describe("functions are read at each call, so that rotation needs no restart", () => {
  it("sends what the function returns at that moment", async () => {
    let generation = 0;
    const { server, api } = await serve(succeeds, {
      clientId: () => "rotating",
      clientSecret: async () => `secret-${++generation}`,
    });
    await api.send(safe, {});
    await api.send(safe, {});
    expect(server.requests.map(({ headers }) => headers["client-secret"])).toEqual(["secret-1", "secret-2"]);
  });

  it("reads once for a call with retries", async () => {
    const provider = vi.fn(() => secret);
    const { server, api } = await serve(inTurn(answers(503, {}), succeeds), {
      clientSecret: provider,
    });
    await api.send(safe, {});
    expect(server.requests).toHaveLength(2);
    expect(provider).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["throws", throws(new Error(`vault said ${secret}`))],
    ["rejects", () => Promise.reject(new Error(`vault said ${secret}`))],
  ])("a function that %s does not leak its message into ours", async (_case, clientSecret) => {
    const error = await failureOf(clientOf(nowhere, { clientSecret }).send(safe, {}), ConfigurationError);
    expect(error.message).toMatch(/^The function passed as `clientSecret` threw\. Nothing was sent\. Log its error/);
    expect(everyPrintOf(error)).not.toContain("vault");
  });

  it("both functions may fail without an unhandled rejection", async () => {
    const unhandled = watchUnhandled();
    const fails = () => Promise.reject(new Error("vault is down"));
    await failureOf(clientOf(nowhere, { clientId: fails, clientSecret: fails }).send(safe, {}), ConfigurationError);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});

describe("a function that never returns", () => {
  const hangs = () => new Promise<string>(() => {});

  it("ends with the caller's signal, and nothing was sent", async () => {
    const asked = gate();
    const controller = new AbortController();
    const api = clientOf(nowhere, {
      clientSecret: () => {
        asked.open();
        return hangs();
      },
    });
    const call = api.send(never, { client_referenceId: "order-17" }, { signal: controller.signal });
    await asked.opened;
    controller.abort();
    const error = await failureOf(call, AbortError);
    expect(error).toMatchObject({
      phase: "credentials",
      outcome: "notSent",
      attempts: 0,
      clientReferenceId: "order-17",
    });
  });

  it.each([
    ["total", { totalTimeout: 30 }],
    ["attempt", { timeout: 30 }],
    ["attempt", { timeout: 30, totalTimeout: false }],
  ] as const)("ends with the %s deadline of %j", async (deadline, options) => {
    const error = await failureOf(clientOf(nowhere, { clientSecret: hangs }).send(safe, {}, options), TimeoutError);
    expect(error).toMatchObject({ deadline, phase: "credentials", outcome: "notSent", attempts: 0 });
    expect(error.message).toBe(
      `test.safe: the function passed as \`clientSecret\` did not return within 30 ms (\`${Object.keys(options)[0]}\`). Nothing was sent.`,
    );
  });

  it("is not blamed once it has returned", async () => {
    const api = clientOf(nowhere, { clientSecret: async () => secret, fetch: () => new Promise(() => {}) });
    const { message } = await failureOf(api.send(never, {}, { timeout: 30 }), TimeoutError);
    expect(message).toContain("test.never: no response within 30 ms (`timeout`), waiting for the response.");
  });

  it("is not singled out if both credentials are functions", async () => {
    const api = clientOf(nowhere, { clientId: hangs, clientSecret: hangs });
    const { message } = await failureOf(api.send(safe, {}, { timeout: 30 }), TimeoutError);
    expect(message).toContain("the function passed as `clientId` or `clientSecret` did not return within 30 ms");
  });
});

describe("a credential that is passed replaces that of the environment", () => {
  it("null is refused by the constructor", () => {
    vi.stubEnv("SERVICEAPI_CLIENT_SECRET", secret);
    const options = { baseUrl: nowhere.url, clientId: "tenant-7", clientSecret: null as never };
    expect(() => new ServiceApi(options)).toThrow("`clientSecret` must be a string");
  });
});
