import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { BookingOutcomeUnknownError, ConfigurationError, NotFoundError } from "../src/errors/index.ts";
import { ServiceApi, transactionNotifyVersion, validationBasedVersion, version } from "../src/index.ts";
import { memoryStore, Webhooks } from "../src/webhooks/index.ts";
import { bookUnchecked } from "./support/book.ts";
import { clientOf, failureOf, sample } from "./support/client.ts";
import { safe } from "./support/operations.ts";
import { expectNoSecret, secret } from "./support/secrets.ts";
import { serve } from "./support/serve.ts";
import { answers, startServer, succeeds } from "./support/server.ts";

describe("new ServiceApi()", () => {
  it("needs nothing and sends nothing: what is missing is asked for at the first call", async () => {
    for (const name of ["SERVICEAPI_BASE_URL", "SERVICEAPI_CLIENT_ID", "SERVICEAPI_CLIENT_SECRET"])
      vi.stubEnv(name, undefined);
    const api = new ServiceApi();
    await failureOf(api.send(safe, {}), ConfigurationError);
  });

  it("reads the environment at each call, so that it may be set later", async () => {
    const server = await startServer(succeeds);
    const api = new ServiceApi({ clientId: "test-client", clientSecret: secret });
    vi.stubEnv("SERVICEAPI_BASE_URL", server.url);
    await api.send(safe, {});
    expect(server.requests).toHaveLength(1);
  });

  it("a base URL from the environment is held to the same rules", async () => {
    vi.stubEnv("SERVICEAPI_BASE_URL", "http://api.example.com");
    const api = new ServiceApi({ clientId: "test-client", clientSecret: secret });
    expect((await failureOf(api.send(safe, {}), ConfigurationError)).message).toContain("must be https");
  });
});

describe("the areas", () => {
  it("each send to the address of §4 with the method's own name on errors", async () => {
    const { server, api } = await serve(answers(404, { status: "FAILED" }), { validation: { request: "off" } });
    const any = {} as never;
    const names = await Promise.all(
      [
        api.verification.findVpas(any),
        api.ai.createResponse(any),
        api.flights.fareQuote(any),
        api.flights.fareRule(any),
        api.flights.book(any),
      ].map(async (call) => (await failureOf(call, NotFoundError)).operation),
    );
    expect(names).toEqual([
      "verification.findVpas",
      "ai.createResponse",
      "flights.fareQuote",
      "flights.fareRule",
      "flights.book",
    ]);
    expect(server.requests.map(({ path }) => path).sort()).toEqual([
      "/api/serviceapi-prod/api/ai/create-response",
      "/flight/book",
      "/flight/fare_quote",
      "/flight/fare_rule",
      "/verification/upimobile_multiple",
    ]);
  });

  it("its webhooks are the receiver that it was given; without one, the error asks for it", () => {
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    const api = new ServiceApi({ webhooks });
    expect([api.webhooks, api.withOptions({ timeout: 1 }).webhooks]).toEqual([webhooks, webhooks]);
    const other = new Webhooks();
    expect(api.withOptions({ webhooks: other }).webhooks).toBe(other);
    expect(() => new ServiceApi().webhooks).toThrow(
      /^ServiceApi: set the option `webhooks` to a receiver: new Webhooks/,
    );
    const options = { webhooks: { auth: "none" } } as object;
    expect(() => new ServiceApi(options)).toThrow("ServiceApi: `webhooks` must be a receiver: new Webhooks({…}) of");
  });
});

describe("withOptions()", () => {
  it("returns a new client; the other stays as it is", async () => {
    const { server, api } = await serve(succeeds, { headers: { "x-tenant": "one" } });
    const other = api.withOptions({ headers: { "x-tenant": "two" }, clientId: "other-client" });
    expect(other).not.toBe(api);
    await api.send(safe, {});
    await other.send(safe, {});
    expect(server.requests.map(({ headers }) => [headers["x-tenant"], headers["client-id"]])).toEqual([
      ["one", "test-client"],
      ["two", "other-client"],
    ]);
  });

  it("changes known messages by their lists: who adds refusals keeps the confirmations", async () => {
    const server = await startServer(
      answers(200, { status: "SUCCESS", message: "Buchung liegt vor.", data: { result: { pnr: "ABC123" } } }),
    );
    const confirming = clientOf(server, { knownMessages: { booked: ["Buchung liegt vor"] } });
    for (const api of [confirming, confirming.withOptions({ knownMessages: { refused: ["Abgelehnt"] } })]) {
      const { data } = await bookUnchecked(api);
      expect(data?.result?.pnr).toBe("ABC123");
    }
    await failureOf(bookUnchecked(clientOf(server)), BookingOutcomeUnknownError);
  });

  it("and the first keep the lists with which they were made", async () => {
    const knownMessages = { booked: [] as string[], refused: [] as string[] };
    const { api } = await serve(answers(400, { status: "FAILED", message: "Odd sentence" }), { knownMessages });
    knownMessages.refused.push("Odd sentence");
    const error = await failureOf(bookUnchecked(api), BookingOutcomeUnknownError);
    expect(error.outcome).toBe("unknown");
  });

  it("changes headers by their entries, and nothing by undefined", async () => {
    const { server, api } = await serve(succeeds, { headers: { "x-tenant": "one", "x-team": "blue" } });
    await api.withOptions({ headers: { "x-tenant": "two" }, clientId: undefined }).send(safe, {});
    expect(server.requests[0]?.headers).toMatchObject({
      "x-tenant": "two",
      "x-team": "blue",
      "client-id": "test-client",
    });
  });

  it("refuses what the constructor refuses", () => {
    const api = new ServiceApi();
    expect(() => api.withOptions({ baseUrl: "http://api.example.com" })).toThrow(ConfigurationError);
    expect(() => api.withOptions({ maxRetries: -1 })).toThrow(ConfigurationError);
    expect(() => api.withOptions({ time_out: 1 } as never)).toThrow(/did you mean "timeout"/);
  });

  it("a later change of the object that was passed changes nothing", async () => {
    const server = await startServer(answers(503, {}));
    const options = { baseUrl: server.url, clientId: "test-client", clientSecret: secret, maxRetries: 0 };
    const api = new ServiceApi(options);
    options.maxRetries = 5;
    await api.send(safe, {}).catch(() => {});
    expect(server.requests).toHaveLength(1);
  });
});

describe("options of one call", () => {
  it("are refused by name if they are unknown, and the call was not sent", async () => {
    const { server, api } = await serve(answers(200, sample("verification/success-single")));
    const call = api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, {
      time_out: 5,
    } as never);
    const error = await failureOf(call, ConfigurationError);
    expect(error.message).toContain('verification.findVpas: unknown option "time_out" (did you mean "timeout"?)');
    expect(server.requests).toHaveLength(0);
  });

  it("that are undefined leave the client's own in force", async () => {
    const { server, api } = await serve(answers(503, {}), { maxRetries: 1 });
    await api
      .send(safe, {}, { maxRetries: undefined, timeout: undefined, headers: undefined, validation: undefined })
      .catch(() => {});
    expect(server.requests).toHaveLength(2);
  });
});

describe("rule 1: a client never shows its credentials", () => {
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "test-client", clientSecret: secret });

  it("to console.log, JSON.stringify or a template", () => {
    expectNoSecret(api);
    expect(inspect(api)).toBe('ServiceApi { baseUrl: "https://api.example.com" }');
    expect(JSON.stringify(api)).toBe('{"name":"ServiceApi","baseUrl":"https://api.example.com"}');
    expect(`${api}`).toBe("[object Object]");
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    console.log(api);
    expect(inspect(log.mock.calls, { depth: 10, showHidden: true })).not.toContain(secret);
  });

  it("and says where the base URL comes from if the options have none", () => {
    expect(inspect(new ServiceApi())).toBe("ServiceApi { baseUrl: not set }");
  });
});

describe("versions", () => {
  it("the package's own is that of package.json", () => {
    expect(version).toBe(manifest.version);
  });

  it("§9: those of the webhook products that the library was built against", () => {
    expect([transactionNotifyVersion, validationBasedVersion]).toEqual(["2.3.12", "3.7.1"]);
  });
});
