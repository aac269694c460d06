import { describe, expect, it } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../src/errors/index.ts";
import { defineOperation, ServiceApi } from "../../src/index.ts";
import { checkBaseUrl, operationUrl } from "../../src/transport/endpoint.ts";
import { clientOf, failureOf } from "../support/client.ts";
import { made } from "../support/operations.ts";
import { refusalOf } from "../support/refusal.ts";

describe("https only", () => {
  it.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com/", "https://api.example.com"],
    ["https://api.example.com/gateway//", "https://api.example.com/gateway"],
    ["HTTPS://API.example.com:8443", "https://api.example.com:8443"],
  ])("%s is accepted, without a trailing slash", (text, address) => {
    expect(checkBaseUrl(text, {})).toBe(address);
  });

  it.each([
    "http://localhost:3000",
    "http://LOCALHOST",
    "http://127.0.0.1",
    "http://127.255.0.9:80",
    "http://127.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://0177.0.0.1",
    "http://[::1]:8080",
    "http://[0:0:0:0:0:0:0:1]",
  ])("%s is this machine and may be http", (text) => {
    expect(() => checkBaseUrl(text, {})).not.toThrow();
  });

  it.each([
    "http://api.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://128.0.0.1",
    "http://[::2]",
    "http://0.0.0.0",
    "http://10.0.0.7",
  ])("%s is not, and is refused", (text) => {
    const refusal = refusalOf(() => checkBaseUrl(text, {}));
    expect(refusal).toMatch(/must be https, because .* header\. `dangerouslyAllowHttp` names .* http\.$/);
  });

  it("accepts http only for the hosts that are listed", () => {
    const options = { dangerouslyAllowHttp: ["Emulator"] };
    expect(checkBaseUrl("http://emulator:4010", options)).toBe("http://emulator:4010");
    for (const host of ["emulator.example.com", "evil-emulator", "my.emulator"]) {
      expect(() => checkBaseUrl(`http://${host}`, options)).toThrow(/must be https/);
    }
  });

  it.each([
    ["a user name", "https://user@api.example.com", /user name or password/],
    ["a password", "https://:hunter2@api.example.com", /user name or password/],
    ["a query", "https://api.example.com/?key=1", /query or fragment/],
    ["an empty query", "https://api.example.com?", /query or fragment/],
    ["a fragment", "https://api.example.com#top", /query or fragment/],
    ["an empty fragment", "https://api.example.com#", /query or fragment/],
    ["another scheme", "ftp://api.example.com", /is not a URL such as https:/],
    ["a variable that is not set", "undefined", /is the string of a missing value.*: set the variable/],
    ["a placeholder", `$${"{BASE_URL}"}`, /is a placeholder/],
    ["no scheme", "api.example.com", /is not a URL such as https:/],
    ["nothing", "", /is not a URL such as https:/],
    ["a space before it", " https://api.example.com", /has white space in or around it.*: remove it\.$/],
    ["a line end after it", "https://api.example.com\n", /has white space in or around it/],
    ["a tab, which URL leaves out", "https://api.exa\tmple.com", /has white space in or around it/],
  ])("refuses %s and does not echo it", (_case, text, reason) => {
    expect(() => checkBaseUrl(text, {})).toThrow(reason);
    expect(() => checkBaseUrl(text, {})).not.toThrow(/hunter2|key=1/);
  });

  it.each([
    ["a Cyrillic letter", "https://\u0430pi.example.com", "xn--pi-6kc.example.com"],
    ["a letter of another script in the domain", "https://api.ex\u0251mple.com/v1", "api.xn--exmple-cxc.com"],
    ["full-width letters", "https://\uff41pi.example.com", "api.example.com"],
    ["a full-width dot", "https://api\u3002example.com", "api.example.com"],
    ["a soft hyphen, which URL leaves out", "https://api.exam\u00adple.com", "api.example.com"],
    ["an encoded letter", "https://%61pi.example.com", "api.example.com"],
    ["a backslash, which URL reads as a slash", "https://api.example.com\\v1", "api.example.com"],
    ["one slash, which URL doubles", "https:/api.example.com", "api.example.com"],
    ["a letter beyond ASCII in the path", "https://api.example.com/v\u0661", "api.example.com"],
  ])("refuses a URL that may pass for another: %s", (_case, baseUrl, host) => {
    expect(refusalOf(() => new ServiceApi({ baseUrl }))).toContain(`If you mean the host ${host}, write it so.`);
  });

  it("accepts the host that a refusal names", () => {
    expect(() => new ServiceApi({ baseUrl: "https://xn--pi-6kc.example.com/a%20b/~c" })).not.toThrow();
  });

  it("is refused in the constructor, before anything can be sent", () => {
    expect(() => new ServiceApi({ baseUrl: "http://api.example.com" })).toThrow(ConfigurationError);
  });
});

describe("base URL + prefix of the area + path of §4", () => {
  const base = "https://api.example.com";

  it.each([
    ["verification", "verification/upimobile_multiple", `${base}/verification/upimobile_multiple`],
    ["flights", "flight/book", `${base}/flight/book`],
    ["ai", "ai/create-response", `${base}/api/serviceapi-prod/api/ai/create-response`],
  ] as const)("%s as §4 shows it", (area, path, address) => {
    expect(operationUrl(base, area, path, {})).toBe(address);
  });

  it.each(["v2/api/serviceapi-prod/api", "/v2/api/serviceapi-prod/api/"])(
    "accepts the second form of §4.2 as a longer prefix: %s",
    (ai) => {
      expect(operationUrl(base, "ai", "ai/create-response", { pathPrefixes: { ai } })).toBe(
        `${base}/v2/api/serviceapi-prod/api/ai/create-response`,
      );
    },
  );

  it("accepts an empty prefix, and a separate one for each area", () => {
    const pathPrefixes = { ai: "", flights: "travel" };
    expect(operationUrl(base, "ai", "ai/create-response", { pathPrefixes })).toBe(`${base}/ai/create-response`);
    expect(operationUrl(base, "flights", "flight/book", { pathPrefixes })).toBe(`${base}/travel/flight/book`);
    expect(operationUrl(base, "verification", "v", { pathPrefixes })).toBe(`${base}/v`);
  });

  it("refuses a base URL that already ends in the prefix, and names the URL to use", async () => {
    const doubled = `${base}/api/serviceapi-prod/api`;
    expect(() => operationUrl(doubled, "ai", "ai/create-response", {})).toThrow(
      new ConfigurationError(
        `\`baseUrl\` already ends in "api/serviceapi-prod/api", with which the path "api/serviceapi-prod/api" begins that this library adds; use ${base}, or change \`pathPrefixes.ai\`.`,
      ),
    );
    const call = clientOf({ url: `${doubled}/` }).send(made({ area: "ai" }), {});
    expect((await failureOf(call, ConfigurationError)).message).toContain(`use ${base},`);
  });

  it.each([
    [`${base}/api`, "api", base],
    [`${base}/api/serviceapi-prod`, "api/serviceapi-prod", base],
    [`${base}/v1/api/serviceapi-prod/`, "api/serviceapi-prod", `${base}/v1`],
  ])("refuses a base that ends in the beginning of the prefix, and names the URL to use: %s", (given, part, use) => {
    expect(() => operationUrl(checkBaseUrl(given, {}), "ai", "ai/create-response", {})).toThrow(
      `\`baseUrl\` already ends in "${part}", with which the path "api/serviceapi-prod/api" begins that this library adds; use ${use}, or change \`pathPrefixes.ai\`.`,
    );
    expect(operationUrl(checkBaseUrl(given, {}), "flights", "flight/book", {})).toBe(
      `${given.replace(/\/$/, "")}/flight/book`,
    );
  });

  it("accepts a host that is named like the prefix, and a base that ends in another part of it", () => {
    expect(operationUrl("https://api", "ai", "p", {})).toBe("https://api/api/serviceapi-prod/api/p");
    expect(operationUrl(`${base}/serviceapi-prod`, "ai", "p", {})).toBe(
      `${base}/serviceapi-prod/api/serviceapi-prod/api/p`,
    );
  });

  it("does not mistake a name with the same ending for the prefix", () => {
    expect(operationUrl(`${base}/myapi`, "flights", "p", { pathPrefixes: { flights: "api" } })).toBe(
      `${base}/myapi/api/p`,
    );
  });
});

describe("a prefix", () => {
  const own = defineOperation({ name: "x", area: "own", path: "pay" });

  it.each(["../..", "%2e%2e", ".%2E/x", "a\\..\\..", "#", "?x", "a//b", "https://evil.example", "."])(
    "that leaves the base URL is refused: %j",
    (prefix) => {
      const pathPrefixes = { own: prefix };
      const refused = expect(() => clientOf({ url: "https://api.example.com/tenant-a/api" }, { pathPrefixes }));
      refused.toThrow("`own` must be a path below `baseUrl`");
      expect(() => createEmulator({ pathPrefixes })).toThrow("`own` must be a path below `baseUrl`");
    },
  );

  it.each(["", "/", "/v2/", "v2/payouts", undefined])("stays below it: %j", async (prefix) => {
    const urls: string[] = [];
    const fetch = async (url: unknown) => Response.json({ status: urls.push(String(url)) && "SUCCESS" });
    const api = clientOf({ url: "https://api.example.com/a" }, { pathPrefixes: { own: prefix }, fetch });
    await api.send(own, {});
    expect(urls[0]).toMatch(/^https:\/\/api\.example\.com\/a\/(v2\/(payouts\/)?)?pay$/);
  });

  it.each(["../x", "../ab/x", "%2e%2e/x", "x?y", "x#y"])(
    "an operation made by hand cannot leave it either: %j",
    async (path) => {
      const api = clientOf({ url: "https://api.example.com/a" }, { fetch: async () => Response.json({}) });
      const error = await failureOf(api.send({ ...own, path }, {}), ConfigurationError);
      expect(error.message).toContain("does not stay below `baseUrl`");
    },
  );

  it.each(["constructor", "toString"])("of an area %j is not that of Object.prototype", async (area) => {
    const emulator = createEmulator();
    const operation = defineOperation({ name: "own.pay", area, path: "own/pay" });
    emulator.on(operation, { status: "SUCCESS" });
    const api = clientOf({ url: "https://emulator.example" }, { fetch: emulator.fetch });
    expect(await api.send(operation, {})).toMatchObject({ status: "SUCCESS" });
  });
});
