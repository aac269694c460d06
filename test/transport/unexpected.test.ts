import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { UnexpectedResponseError } from "../../src/errors/index.ts";
import { clientOf, errorOf, failureOf } from "../support/client.ts";
import { never, safe } from "../support/operations.ts";
import { everyPrintOf, secret } from "../support/secrets.ts";
import { outcomeOf, serve } from "../support/serve.ts";
import { type Answer, answers, breaksOff, reply, startTcpServer } from "../support/server.ts";

describe("a body that is not a response of this service", () => {
  const html = "<html><body>Bad gateway</body></html>";
  const rows: readonly [string, Answer, string][] = [
    ["a web page", answers(200, html, { "content-type": "text/html" }), "html"],
    ["a web page that says it is JSON", answers(200, `\n ${html}`), "html"],
    ["a web page under HTTP 502", answers(502, `<!DOCTYPE html>${html}`, { "content-type": "text/html" }), "html"],
    ["XML", answers(200, '<?xml version="1.0"?><a/>', { "content-type": "text/xml" }), "html"],
    ["nothing", answers(200, ""), "empty"],
    ["white space", answers(200, " \n"), "empty"],
    ["nothing under HTTP 504", answers(504, ""), "empty"],
    ["nothing under HTTP 204", (response) => response.writeHead(204).end(), "empty"],
    ["plain text", answers(200, "OK", { "content-type": "text/plain" }), "notJson"],
    ["text with a web page in it", answers(200, `see ${html}`), "notJson"],
    ["text with JSON in it", answers(200, 'see {"pnr"'), "notJson"],
    ["JSON with a comma too many", answers(200, '{"status":"SUCCESS",}'), "notJson"],
    ["JSON with a comma too many after a list", answers(200, '{"data":[1],}'), "notJson"],
    ["JSON that ends in the middle", answers(200, '{"status":"SUCCESS","data":{"pnr":"AB'), "cut"],
    ["JSON that ends with a brace", answers(200, '{"status":"SUCCESS","data":{"pnr":"ABC123"}'), "cut"],
    ["JSON that ends with a brace in a string", answers(200, '{"data":"\\"}}'), "cut"],
    ["a list that ends with a brace", answers(200, '[{"pnr":"ABC123"}'), "cut"],
    ["JSON that ends in a string of 16 million characters", answers(200, `{"data":"${"x".repeat(16_000_000)}`), "cut"],
    ["JSON with a brace too many", answers(200, '{"data":{}}}'), "notJson"],
    ["JSON with braces in its strings", answers(200, '{"data":"{[{[",}'), "notJson"],
    ["JSON that ends after a part", answers(200, '{"status":"SUCCESS","data":{"pnr":"AB"},"seats":[1],'), "cut"],
    [
      "JSON that ends within a character",
      (response) => response.writeHead(200).end(Buffer.from('{"name":"आशा').subarray(0, -1)),
      "cut",
    ],
    ["a list", answers(200, [{ status: "SUCCESS" }]), "notObject"],
    ["a text", answers(200, '"SUCCESS"'), "notObject"],
    ["null", answers(200, "null"), "notObject"],
    [
      "bytes that are not UTF-8",
      (response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
      "badEncoding",
    ],
  ];

  it.each(rows)("%s", async (_case, answer, reason) => {
    const error = await outcomeOf(answer, UnexpectedResponseError);
    expect(error).toMatchObject({ kind: "unexpected_response", reason });
    expect(error.outcome).toBe("unknown");
    const isOtherSite = reason === "html" && error.httpStatus === 200;
    const [said, more] = error.message.split(" It is safe to retry.");
    expect(said).toMatch(/^test\.safe: the response .* \(HTTP \d{3}, .*\)\.$/);
    expect(more).toBe(isOtherSite ? " Check `baseUrl` too." : "");
  });

  it("a refusal that is a web page is a refusal: nothing was done", async () => {
    const error = await outcomeOf(answers(403, html), UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: "rejected", isRetryable: false, httpStatus: 403 });
  });

  it("a body cut by the connection keeps what arrived", async () => {
    const error = await outcomeOf(breaksOff('{"status":"SUCCESS","pnr":"AB12'), UnexpectedResponseError);
    expect(error).toMatchObject({ reason: "cut", isRetryable: true, outcome: "unknown" });
    expect(error.body).toMatch(/^(\{"status":"SUCCESS","pnr":"AB12)?$/);
    expect(error.cause).toMatchObject({ message: expect.stringContaining("terminated") });
  });

  it("a chunked body that ends without its last chunk is cut, even if it is whole JSON", async () => {
    const server = await startTcpServer((socket) => {
      socket.once("data", () => {
        socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n14\r\n{"status":"SUCCESS"}\r\n');
      });
    });
    const error = await failureOf(clientOf(server).send(never, {}), UnexpectedResponseError);
    expect(error).toMatchObject({ reason: "cut", body: '{"status":"SUCCESS"}', outcome: "unknown" });
  });

  it("the preview is 200 characters, and neither it nor the body is printed with the error", async () => {
    const text = `ASHA EXAMPLE ${secret} ${"y".repeat(1_000)}`;
    const { api } = await serve(answers(200, text));
    const error = await errorOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.preview).toHaveLength(200);
    expect(error.preview).toMatch(/^ASHA EXAMPLE \[redacted\] y+$/);
    expect(error.body).toBe(text.replace(secret, "[redacted]"));
    expect(`${error.stack}${error.message}${JSON.stringify(error)}`).not.toMatch(/ASHA|yyyy/);
  });

  it("a secret at the end of the preview is not left there in part", async () => {
    const { api } = await serve(answers(200, `${"y".repeat(190)}${secret}${"z".repeat(100)}`));
    const error = await errorOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.preview).toBe(`${"y".repeat(190)}[redacted]`);
  });

  it("names the content type, or that there is none", async () => {
    const error = await outcomeOf((response) => response.writeHead(200).end("<html>"), UnexpectedResponseError);
    expect(error.contentType).toBeUndefined();
    expect(error.message).toContain("(HTTP 200, no content type)");
  });

  it("an error of `JSON.parse`, which quotes the body, is not passed on", async () => {
    const error = await outcomeOf(answers(200, '{"name":"ASHA EXAMPLE",}'), UnexpectedResponseError);
    expect(error.cause).toBeUndefined();
    expect(everyPrintOf(error.cause)).not.toContain("ASHA");
  });
});

describe("a response is at most `maxResponseBytes` long, after decompression", () => {
  const bodyOf = (bytes: number) => `{"status":"SUCCESS","x":"${"x".repeat(bytes - 27)}"}`;

  it("is accepted at the limit and refused one byte beyond it", async () => {
    const { api } = await serve((response, _request, n) => reply(response, 200, bodyOf(n === 1 ? 1_000 : 1_001)), {
      maxResponseBytes: 1_000,
    });
    expect(await api.send(safe, {})).toMatchObject({ status: "SUCCESS" });
    const error = await failureOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error).toMatchObject({ reason: "tooLarge", outcome: "unknown", isRetryable: false });
    expect(error.message).toContain("raise it if that is right");
  });

  it("a gzip bomb is stopped after 16 MiB, long before it is unpacked, and its connection is closed", async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, 0x20), { level: 1 });
    const { server, api } = await serve((response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": String(bomb.length) });
      response.end(bomb);
    });
    const error = await failureOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.reason).toBe("tooLarge");
    expect(String(error.body).length).toBeLessThan(18 * 1024 * 1024);
    expect(error.preview).toHaveLength(200);
    await server.idle();
  });

  it("an endless body is stopped too", async () => {
    const { server, api } = await serve(
      (response) => {
        const more = () => {
          while (response.writable && response.write("x".repeat(65_536)));
        };
        response.on("drain", more);
        more();
      },
      { maxResponseBytes: 100_000 },
    );
    const error = await failureOf(api.send(safe, {}), UnexpectedResponseError);
    expect(error.reason).toBe("tooLarge");
    await server.idle();
  });

  it("1 means 1", async () => {
    expect(await outcomeOf(answers(200, "{}"), UnexpectedResponseError, { maxResponseBytes: 1 })).toMatchObject({
      reason: "tooLarge",
    });
  });
});
