/** jest-environment-jsdom as it comes: without TextEncoder, fetch, Request, Response and streams. */
const { readFileSync } = require("node:fs");

const { exports: entries } = JSON.parse(readFileSync("node_modules/serviceapi/package.json", "utf8"));
const names = Object.keys(entries).filter((name) => !/\.json$|msw|opentelemetry/.test(name));

test.each(names)("imports %s", (name) => {
  expect(typeof TextEncoder).toBe("undefined");
  expect(Object.keys(require(name.replace(".", "serviceapi"))).length).toBeGreaterThan(0);
});

const { ServiceApi, ServiceApiError } = require("serviceapi");
const credentials = { baseUrl: "https://api.example.com", clientId: "any", clientSecret: "any" };
const look = (api) => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });

test("refuses what looks like a browser, unless it is told otherwise", async () => {
  const error = await look(new ServiceApi(credentials)).catch((reason) => reason);
  expect(ServiceApiError.isInstance(error)).toBe(true);
  expect(error.message).toMatch(/dangerouslyAllowBrowser/);
});

test("with dangerouslyAllowBrowser, says that there is no fetch", async () => {
  const error = await look(new ServiceApi({ ...credentials, dangerouslyAllowBrowser: true })).catch((reason) => reason);
  expect(ServiceApiError.isInstance(error)).toBe(true);
  expect(error.message).toMatch(/There is no `fetch`/);
});
