import { describe, expect, it, vi } from "vitest";
import type { Operation } from "../../../src/core.ts";
import { ServiceApiError } from "../../../src/index.ts";
import { clientOf, errorOf } from "../../support/client.ts";
import { coded, fetchFailed } from "../../support/failures.ts";
import { type Fields, made, never, safe, schemaOf } from "../../support/operations.ts";

const tunnel = (status: number) =>
  fetchFailed(coded("UND_ERR_ABORTED", { message: `Proxy response (${status}) !== 200 when HTTP Tunneling` }));
/** As `nodeFetch` rejects. */
const knowing = (isSent: boolean, code: string) =>
  Object.assign(fetchFailed(coded(code)), { [Symbol.for("serviceapi.wasSent")]: isSent });

/** A client of one attempt, for which `fetch` returns this response, or rejects with this error. */
function getting(result: Response | Error) {
  const fetch = async () => (result instanceof Error ? Promise.reject(result) : result);
  return clientOf({ url: "https://api.example.in" }, { fetch, maxRetries: 0 });
}

/** The error of its call. */
const failureOn = (result: Response | Error, operation: Operation<Fields, Fields>) =>
  errorOf(getting(result).send(operation, {}));

const html = (status: number) => new Response("<html></html>", { status, headers: { "content-type": "text/html" } });
const json = (status: number, body: object) => Response.json(body, { status });

const wrongVersion = "error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:ssl.c:77:";
const checkUrl = "Check `baseUrl`, the network, and the proxy";
const proxyCredentials = "check the user name and password in its URL";
const proxyRefused = "The proxy opened no connection";
const certificate = "set NODE_EXTRA_CA_CERTS";

describe("a call without a response says what to check, and whether the same call can succeed later", () => {
  it.each<[string, Error, string, boolean, string]>([
    ["a refused connection", fetchFailed(coded("ECONNREFUSED")), "notSent", true, checkUrl],
    ["a proxy that wants credentials", coded("ERR_PROXY_AUTHENTICATION"), "notSent", false, proxyCredentials],
    ["a proxy that refuses", coded("ERR_PROXY_TUNNEL"), "notSent", true, proxyRefused],
    ["a certificate of another name", coded("ERR_TLS_CERT_ALTNAME_INVALID"), "notSent", false, certificate],
    ["a certificate of an unknown authority", coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "notSent", false, certificate],
    [
      "Deno, a certificate",
      new TypeError("error sending request", { cause: new Error("client error (Connect): invalid peer certificate") }),
      "notSent",
      false,
      certificate,
    ],
    ["Node, a proxy that wants credentials", tunnel(407), "notSent", false, proxyCredentials],
    ["Node, a proxy that refuses", tunnel(403), "notSent", true, proxyRefused],
    [
      "Deno, no permission",
      Object.assign(new Error('Requires net access to "api.example.in:443"'), { name: "NotCapable" }),
      "notSent",
      false,
      "Allow network access to api.example.in (Deno: --allow-net=api.example.in",
    ],
    ["Node, a port without TLS", fetchFailed(new Error(wrongVersion)), "notSent", true, "does not speak TLS"],
    [
      "Deno, a port without TLS",
      new Error("client error (Connect): received corrupt message of type InvalidContentType"),
      "notSent",
      true,
      "does not speak TLS",
    ],
    [
      "Bun, a port without TLS",
      Object.assign(new TypeError("EPROTO: The TLS handshake failed. Does the server speak TLS on this port?"), {
        code: "EPROTO",
      }),
      "unknown",
      true,
      "the connection broke before a response came. The other end does not speak TLS",
    ],
    ["a `fetch` of the caller that throws", new TypeError("x is undefined"), "unknown", true, "your `fetch` threw"],
    ["a port that `fetch` refuses", fetchFailed(new Error("bad port")), "notSent", false, "refuses this port"],
    ["a connection that broke", fetchFailed(coded("ECONNRESET")), "unknown", true, "It is safe to retry."],
    ["a `fetch` that knows that nothing left", knowing(false, "ECONNRESET"), "notSent", true, checkUrl],
    ["a `fetch` that knows that it may have left", knowing(true, "ECONNREFUSED"), "unknown", true, "safe to retry"],
  ])("%s", async (_, reason, outcome, isRetryable, advice) => {
    const error = await failureOn(reason, safe);
    expect(error).toMatchObject({ kind: "connection", outcome, isRetryable, message: expect.stringContaining(advice) });
  });

  it("and nothing else: the connection was there, and the `fetch` of the runtime is not yours", async () => {
    const told = "test.safe: the connection broke before a response came. It is safe to retry.";
    expect((await failureOn(fetchFailed(coded("ECONNRESET")), safe)).message).toBe(told);
    vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("fetch failed")));
    const client = clientOf({ url: "https://api.example.in" }, { maxRetries: 0 });
    expect((await errorOf(client.send(safe, {}))).message).toBe(told);
  });

  it("which is what the `fetch` of this runtime does with port 9", async () => {
    const error = await errorOf(clientOf({ url: "http://127.0.0.1:9" }).send(safe, {}), ServiceApiError);
    expect(error).toMatchObject({ attempts: 1, isRetryable: false });
    expect(error.message).toContain("refuses this port");
  });

  it.each<[string, Error | Response]>([
    ["a broken connection", fetchFailed(coded("ECONNRESET"))],
    ["a gateway without its server", html(502)],
    ["503", json(503, { status: "FAILED" })],
    ["a response that is still being made", json(200, { status: "PENDING" })],
  ])("an AI call after %s may cost twice: nothing looks it up", async (_, result) => {
    const error = await errorOf(getting(result).ai.createResponse({ user: { text: "x" } }));
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: false });
    expect(error.message).toContain("It may have been processed: asking again may use the quota twice.");
  });

  it("says to look it up if it may have been carried out", async () => {
    const error = await failureOn(fetchFailed(coded("ECONNRESET")), never);
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: false });
    expect(error.message).toContain(lookFirst);
  });
});

const lookFirst = "look it up by its `client_referenceId` before you retry";
const wrongRequest = "This is about the path or the headers: check `baseUrl`";
const wrongPath = "Nothing responds at this path: check `baseUrl` and `pathPrefixes`.";

describe("a web page instead of a response", () => {
  it.each<[string, number, typeof safe, string, string]>([
    ["a path that is not there", 404, safe, "rejected", wrongPath],
    ["a gateway that refuses", 403, safe, "rejected", "The credentials may not do this"],
    ["a request that a gateway finds wrong", 400, safe, "rejected", "Correct the request"],
    ["another site", 200, safe, "unknown", "It is safe to retry. Check `baseUrl` too."],
    ["a path of another method", 405, safe, "rejected", wrongRequest],
    ["a gateway without its server", 502, never, "unknown", lookFirst],
    ["a gateway without its server, for a look-up", 502, safe, "unknown", "It is safe to retry."],
  ])("%s", async (_, status, operation, outcome, advice) => {
    const error = await failureOn(html(status), operation);
    expect(error).toMatchObject({ kind: "unexpected_response", outcome, message: expect.stringContaining(advice) });
  });

  it("that refuses a call does not cast doubt on `baseUrl`", async () => {
    for (const status of [400, 403]) expect((await failureOn(html(status), safe)).message).not.toContain("`baseUrl`");
  });

  it.each<[number, string, string, string]>([
    [404, "not_found", "rejected", "check the base URL"],
    [403, "permission", "rejected", "The credentials may not do this"],
    [400, "invalid", "unknown", lookFirst],
  ])("of HTTP %i to a call that is sent once is a refusal: %s, %s", async (status, kind, outcome, advice) => {
    const error = await failureOn(html(status), never);
    expect(error).toMatchObject({ kind, outcome, message: expect.stringContaining(advice) });
  });
});

describe("a refusal", () => {
  it.each<[string, Response, typeof safe, string, string]>([
    ["503 of a call that costs something", json(503, { status: "FAILED" }), never, "unavailable", lookFirst],
    ["503 of a look-up", json(503, { status: "FAILED" }), safe, "unavailable", "could not respond; retry later."],
    ["a code that is in no table", json(418, { status: "FAILED" }), safe, "unknown", "See `serviceMessage` and `body`"],
    ["405", json(405, { status: "FAILED" }), safe, "invalid", wrongRequest],
    ["415", json(415, { status: "FAILED" }), safe, "invalid", wrongRequest],
    ["404 of a web framework", json(404, { statusCode: 404, message: "Cannot POST" }), safe, "unknown", wrongPath],
    ["404 with a code of another kind", json(404, { statusCode: 401 }), safe, "authentication", "Check `clientId`"],
    ["404 with `statusCode`", json(404, { statusCode: "404" }), safe, "not_found", "has nothing for this request"],
    ["404 with `status_code`", json(404, { status_code: "404" }), safe, "not_found", "has nothing for this request"],
    ["404 with `status`", json(404, { status: "FAILED" }), safe, "not_found", "has nothing for this request"],
  ])("%s", async (_, response, operation, kind, advice) => {
    expect(await failureOn(response, operation)).toMatchObject({ kind, message: expect.stringContaining(advice) });
  });

  it("of the method of an AI call is not about its text", async () => {
    const error = await errorOf(getting(json(405, { status: "FAILED" })).ai.createResponse({ user: { text: "x" } }));
    expect(error.message).toContain(wrongRequest);
  });

  it("of a method that `classifyError` calls something else is advised on as that", async () => {
    const fetch = async () => json(405, { status: "FAILED" });
    const options = { fetch, maxRetries: 0, classifyError: () => "permission" as const };
    const error = await errorOf(clientOf({ url: "https://api.example.in" }, options).send(safe, {}));
    expect(error.message).toContain("The credentials may not do this");
  });

  it("of a look-up in progress is looked up again, and of any other call later", async () => {
    const pending = () => json(200, { status: "PENDING" });
    expect((await failureOn(pending(), safe)).message).toContain("Look it up again later.");
    expect((await failureOn(pending(), never)).message).toContain("Look the result up later; do not retry.");
  });
});

describe("a response that cannot be used", () => {
  const echo = [{ response: "id", request: "id", onMismatch: "refused" }] as const;
  const note: Parameters<typeof made>[0] = {
    essential: ["pnr"],
    body: schemaOf(() => [{ message: "is missing", path: ["pnr"] }]),
  };
  it.each<[string, Parameters<typeof made>[0], string, string]>([
    [
      "of another request, for a look-up",
      { retry: "safe", echo },
      "Do not use it. It is safe to retry. `body`",
      lookFirst,
    ],
    ["of another request", { echo }, `Do not use it. It may have been carried out: ${lookFirst}`, "safe to retry"],
    ["of another form, for a look-up", { retry: "safe", ...note }, "pnr is missing. `body` on this", "Do not use it"],
    ["of another form", note, `pnr is missing. It may have been carried out: ${lookFirst}`, "Do not use it"],
  ])("%s", async (_, definition, advice, other) => {
    const api = getting(json(200, { status: "SUCCESS", id: "2" }));
    const { message } = await errorOf(api.send(made(definition), { id: "1" }));
    expect(message).toContain(advice);
    expect(message).not.toContain(other);
  });
});

it("a response without an essential field names that field before others", async () => {
  const issues = [
    { message: "must be a string", path: ["note"] },
    { message: "must be a string", path: ["pnr"] },
  ];
  const booking = made({ essential: ["pnr"], body: schemaOf(() => issues) });
  const error = await failureOn(json(200, { status: "SUCCESS" }), booking);
  expect(error).toBeInstanceOf(ServiceApiError);
  expect(error).toMatchObject({
    kind: "response_validation",
    message: expect.stringContaining("the response does not have the documented form: pnr must be a string."),
  });
});
