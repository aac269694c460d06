import { describe, expect, it } from "vitest";
import { ApiError, ServiceApiError } from "../../src/errors/index.ts";
import {
  type ClientEvent,
  type ClientOptions,
  type Logger,
  type Operation,
  type RequestOptions,
  ServiceApi,
} from "../../src/index.ts";
import { redact, redactHeaders, redactJson, secretsOf, summarize } from "../../src/transport/redact.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, errorOf, nowhere } from "../support/client.ts";
import { fetchFailed } from "../support/failures.ts";
import { gate } from "../support/gate.ts";
import { collectGarbage } from "../support/gc.ts";
import { type Fields, ifNotProcessed, made, never, safe, schemaOf } from "../support/operations.ts";
import { everyPrintOf, expectNoSecret, secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import {
  type Answer,
  answers,
  breaksOff,
  deadAddress,
  drips,
  reply,
  reset,
  stalls,
  startServer,
  succeeds,
} from "../support/server.ts";
import { throws } from "../support/throws.ts";

interface Failing {
  readonly answer?: Answer;
  readonly url?: () => Promise<string>;
  readonly options?: ClientOptions;
  readonly call?: RequestOptions;
  readonly operation?: Operation<Fields, Fields>;
}

const failing: Record<string, Failing> = {
  reset: { answer: reset },
  stall: { answer: stalls, call: { timeout: 30 } },
  "stalled body": { answer: (response) => response.writeHead(200).write("{"), call: { timeout: 30 } },
  drip: { answer: drips, call: { totalTimeout: 40 } },
  "hardly any time": { answer: stalls, call: { timeout: 1 } },
  "refused connection": { url: async () => deadAddress },
  "unknown host": { url: async () => "https://serviceapi-test.invalid" },
  "no TLS at the other end": { url: async () => (await startServer(stalls)).url.replace("http:", "https:") },
  redirect: { answer: answers(307, "", { location: "https://other.example" }) },
  "web page": { answer: answers(502, "<html></html>") },
  "empty answer": { answer: answers(200, "") },
  "cut answer": { answer: breaksOff('{"a":') },
  "not HTTP": { answer: (response) => response.socket?.end("SSH-2.0-OpenSSH\r\n") },
  "bad gzip": { answer: (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip") },
  "FAILED in a 200": { answer: answers(200, { status: "FAILED", status_code: "401" }) },
  "401": { answer: answers(401, { status: "FAILED", message: "Invalid client credentials" }) },
  "503": { answer: answers(503, {}, { "retry-after": "3600" }) },
  "wrong shape": {
    answer: answers(200, {}),
    operation: made({ body: schemaOf(() => [{ message: "is missing", path: ["token"] }]), essential: ["token"] }),
  },
  "request refused": { operation: made({ params: schemaOf(() => [{ message: "is missing", path: ["token"] }]) }) },
  "aborted before": { call: { signal: AbortSignal.abort() } },
  "secret with a newline": { options: { clientSecret: `${secret}\n` } },
  "secret with a blank": { options: { clientSecret: `a ${secret}` } },
  "client id that is no header value": { options: { clientId: `${secret}\u{1F600}` } },
  "header that is no header value": { call: { headers: { authorization: `Bearer ${secret}\n${secret}` } } },
  "provider that throws": { options: { clientSecret: throws(new Error(secret)) } },
  "fetch that quotes the header": {
    options: { fetch: throws(new TypeError(`Headers.append: "${secret}" is an invalid header value.`)) },
  },
  "fetch that rejects with the whole request": {
    options: {
      fetch: async (_url, init) => {
        throw Object.assign(fetchFailed(Object.assign(new Error(secret), { init })), { request: init });
      },
    },
  },
  "fetch that rejects with no error": {
    options: { fetch: () => Promise.reject({ headers: { "client-secret": secret } }) },
  },
  "fetch that rejects with a text": { options: { fetch: () => Promise.reject(`failed with ${secret}`) } },
};

describe("rule 1: a secret is never printed", () => {
  it.each(Object.entries(failing))(
    "not by an error, an event or a log line of: %s",
    async (_case, { answer, url, options, call, operation }) => {
      const told: unknown[] = [];
      const tell = (...line: unknown[]) => void told.push(line);
      const logger: Logger = { error: tell, warn: tell, info: tell, debug: tell };
      const onEvent = (event: ClientEvent) => void told.push(event);
      for (const tried of operation === undefined ? [safe, ifNotProcessed, never] : [operation]) {
        const server = url === undefined ? await startServer(answer ?? answers(200, {})) : { url: await url() };
        // The constructor refuses a string, and a call what a function returns.
        const called = async () => {
          const api = clientOf(server, { log: { logger, level: "debug" }, onEvent, maxRetries: 1, ...options });
          expectNoSecret(api);
          return api.send(tried, { secretive: false }, call);
        };
        const error = await errorOf(called());
        expect(ServiceApiError.isInstance(error)).toBe(true);
        expectNoSecret(error);
      }
      expectNoSecret(told);
      for (const line of told) expectNoSecret(line);
    },
  );

  it("not by a response that echoes it: neither the body nor the headers of the error have it", async () => {
    const { api } = await serve((response, request) =>
      reply(response, 400, { status: "FAILED", echo: request.headers, message: `no ${secret}` }, { "x-echo": secret }),
    );
    const error = await errorOf(api.send(safe, {}), ApiError);
    expect(error.body).toMatchObject({
      status: "FAILED",
      echo: { "client-secret": "[redacted]", accept: "application/json" },
    });
    expect(error.headers.get("x-echo")).toBe("[redacted]");
    expect(error.serviceMessage).toBe("no [redacted]");
    expectNoSecret(error);
  });

  it("not by the client or its properties", async () => {
    const api = new ServiceApi({
      baseUrl: "https://api.example.com",
      clientId: "test-client",
      clientSecret: secret,
      headers: { "x-key": secret },
    });
    for (const value of [api, api.verification, api.ai, api.flights, api.withOptions({}), { api }, [api]])
      expectNoSecret(value);
    expect(everyPrintOf(api)).toContain("https://api.example.com");
  });

  it("not by a call in progress, nor by the result of withResponse()", async () => {
    const server = await startServer(succeeds);
    const call = clientOf(server).send(safe, {});
    expectNoSecret(call);
    expectNoSecret(await call.withResponse());
    expectNoSecret(await clientOf(server).send(safe, {}).asResponse());
  });

  it("not by a URL: it travels in headers alone", async () => {
    const { server, api } = await serve();
    await api.send(safe, {});
    expect(server.requests[0]?.path).toBe("/made/up");
    expect(server.requests[0]?.body).not.toContain(secret);
  });
});

describe("redact", () => {
  it("replaces every secret anywhere", () => {
    expect(redact("a SECRET b SECRET c OTHER", ["SECRET", "OTHER"])).toBe("a [redacted] b [redacted] c [redacted]");
  });

  it.each([
    ["the latest test", "the latest [redacted]"],
    ["contest, test-run", "contest, [redacted]-run"],
  ])("a short one is a whole word, or no secret: %j", (text, shown) => {
    expect(redact(text, ["test"])).toBe(shown);
  });

  it("a long one is a secret anywhere, even as JSON and URLs write it", () => {
    const long = 'a"long/secret';
    expect(redact(`x${long}x a\\"long/secret ${encodeURIComponent(long)}`, [long])).toBe(
      "x[redacted]x [redacted] [redacted]",
    );
  });

  describe("finds it as others spell it", () => {
    const odd = `Zk9/q+2fT~x7== _&"<'>`;
    const codes = (text: string, spell: (code: number) => string) =>
      text.replaceAll(/[^a-z0-9]/gi, (character) => spell(character.charCodeAt(0)));
    const base64 = Buffer.from(odd).toString("base64");

    it.each([
      ["percent-encoding", encodeURIComponent(odd)],
      ["percent-encoding in lower case", codes(odd, (code) => `%${code.toString(16)}`)],
      ["a form", new URLSearchParams([["", odd]]).toString().slice(1)],
      ["JSON with escaped slashes", JSON.stringify(odd).slice(1, -1).replaceAll("/", "\\/")],
      ["JSON in JSON", JSON.stringify(JSON.stringify(odd).replaceAll("/", "\\/")).slice(3, -3)],
      ["JSON as .NET writes it", codes(odd, (code) => `\\u00${code.toString(16).toUpperCase()}`)],
      ["HTML with names", odd.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
      ["HTML with names, all of them", `Zk9/q+2fT~x7== _&amp;&quot;&lt;&apos;&gt;`],
      ["HTML with numbers", codes(odd, (code) => `&#${code};`)],
      ["HTML with numbers, as PHP writes them", codes(odd, (code) => `&#0${code};`)],
      ["HTML with hexadecimal numbers", codes(odd, (code) => `&#x${code.toString(16).toUpperCase()};`)],
      ["base64", base64],
      ["base64 without padding", base64.replaceAll("=", "")],
      ["base64 in JSON", base64.replaceAll("/", "\\/")],
      ["base64 in a URL", encodeURIComponent(base64)],
      ["base64url", Buffer.from(odd).toString("base64url")],
      ["hex", Buffer.from(odd).toString("hex")],
      ["hex in upper case", Buffer.from(odd).toString("hex").toUpperCase()],
    ])("%s", (_name, spelled) => {
      expect(redact(`echo: "${spelled}".`, [odd])).toBe('echo: "[redacted]".');
    });

    it.each([`id:${odd}`, `id-1:${odd};`, `id-12:${odd}; and more`])("base64 of more, as of %j", (text) => {
      const shown = redact(Buffer.from(text).toString("base64"), [odd]);
      expect(shown).toContain("[redacted]");
      expect(Buffer.from(shown.replace("[redacted]", ""), "base64").toString()).not.toMatch(/Zk|9.|_&/);
    });

    it("but a short one as a whole word only", () => {
      expect(redact("dGVzdA==, adGVzdA, 74657374, 174657374", ["test"])).toBe(
        "[redacted], adGVzdA, [redacted], 174657374",
      );
    });

    it.each([
      ["\\u", "\\u", 4, ""],
      ["\\\\u in JSON in JSON", "\\\\u", 4, ""],
      ["a decimal entity", "&#", 0, ";"],
      ["a hexadecimal entity", "&#x", 2, ";"],
      ["an entity that was escaped again", "&amp;#x", 2, ";"],
      ["a percent code", "%", 2, ""],
      ["a percent code that was encoded again", "%25", 2, ""],
      ["a percent code that was encoded three times", "%2525", 2, ""],
    ])("with every letter as %s", (_name, before, digits, after) => {
      const code = (character: string) =>
        character
          .charCodeAt(0)
          .toString(digits === 0 ? 10 : 16)
          .padStart(digits, "0");
      const spelled = [...odd].map((character) => before + code(character) + after).join("");
      for (const text of [spelled, spelled.toUpperCase().replaceAll("\\U", "\\u").replaceAll("AMP", "amp")]) {
        expect(redact(`echo: "${text}".`, [odd])).toBe('echo: "[redacted]".');
      }
    });

    it.each([
      ["its end", odd.slice(0, -1)],
      ["its beginning", odd.slice(1)],
      ["both", odd.slice(1, -1)],
      ["nearly half of it", odd.slice(0, 11)],
      ["the end of its base64", base64.slice(0, -4)],
      ["the end of its percent-encoding", encodeURIComponent(odd).slice(0, -3)],
    ])("without %s, which was cut", (_name, cut) => {
      expect(redact(`echo: ${cut}…`, [odd])).toBe("echo: [redacted]…");
    });

    it("but not a few of its characters, which are a part of many texts", () => {
      expect(redact("the client secret is invalid", ["client-secret-of-production"])).toBe(
        "the client secret is invalid",
      );
      expect(redact(odd.slice(0, 10), [odd])).toBe(odd.slice(0, 10));
    });

    it("credentials without the scheme in front of them", () => {
      const header = "Bearer abcdefghijklmnop";
      expect(redact("abcdefghijklmnop is invalid", [header])).toBe("[redacted] is invalid");
      expect(redact(btoa("abcdefghijklmnop"), [header])).toMatch(/^\[redacted\].{0,3}$/);
    });

    it("and leaves the text around it as it was", () => {
      const around = '\\u0041 %41 &#65; &amp; \\" İ 😀 ';
      expect(redact(around, [odd])).toBe(around);
      expect(redact(around + odd + around, [odd])).toBe(`${around}[redacted]${around}`);
    });

    it.each([127, 128, 129, 4_000])("also if it has %i characters, which no pattern could", (length) => {
      const long = Array.from({ length }, (_, i) => `${i}; a=`)
        .join("")
        .slice(0, length);
      for (const spelled of [long, encodeURIComponent(long), Buffer.from(long).toString("base64")]) {
        expect(redact(`<${spelled}>`, [long])).toMatch(/^<(?:\[redacted\])+>$/);
      }
    });

    it("in all that an error and the log show of a response", async () => {
      const lower = encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase());
      const echo = `${lower} ${Buffer.from(secret).toString("base64")} ${Buffer.from(secret).toString("hex")}`;
      const told: unknown[] = [];
      const tell = (...line: unknown[]) => void told.push(line);
      const logger: Logger = { error: tell, warn: tell, info: tell, debug: tell };
      const { api } = await serve(
        (response, { path }) =>
          path.includes("page")
            ? reply(response, 502, `<html>${echo}</html>`)
            : reply(
                response,
                400,
                { status: "FAILED", message: echo, echo },
                { "x-request-id": lower, "x-echo": echo },
              ),
        { log: { logger, level: "debug", personalData: true }, maxRetries: 0 },
      );
      const refused = await errorOf(api.send(safe, {}), ApiError);
      const page: ServiceApiError & { preview?: string } = await errorOf(
        api.send(made({ path: "page", retry: "safe" }), {}),
      );
      const all = [refused.message, refused.requestId, refused.body, [...refused.headers], page.preview, told];
      expect(refused.message).toContain("[redacted] [redacted] [redacted]");
      expect(JSON.stringify(all)).not.toMatch(/%2fNot|czNjcmV0|733363/);
    });
  });

  it("one secret that holds another does not leave its rest behind", () => {
    expect(redact("key is abcd-1234", ["abcd", "abcd-1234"])).toBe("key is [redacted]");
  });
});

describe("the list of secrets", () => {
  it("the client secret and the headers that are credentials by their name, whole", () => {
    const headers = {
      authorization: "Bearer abcdefghijklmnop",
      "Proxy-Authorization": "Basic x",
      cookie: "session=1",
      "x-api-key": "key-1",
      "x-auth-token": "token-1",
      "X-Amz-Signature": "sig-1",
      "x-ui-state": "progress",
      "x-auth-type": "token",
      "x-env": "test",
      "x-keyboard": "qwerty",
      "idempotency-key": "order-17",
    };
    expect(secretsOf("the secret", headers)).toEqual([
      "the secret",
      "Bearer abcdefghijklmnop",
      "Basic x",
      "session=1",
      "key-1",
      "token-1",
      "sig-1",
    ]);
  });

  it("never fewer than four characters, which are part of many words and protect nothing", () => {
    expect(secretsOf("any", { "x-api-key": "b" })).toEqual([]);
    expect(secretsOf("four")).toEqual(["four"]);
  });
});

describe("the response on an error", () => {
  it("has the same value and the same headers objects if they hold no secret", () => {
    const body = { a: [1, "b", null, { c: true }] };
    const headers = new Headers({ "x-a": "b" });
    expect(redactJson(body, [secret])).toBe(body);
    expect(body).toEqual({ a: [1, "b", null, { c: true }] });
    expect(redactHeaders(headers, [secret])).toBe(headers);
  });

  it("keeps all but the secret: keys, lists, strings, a key `__proto__`", () => {
    const body = JSON.parse(`{"a":["x ${secret}",{"${secret}":1}],"__proto__":"${secret}","b":7,"c":null}`);
    expect(JSON.stringify(redactJson(body, [secret]))).toBe(
      '{"a":["x [redacted]",{"[redacted]":1}],"__proto__":"[redacted]","b":7,"c":null}',
    );
    expect(redactJson(secret, [secret])).toBe("[redacted]");
    expect(redactJson(undefined, [secret])).toBeUndefined();
  });

  it("may nest deeper than the stack", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}"${secret}"${"]".repeat(100_000)}`);
    let inner = redactJson(deep, [secret]);
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe("[redacted]");
  });

  it("every header, cookies one by one", () => {
    const headers = new Headers([
      ["set-cookie", `a=${secret}`],
      ["set-cookie", "b=2"],
      ["x-a", "1"],
    ]);
    const shown = redactHeaders(headers, [secret]);
    expect(shown.getSetCookie()).toEqual(["a=[redacted]", "b=2"]);
    expect(shown.get("x-a")).toBe("1");
  });

  it.each<[string, Answer]>([
    ["a page", answers(502, `<html>${secret}</html>`, { "x-echo": secret })],
    ["a cut response", answers(200, `{"a":"${secret}`)],
    ["a redirect", answers(307, { a: secret }, { location: "/x", "x-echo": secret })],
    ["an odd response", answers(200, { data: { echo: secret } })],
    ["a content type", answers(200, "x", { "content-type": `text/plain; x=${secret}` })],
    ["a code", answers(200, { status: "FAILED", status_code: secret })],
    ["an ID of the request", answers(400, { status: "FAILED" }, { "x-request-id": secret })],
    ["a booking that may exist", answers(500, { status: "FAILED", echo: { a: [secret] } })],
  ])("is without the secret on the error of %s", async (_case, answer) => {
    const { api } = await serve(answer, { maxRetries: 0 });
    const strict = made({
      retry: "safe",
      essential: ["token"],
      body: schemaOf(() => [{ message: "is missing", path: ["token"] }]),
    });
    const booking = bookUnchecked(api);
    for (const call of [api.send(strict, {}), booking]) {
      const error: ServiceApiError & { body?: unknown; headers?: Headers; preview?: string } = await errorOf(call);
      expectNoSecret(error);
      expect(JSON.stringify([error.body, error.preview, [...(error.headers ?? [])], error.requestId])).not.toContain(
        secret,
      );
    }
  });
});

describe("the summary of a library's error", () => {
  it("without the secret, if the caller's own code threw it before anything was sent, or as Next.js does", async () => {
    const options = {
      get timeout(): number {
        throw new Error(`the vault said ${secret}`);
      },
    };
    expectNoSecret(await errorOf(clientOf(nowhere).send(safe, {}, options)));
    const fetch = async () => Promise.reject(Object.assign(new Error("no"), { digest: secret }));
    const error = await errorOf(clientOf(nowhere, { fetch, maxRetries: 0 }).send(safe, {}));
    expectNoSecret(error);
    expect(error).toHaveProperty("digest", "[redacted]");
  });

  it("its name, code and message, with those of its causes", () => {
    const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const error = new TypeError("fetch failed", {
      cause: Object.assign(new Error("other side closed", { cause }), { code: "UND_ERR_SOCKET" }),
    });
    const summary = summarize(error, []);
    expect(summary?.message).toBe(
      "TypeError: fetch failed ← Error: UND_ERR_SOCKET other side closed ← Error: read ECONNRESET",
    );
    expect(summary?.stack).toBeUndefined();
    expect(Object.keys(summary ?? {})).toEqual([]);
  });

  it("no more than four errors and 300 characters, whatever their number and length", () => {
    const loop = new Error("loop");
    loop.cause = loop;
    expect(summarize(loop, [])?.message.split(" ← ")).toHaveLength(4);
    expect(summarize(new Error("x".repeat(9_999)), [])?.message).toHaveLength(300);
  });

  it("no beginning of a secret that the limit would cut", () => {
    for (let length = 250; length < 300; length++) {
      expect(summarize(new Error("x".repeat(length) + secret), [secret])?.message).not.toContain(secret.slice(0, 8));
    }
  });

  it.each([undefined, null, "text", { message: "no error" }])("nothing of %j", (value) => {
    expect(summarize(value, [])).toBeUndefined();
  });
});

describe("after garbage collection", () => {
  it("an error still shows nothing", async () => {
    const sent = gate();
    const { api } = await serve(() => sent.open());
    const stop = new AbortController();
    const call = api.send(never, {}, { signal: stop.signal });
    await sent.opened;
    collectGarbage();
    stop.abort();
    expectNoSecret(await call.catch((error) => error));
  });
});
