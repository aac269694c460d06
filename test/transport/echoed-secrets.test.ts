import { describe, expect, it } from "vitest";
import { ApiError, ConnectionError, ServiceApi, StreamFailedError, UnexpectedResponseError } from "../../src/index.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { safe } from "../support/operations.ts";
import { everyPrintOf, expectNoSecret, secret } from "../support/secrets.ts";
import { reply, startServer } from "../support/server.ts";

describe("an echoed secret is not printed", () => {
  it("in the host of a redirect", async () => {
    const clientSecret = "a-long-secret";
    const server = await startServer((response) =>
      reply(response, 302, "", { location: `https://${clientSecret}.example.com/` }),
    );
    const error = await errorOf(clientOf(server, { clientSecret }).send(safe, {}), ApiError);
    expect(everyPrintOf(error)).not.toContain(clientSecret);
    expect(error.message).toContain("[redacted].example.com");
  });

  it("in the preview of a page that echoes it", async () => {
    const clientSecret = Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26))).join("");
    const server = await startServer((response) => reply(response, 200, `<html>${`${clientSecret} `.repeat(20)}`));
    const api = clientOf(server, { clientSecret, maxRetries: 0 });
    const error = await errorOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.preview).not.toContain(clientSecret.slice(0, 12));
  });

  it("in the code of a connection error", async () => {
    const fetch = async () => {
      throw Object.assign(new TypeError("fetch failed"), { code: `E_${secret}` });
    };
    const options = { baseUrl: "https://api.example.com", clientId: "a", clientSecret: secret, fetch, maxRetries: 0 };
    const error = await errorOf(new ServiceApi(options).send(safe, {}), ConnectionError);
    expect(error.code).toBe("E_[redacted]");
    expectNoSecret(error);
  });

  it.each([
    ["that is not JSON", `data: {"event":"response_output",${secret}\n\n`],
    ["that is not of its shape", `data: {"event":"response_output","more":"${secret}"}\n\n`],
  ])("in the body of a stream error after an event %s", async (_case, event) => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${event}data: {"event":"trace"}\n\n`);
    });
    const stream = clientOf(server).ai.stream({ user: { text: "Hello" } });
    const error = await errorOf(stream.finalText(), StreamFailedError);
    expect(error.body).toBeDefined();
    expect(JSON.stringify(error.body)).not.toContain(secret);
  });
});
