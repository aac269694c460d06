import { createEmulator } from "serviceapi/emulator";
import { nodeFetch } from "serviceapi/node";
import { findMany } from "serviceapi/verification";
import { describe, expect, it } from "vitest";
import { ConfigurationError, type RequestOptions, ServiceApi, type ServiceApiOptions } from "../src/index.ts";
import { failureOf } from "./support/client.ts";
import { made } from "./support/operations.ts";

/** Arguments that a caller without types may pass. */
const refusalOf = (options: unknown): string => {
  try {
    new ServiceApi(options as ServiceApiOptions);
  } catch (error) {
    if (ConfigurationError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error("was accepted");
};

const complete: Required<{ [Name in keyof ServiceApiOptions]: NonNullable<ServiceApiOptions[Name]> }> = {
  baseUrl: "https://api.example.com",
  clientId: "id",
  clientSecret: () => "secret",
  webhooks: {},
  timeout: 1,
  totalTimeout: false,
  maxRetries: 0,
  retryDelay: () => 0,
  maxRetryAfter: 0,
  idleTimeout: 60_000,
  eventTimeout: false,
  streamTimeout: 2_147_483_647,
  reorderTimeout: 100,
  maxResponseBytes: 1,
  maxEventBytes: 1,
  fetch: async () => new Response(),
  headers: { "x-request-source": "test" },
  userAgent: false,
  pathPrefixes: { verification: "", ai: "v1", flights: "" },
  dangerouslyAllowHttp: ["emulator"],
  dangerouslyAllowBrowser: false,
  validation: { request: "off", response: "strict" },
  classifyError: () => undefined,
  knownMessages: { refused: ["Sitzung beendet"], booked: [] },
  createReference: () => "reference",
  mobile: "asGiven",
  contextTokenPattern: false,
  logger: console,
  logLevel: "off",
  logPersonalData: false,
  onEvent: () => {},
};

describe("the options of a client", () => {
  it("are all accepted, and may all be omitted or undefined", () => {
    expect(() => new ServiceApi(complete)).not.toThrow();
    expect(() => new ServiceApi()).not.toThrow();
    const undefineds = Object.fromEntries(Object.keys(complete).map((name) => [name, undefined]));
    expect(() => new ServiceApi(undefineds)).not.toThrow();
  });

  it("are refused by name if unknown, with the name that was probably meant", () => {
    expect(refusalOf({ baseURL: "https://api.example.com" })).toContain('"baseURL" (did you mean "baseUrl"?)');
    expect(refusalOf({ max_retries: 1 })).toContain('"max_retries" (did you mean "maxRetries"?)');
    expect(refusalOf({ retries: 1 })).toMatch(/^ServiceApi: unknown option "retries"\. Known: baseUrl, /);
  });

  it.each<[string, unknown, string]>([
    ["no object", null, "the options must be an object"],
    ["a negative duration", { timeout: -1 }, "`timeout` must be a number of milliseconds between 1"],
    [
      "a duration that setTimeout takes for none",
      { idleTimeout: 2_147_483_648 },
      "`idleTimeout` must be a number of milliseconds",
    ],
    ["a duration as text", { totalTimeout: "30s" }, "`totalTimeout` must be a number of milliseconds"],
    ["a duration that is no number", { eventTimeout: Number.NaN }, "`eventTimeout` must be a number of milliseconds"],
    ["a fraction of a retry", { maxRetries: 1.5 }, "`maxRetries` must be an integer of at least 0"],
    ["no count at all", { maxResponseBytes: Number.POSITIVE_INFINITY }, "`maxResponseBytes` must be an integer"],
    ["something else than a function", { fetch: "fetch" }, "`fetch` must be a function"],
    ["an unknown word", { mobile: "raw" }, '`mobile` must be "normalize" or "asGiven"'],
    ["an unknown log level", { logLevel: "verbose" }, '`logLevel` must be "off", "error", '],
    ["an unknown validation", { validation: { response: "lax" } }, 'validation: `response` must be "essential"'],
    ["a misspelt validation", { validation: { respnse: "off" } }, 'validation: unknown option "respnse"'],
    ["validation as a word", { validation: "off" }, "validation: the options must be an object"],
    [
      "an unknown area",
      { pathPrefixes: { flight: "v1" } },
      'pathPrefixes: unknown option "flight" (did you mean "flights"?)',
    ],
    ["a path prefix that is no text", { pathPrefixes: { ai: 1 } }, "pathPrefixes: `ai` must be a path below `baseUrl`"],
    ["no agent, said wrongly", { userAgent: null }, "`userAgent` must be a string, or `false` to omit it"],
    ["a pattern as text", { contextTokenPattern: "^svc_" }, "`contextTokenPattern` must be a RegExp, or `false`"],
    ["a switch as a word", { logPersonalData: "no" }, "`logPersonalData` must be true or false"],
    [
      "a logger of one method",
      { logger: { error() {} } },
      "`logger` must be an object with warn(), info() and debug()",
    ],
    ["a host as text", { dangerouslyAllowHttp: "emulator" }, "`dangerouslyAllowHttp` must be a list"],
    [
      "a Headers object, whose entries would be lost",
      { headers: new Headers({ a: "1" }) },
      "`headers` must be a plain",
    ],
    ["a header that is no text", { headers: { a: undefined } }, '`headers` has a value that is not a string: "a"'],
    [
      "a header that HTTP does not allow",
      { headers: { "x-a": "a\nsecret" } },
      '`headers` has a name or value that HTTP does not allow: "x-a"',
    ],
    ["the secret as a header", { headers: { "Client-Secret": "s" } }, "set `clientSecret` instead"],
  ])("are refused: %s", (_name, options, message) => {
    expect(refusalOf(options)).toContain(message);
  });
});

describe("a timeout of 0, which disables it in other libraries, is refused with what disables it here", () => {
  const zero = "must be a number of milliseconds between 1 and 2147483647, or `false` to disable it; `0` does not";
  const durations = ["timeout", "totalTimeout", "idleTimeout", "eventTimeout", "streamTimeout"] as const;

  it.each(durations)("%s of a client", (name) => {
    expect(refusalOf({ [name]: 0 })).toContain(`\`${name}\` ${zero}`);
    expect(() => new ServiceApi({ [name]: false })).not.toThrow();
  });

  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "id", clientSecret: "secret" });
  const request = { vpa_mobile: "6000000001", consent: "Y" } as const;
  it.each<[string, (options: object) => unknown, string]>([
    ["timeout of a call", (options) => api.verification.findVpas(request, options), "timeout"],
    [
      "idleTimeout of a stream",
      (options) => api.ai.stream({ user: { text: "Hi" } }, options).finalText(),
      "idleTimeout",
    ],
    ["timeout of findMany", (options) => findMany(api, [request], options).next(), "timeout"],
    ["connectTimeout of nodeFetch", nodeFetch, "connectTimeout"],
  ])("%s", async (_case, take, name) => {
    const error = await failureOf((async () => take({ [name]: 0 }))(), ConfigurationError);
    expect(error.message).toContain(`\`${name}\` ${zero}`);
    expect(error.outcome).toBe("notSent");
  });

  it.each<[string, () => unknown]>([
    ["an operation", () => made({ timeout: 0 })],
    [
      "the emulator's wait for an acknowledgement",
      () => createEmulator({ webhook: { to: "https://a.example", auth: "none", ackTimeout: 0 } }),
    ],
  ])("that of %s, which cannot be disabled", (_case, make) => {
    expect(make).toThrow(/imeout` must be a number of milliseconds between 1 and 2147483647/);
  });

  it("but not a wait that may be none", () => {
    expect(() => new ServiceApi({ reorderTimeout: 0 })).not.toThrow();
  });
});

describe("the options of a call", () => {
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "id", clientSecret: "secret" });
  const call = (options: unknown) =>
    api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, options as RequestOptions);

  it.each<[string, unknown, string]>([
    ["one of the client", { baseUrl: "https://other.example" }, 'verification.findVpas: unknown option "baseUrl"'],
    ["one of a stream", { idleTimeout: 1 }, 'unknown option "idleTimeout"'],
    ["a signal that is none", { signal: new AbortController() }, "`signal` must be an AbortSignal"],
    ["an extraBody that would replace the body", { extraBody: "x" }, "`extraBody` must be an object of fields"],
    ["an extraBody of a list", { extraBody: [1] }, "`extraBody` must be an object of fields"],
    ["no object", null, "the options must be an object"],
  ])("are refused before anything is sent: %s", async (_name, options, message) => {
    const error = await failureOf(call(options), ConfigurationError);
    expect(error.message).toContain(message);
    expect(error.outcome).toBe("notSent");
  });
});
