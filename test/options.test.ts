import { readFileSync } from "node:fs";
import { createEmulator } from "serviceapi/emulator";
import { nodeFetch } from "serviceapi/node";
import { findMany } from "serviceapi/verification";
import { describe, expect, it } from "vitest";
import { createResponse, streamResponse } from "../src/ai/operations.ts";
import { transportOf } from "../src/client.ts";
import { book, fareQuote, fareRule } from "../src/flights/operations.ts";
import { defaultSessionLifetime } from "../src/flights/types/tokens.ts";
import { ConfigurationError, type RequestOptions, ServiceApi, type ServiceApiOptions } from "../src/index.ts";
import { operationDefaults } from "../src/operation.ts";
import { defaults } from "../src/options.ts";
import { findVpas } from "../src/verification/operations.ts";
import { Webhooks } from "../src/webhooks/index.ts";
import { read } from "./docs/blocks.ts";
import { failureOf } from "./support/client.ts";
import { made } from "./support/operations.ts";
import { refusalOf } from "./support/refusal.ts";

/** Arguments that a caller without types may pass. */
const refusalOfClient = (options: unknown) => refusalOf(() => new ServiceApi(options as ServiceApiOptions));

const complete: Required<{ [Name in keyof ServiceApiOptions]: NonNullable<ServiceApiOptions[Name]> }> = {
  baseUrl: "https://api.example.com",
  clientId: "id",
  clientSecret: () => "secret",
  webhooks: new Webhooks(),
  timeout: 1,
  totalTimeout: false,
  maxRetries: 0,
  retryDelay: () => 0,
  maxRetryAfter: 0,
  stream: { idleTimeout: 60_000, eventTimeout: false, timeout: 2_147_483_647, reorderTimeout: 100, maxEventBytes: 1 },
  maxResponseBytes: 1,
  fetch: async () => new Response(),
  headers: { "x-request-source": "test" },
  userAgent: false,
  pathPrefixes: { verification: "", ai: "v1", flights: "" },
  dangerouslyAllowHttp: ["emulator"],
  dangerouslyAllowBrowser: false,
  validation: { request: "off", response: "strict", mobile: "asGiven", contextToken: false },
  classifyError: () => undefined,
  knownMessages: { refused: ["Sitzung beendet"], booked: [] },
  createReference: () => "reference",
  log: { logger: console, level: "off", personalData: false },
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
    expect(refusalOfClient({ baseURL: "https://api.example.com" })).toContain('"baseURL" (did you mean "baseUrl"?)');
    expect(refusalOfClient({ idleTimeout: 1 })).toContain('"idleTimeout" (did you mean "stream.idleTimeout"?)');
    expect(refusalOfClient({ max_retries: 1 })).toContain('"max_retries" (did you mean "maxRetries"?)');
    expect(refusalOfClient({ retries: 1 })).toMatch(/^ServiceApi: unknown option "retries"\. Known: baseUrl, /);
  });

  it.each<[string, unknown, string]>([
    ["no object", null, "the options must be an object"],
    ["a negative duration", { timeout: -1 }, "`timeout` must be a number of milliseconds between 1"],
    [
      "a duration that setTimeout takes for none",
      { stream: { idleTimeout: 2_147_483_648 } },
      "stream: `idleTimeout` must be a number of milliseconds",
    ],
    ["a duration as text", { totalTimeout: "30s" }, "`totalTimeout` must be a number of milliseconds"],
    [
      "a duration that is no number",
      { stream: { eventTimeout: Number.NaN } },
      "stream: `eventTimeout` must be a number of milliseconds",
    ],
    ["a fraction of a retry", { maxRetries: 1.5 }, "`maxRetries` must be an integer of at least 0"],
    ["no count at all", { maxResponseBytes: Number.POSITIVE_INFINITY }, "`maxResponseBytes` must be an integer"],
    ["something else than a function", { fetch: "fetch" }, "`fetch` must be a function"],
    ["an unknown word", { validation: { mobile: "raw" } }, 'validation: `mobile` must be "normalize" or "asGiven"'],
    ["an unknown log level", { log: { level: "verbose" } }, 'log: `level` must be "off", "error", '],
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
    [
      "a pattern as text",
      { validation: { contextToken: "^svc_" } },
      "validation: `contextToken` must be a RegExp, or `false`",
    ],
    ["a switch as a word", { log: { personalData: "no" } }, "log: `personalData` must be true or false"],
    [
      "a logger of one method",
      { log: { logger: { error() {} } } },
      "log: `logger` must be an object with warn(), info() and debug()",
    ],
    [
      "a host with a port",
      { dangerouslyAllowHttp: ["emulator:8080"] },
      'must be the name of a host, such as "emulator"',
    ],
    ["a URL for a host", { dangerouslyAllowHttp: ["http://emulator"] }, "must be the name of a host"],
    ["a response of nothing", { maxResponseBytes: 0 }, "`maxResponseBytes` must be an integer of at least 1"],
    ["events of nothing", { stream: { maxEventBytes: 0 } }, "stream: `maxEventBytes` must be an integer of at least 1"],
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
    expect(refusalOfClient(options)).toContain(message);
  });
});

describe("the groups of options of a client", () => {
  const api = new ServiceApi({ stream: { idleTimeout: 20, eventTimeout: 30 }, validation: { response: "off" } });

  it("are overridden entry by entry, and undefined overrides nothing", () => {
    const changed = api.withOptions({
      stream: { idleTimeout: undefined, eventTimeout: 40 },
      validation: Object({ request: "off", response: undefined }),
    });
    const { stream, validation } = transportOf(changed).options;
    expect({ ...stream }).toEqual({ idleTimeout: 20, eventTimeout: 40 });
    expect({ ...validation }).toEqual({ request: "off", response: "off" });
  });

  it("may have an entry with the name of a property that all objects have", () => {
    expect(() => new ServiceApi({ headers: { constructor: "x" } as Record<string, string> })).not.toThrow();
  });
});

describe("a timeout of 0, which disables it in other libraries, is refused with what disables it here", () => {
  const zero = "must be a number of milliseconds between 1 and 2147483647, or `false` to disable it; `0` does not";

  it.each(["timeout", "totalTimeout"])("%s of a client", (name) => {
    expect(refusalOfClient({ [name]: 0 })).toContain(`\`${name}\` ${zero}`);
    expect(() => new ServiceApi({ [name]: false })).not.toThrow();
  });

  it.each(["idleTimeout", "eventTimeout", "timeout"])("stream.%s of a client", (name) => {
    expect(refusalOfClient({ stream: { [name]: 0 } })).toContain(`stream: \`${name}\` ${zero}`);
    expect(() => new ServiceApi({ stream: { [name]: false } })).not.toThrow();
  });

  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "id", clientSecret: "secret" });
  const request = { vpa_mobile: "6000000001", consent: "Y" } as const;
  it.each<[string, (options: object) => unknown, string]>([
    ["timeout of a call", (options) => api.verification.findVpas(request, options), "timeout"],
    [
      "idleTimeout of a stream",
      (stream) => api.ai.stream({ user: { text: "Hi" } }, { stream }).finalText(),
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
    expect(() => new ServiceApi({ stream: { reorderTimeout: 0 } })).not.toThrow();
  });
});

describe("the options of a call", () => {
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "id", clientSecret: "secret" });
  const call = (options: unknown) =>
    api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, options as RequestOptions);

  it.each<[string, unknown, string]>([
    ["one of the client", { baseUrl: "https://other.example" }, 'verification.findVpas: unknown option "baseUrl"'],
    ["one of a stream", { stream: { idleTimeout: 1 } }, 'unknown option "stream"'],
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

const source = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8");

/** The `@default` tags of an interface, by option. */
function tagsOf(path: string, name: string): Record<string, string> {
  const [, body = ""] = new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(source(path)) ?? [];
  const options = body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g);
  return Object.fromEntries(
    [...options].flatMap(([, comment = "", option = ""]) => {
      const tag = /@default ([^\n]*)/.exec(comment)?.[1]?.trim();
      return tag === undefined ? [] : [[option, tag]];
    }),
  );
}

const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, "_");
const inWords = (duration: number | false) =>
  duration === false
    ? "`false`"
    : duration < 1_000
      ? `${duration} ms`
      : duration % 60_000 === 0 && duration > 180_000
        ? `${duration / 60_000} min`
        : `${duration / 1_000} s`;
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const { first, max } = defaults.retryDelay;

/** The text of a `@default` tag whose default is written differently from the code. */
const written: { readonly [Name in keyof typeof defaults]?: string } = {
  totalTimeout: `${grouped(defaults.totalTimeout)} (streams: false)`,
  timeout: `${[findVpas, fareQuote, createResponse, book]
    .map(({ timeout }) => grouped(timeout))
    .join(", ")
    .replace(/, (?=\d+_\d+$)/, " or ")} by operation (docs/assumptions.md, D1)`,
  retryDelay: `${inWords(first)} doubled each time up to ${inWords(max)}, with full jitter`,
  maxResponseBytes: mebibytes(defaults.maxResponseBytes),
  pathPrefixes: `\`{ verification: "", ai: "${defaults.pathPrefixes.ai}", flights: "" }\``,
};

function format(value: unknown): string {
  if (typeof value === "number") return grouped(value);
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
}

describe("the defaults of the options", () => {
  const tags = tagsOf("options.ts", "ClientOptions");

  // The entries of a group have the defaults.
  const { stream, validation, ...single } = defaults;

  it.each(Object.entries(single))("%s is the one that its doc comment names", (name, value) => {
    expect(tags[name]).toBe(written[name as keyof typeof defaults] ?? format(value));
  });

  it("no other option has a default in its doc comment that is not in the table", () => {
    const decidedAtRunTime = ["baseUrl", "clientId", "clientSecret", "fetch", "userAgent", "createReference"];
    const others = Object.keys(tags).filter((name) => !Object.hasOwn(defaults, name));
    expect(others.sort()).toEqual(decidedAtRunTime.sort());
  });

  it("the fields of `stream` have the same", () => {
    const named = Object.entries(stream).map(([name, value]) => [name, format(value)]);
    expect(tagsOf("options.ts", "StreamLimits")).toEqual({
      ...Object.fromEntries(named),
      maxEventBytes: mebibytes(stream.maxEventBytes),
    });
  });

  it("the fields of `validation` have the same", () => {
    const named = Object.entries(validation).map(([name, value]) => [name, format(value)]);
    expect(tagsOf("options.ts", "ValidationOptions")).toEqual(Object.fromEntries(named));
  });

  it("the lifetime of a search session is the same for a checkout and the emulator", () => {
    const tag = (path: string, name: string) => tagsOf(path, name).sessionLifetime?.replace(/ \(.*$/, "");
    expect(tag("flights/checkout/options.ts", "CheckoutOptions")).toBe(format(defaultSessionLifetime));
    expect(tag("emulator/options.ts", "EmulatorOptions")).toBe(format(defaultSessionLifetime));
  });

  it("those of defineOperation are the ones that its doc comments name", () => {
    const tags = tagsOf("operation.ts", "OperationDefinition");
    expect(tags).toEqual(
      Object.fromEntries(Object.entries(operationDefaults).map(([name, value]) => [name, format(value)])),
    );
  });

  it("the tables of docs/options.md have the same", () => {
    const rows = read("docs/options.md")
      .split("\n")
      .filter((line) => /^\| `/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    const inGuide = (option: string) => rows.find(([, names = ""]) => names.includes(`\`${option}\``))?.[2] ?? "";
    const expected = {
      totalTimeout: inWords(defaults.totalTimeout),
      maxRetries: String(defaults.maxRetries),
      maxRetryAfter: inWords(defaults.maxRetryAfter),
      "stream.idleTimeout": inWords(stream.idleTimeout),
      "stream.eventTimeout": inWords(stream.eventTimeout),
      "stream.timeout": inWords(stream.timeout),
      "stream.reorderTimeout": inWords(stream.reorderTimeout),
      "stream.maxEventBytes": mebibytes(stream.maxEventBytes),
      maxResponseBytes: mebibytes(defaults.maxResponseBytes),
      pathPrefixes: defaults.pathPrefixes.ai,
      ...Object.fromEntries(
        Object.entries(validation).map(([name, value]) => [`validation.${name}`, `\`${format(value)}\``]),
      ),
      dangerouslyAllowHttp: "`[]`",
      dangerouslyAllowBrowser: "`false`",
    };
    for (const [option, text] of Object.entries(expected))
      expect([option, inGuide(option)]).toEqual([option, expect.stringContaining(text)]);
    expect(inGuide("retryDelay")).toContain(`${inWords(first)}, doubled up to ${inWords(max)}, full jitter`);
    const seconds = (...operations: { readonly timeout: number }[]) =>
      operations.map(({ timeout }) => inWords(timeout));
    const [lookUp, quote, rule, booking, ai] = seconds(findVpas, fareQuote, fareRule, book, createResponse);
    expect(seconds(streamResponse)).toEqual([quote]);
    expect(rule).toBe(quote);
    expect(inGuide("timeout")).toBe(`look-up ${lookUp}; quote, rule, stream ${quote}; AI ${ai}; book ${booking}`);
    expect(streamResponse.timeout).toBe(operationDefaults.timeout);
  });
});
