import { describe, expect, it } from "vitest";
import {
  ApiError,
  BookingOutcomeUnknownError,
  ConfigurationError,
  ConnectionError,
  ServiceApi,
  StreamFailedError,
  StreamTruncatedError,
  UnexpectedResponseError,
} from "../../src/index.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, errorOf, nowhere } from "../support/client.ts";
import { type Fields, made, safe, schemaOf } from "../support/operations.ts";
import { everyPrintOf, expectNoSecret, secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers } from "../support/server.ts";

describe("an echoed secret is not printed", () => {
  it("in the host of a redirect", async () => {
    const clientSecret = "a-long-secret";
    const { api } = await serve(answers(302, "", { location: `https://${clientSecret}.example.com/` }), {
      clientSecret,
    });
    const error = await errorOf(api.send(safe, {}), ApiError);
    expect(everyPrintOf(error)).not.toContain(clientSecret);
    expect(error.message).toContain("[redacted].example.com");
  });

  it.each(["plain", "base64", "hex"] as const)("in the body of a redirect, as %s", async (form) => {
    const echo = form === "plain" ? secret : Buffer.from(secret).toString(form);
    const body = { status_code: echo, message: `no ${echo}`, echo };
    const { api } = await serve(answers(302, body, { location: "/x", "x-echo": echo }));
    const booking = bookUnchecked(api);
    const { cause } = await errorOf(booking, BookingOutcomeUnknownError);
    if (!ApiError.isInstance(cause)) expect.unreachable();
    expect(cause).toMatchObject({ statusCode: "[redacted]", serviceMessage: "no [redacted]" });
    expect([cause.body, cause.headers.get("x-echo")]).toEqual([
      { status_code: "[redacted]", message: "no [redacted]", echo: "[redacted]" },
      "[redacted]",
    ]);
  });

  it("in the preview of a page that echoes it", async () => {
    const clientSecret = Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26))).join("");
    const { api } = await serve(answers(200, `<html>${`${clientSecret} `.repeat(20)}`), {
      clientSecret,
      maxRetries: 0,
    });
    const error = await errorOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.preview).not.toContain(clientSecret.slice(0, 12));
  });

  it("in the code of a connection error", async () => {
    const fetch = async () => Promise.reject(Object.assign(new TypeError("fetch failed"), { code: `E_${secret}` }));
    const options = { baseUrl: "https://api.example.com", clientId: "a", clientSecret: secret, fetch, maxRetries: 0 };
    const error = await errorOf(new ServiceApi(options).send(safe, {}), ConnectionError);
    expect(error.code).toBe("E_[redacted]");
    expectNoSecret(error);
  });

  describe("in the error with which a body broke off", () => {
    const breaksOff = (text: string) => async () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        pull: (controller) => controller.error(new Error(`lost after client-secret: ${secret}`)),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const clientWith = (fetch: typeof globalThis.fetch) => clientOf(nowhere, { fetch });

    it("of a call", async () => {
      const call = clientWith(breaksOff("{")).send(safe, {}, { maxRetries: 0 });
      const error = await errorOf(call, UnexpectedResponseError);
      expect(error).toMatchObject({ reason: "cut", cause: { message: expect.stringContaining("[redacted]") } });
      expectNoSecret(error);
    });

    it("of a stream", async () => {
      const stream = clientWith(breaksOff(": hello\n\n")).ai.stream({ user: { text: "Hello" } });
      const error = await errorOf(stream.finalText(), StreamTruncatedError);
      expect(error).toMatchObject({ cause: { message: expect.stringContaining("[redacted]") } });
      expectNoSecret(error);
    });
  });

  it("in what a schema of the caller throws about a response", async () => {
    const { api } = await serve(answers(200, { status: "SUCCESS", echo: secret }));
    const body = schemaOf<Fields>((value) => {
      throw new Error(`odd: ${JSON.stringify(value)}`);
    });
    const error = await errorOf(api.send(made({ retry: "safe", body }), {}), ConfigurationError);
    expect(error).toMatchObject({ cause: { message: expect.stringContaining("[redacted]") } });
    expectNoSecret(error);
  });

  it.each([
    ["that is not JSON", `data: {"event":"response_output",${secret}\n\n`],
    ["that is not of its shape", `data: {"event":"response_output","more":"${secret}"}\n\n`],
  ])("in the body of a stream error after an event %s", async (_case, event) => {
    const { api } = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${event}data: {"event":"trace"}\n\n`);
    });
    const stream = api.ai.stream({ user: { text: "Hello" } });
    const error = await errorOf(stream.finalText(), StreamFailedError);
    expect(error.body).toBeDefined();
    expect(JSON.stringify(error.body)).not.toContain(secret);
  });
});
