import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import { RelayError, readRelay } from "../../../src/ai/entry.ts";
import type { AiEvent } from "../../../src/index.ts";
import { hasChromium, startChromium } from "../../support/chromium.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { hindi, markdown, sse, streamOf } from "../support.ts";

/** The relay of a stream of these events. */
async function relayOf(events: readonly unknown[], errorText?: () => string): Promise<Response> {
  return (await streamOf(events)).stream.toResponse({ errorText });
}

/** The same body, byte by byte. */
async function inBytes(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController) =>
    sent === bytes.length ? controller.close() : controller.enqueue(bytes.subarray(sent, ++sent));
  return new Response(new ReadableStream({ pull }));
}

const completed = markdown.at(-1) as Extract<AiEvent, { event: "response_completed" }>;

describe("readRelay", () => {
  it.each([
    ["Markdown", markdown],
    ["Hindi", hindi.slice(-1)],
    [
      "line separators in the text",
      [{ ...completed, system: { ...completed.system, text: "a\u2028data: 1\u2029\r\n\n" } }],
    ],
    ["an event that the document does not show", [{ event: "a\ndata: b" }, completed]],
  ])("yields the events of a relay, in one part and byte by byte: %s", async (_name, events) => {
    for (const cut of [(response: Response) => response, inBytes]) {
      const response = await cut(await relayOf(events));
      expect(await collect(readRelay(response))).toEqual(events);
    }
  });

  it("takes what fetch returned, also before it is awaited", async () => {
    expect(await collect(readRelay(relayOf(markdown)))).toEqual(markdown);
  });

  it("throws what errorText returned, with the kind of the error on the server", async () => {
    const { all, error } = await collectUntilError(
      readRelay(await relayOf(markdown.slice(0, 2), () => "Again?")),
      RelayError,
    );
    expect(all).toEqual(markdown.slice(0, 2));
    expect(error).toMatchObject({ name: "RelayError", kind: "stream_truncated", message: "Again?", status: 200 });
  });

  it("throws for a connection that ends early, whose cut never looks like an end", async () => {
    const whole = await (await relayOf(markdown)).text();
    const { all, error } = await collectUntilError(readRelay(new Response(whole.slice(0, -2))));
    expect(all).toEqual(markdown.slice(0, -1));
    expect(error).toMatchObject({ name: "RelayError", kind: "cut" });
    expect((await collectUntilError(readRelay(new Response(null)))).error).toMatchObject({ kind: "cut" });
  });

  it.each([
    ["text", "data: the words of a person\n\n"],
    ["null", "data: null\n\n"],
    ["a failure without its kind", 'data: {"event":"stream_error","message":"person"}\n\n'],
    ["an object that is no event", 'data: {"id":1}\n\n'],
    ["a page", "<!doctype html><title>Log in, person</title>\n"],
    ["a page with blank lines", "<!doctype html>\n\n<title>Log in, person</title>\n\n"],
  ])("throws for a body that is not a relay, without its text: %s", async (_name, body) => {
    const { all, error } = await collectUntilError(readRelay(new Response(body)));
    expect(all).toEqual([]);
    expect(error).toMatchObject({ name: "RelayError", kind: "unreadable", status: 200 });
    expect(String(error)).not.toMatch(/person/);
  });

  it("throws for another status, and leaves the body", async () => {
    const cancelled = gate();
    const body = new ReadableStream({ cancel: () => cancelled.open() });
    const { error } = await collectUntilError(readRelay(new Response(body, { status: 429 })));
    expect(error).toMatchObject({ name: "RelayError", kind: "http", status: 429 });
    await cancelled.opened;
  });

  it("throws the plain text of a refusal, for the page to show", async () => {
    const refusal = new Response("This conversation went on elsewhere.", { status: 409 });
    expect((await collectUntilError(readRelay(refusal))).error).toMatchObject({
      message: "This conversation went on elsewhere.",
    });
  });

  it.each([
    ["text/plain", "यह बातचीत कहीं और जारी है।"],
    ["application/json", '{"error":"यह बातचीत कहीं और जारी है।"}'],
  ])("reads a refusal in any number of chunks: %s", async (type, text) => {
    const refusal = new Response(text, { status: 409, headers: { "content-type": type } });
    const { body } = await inBytes(refusal);
    const cut = new Response(body, { status: 409, headers: { "content-type": type } });
    expect((await collectUntilError(readRelay(cut))).error).toMatchObject({ message: "यह बातचीत कहीं और जारी है।" });
  });

  it.each([
    ["text/plain;charset=UTF-8", "\n Too many questions. \n", "Too many questions."],
    ["text/plain", "x".repeat(501), "x".repeat(500)],
    ["text/plain", null, "The route responded with HTTP 429."],
    ["text/html", "<p>Too many</p>", "The route responded with HTTP 429."],
    ["x-text/plain", "Too many", "The route responded with HTTP 429."],
    ["x-application/json", '{"error":"Too many"}', "The route responded with HTTP 429."],
    ["application/json; charset=utf-8", '{"error":" Too many questions. "}', "Too many questions."],
    ["application/json", '{"error":{"code":7}}', "The route responded with HTTP 429."],
    ["application/json", '{"error":"Too', "The route responded with HTTP 429."],
    ["application/json", "{}", "The route responded with HTTP 429."],
  ])(
    "shows at most 500 characters of a sentence, and nothing of another kind of body: %s",
    async (type, body, message) => {
      const refusal = new Response(body, { status: 429, headers: { "content-type": type } });
      expect((await collectUntilError(readRelay(refusal))).error).toMatchObject({ kind: "http", status: 429, message });
    },
  );

  it("skips the comments that keep a connection open", async () => {
    const whole = await (await relayOf(markdown)).text();
    const response = new Response(`: open data: 1\n\n${whole.replaceAll("\n\n", "\n\n:\n\n")}`);
    expect(await collect(readRelay(response))).toEqual(markdown);
  });

  it("leaves the relay after `break`", async () => {
    const cancelled = gate();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse(markdown[0]))),
      cancel: () => cancelled.open(),
    });
    for await (const event of readRelay(new Response(body))) {
      expect(event).toEqual(markdown[0]);
      break;
    }
    await cancelled.opened;
  });
});

describe.skipIf(!hasChromium)("readRelay in Chromium", { timeout: 30_000 }, () => {
  let site: Server;
  afterEach(() => site?.close());

  it("shows a response that a route relays, by a script without the client", async () => {
    const {
      outputFiles: [script],
    } = await build({
      stdin: { contents: `export { readRelay } from "./src/ai/relay/read-relay.ts";`, resolveDir: process.cwd() },
      bundle: true,
      format: "esm",
      write: false,
    });
    expect(script?.text).not.toContain("client-secret");
    site = createServer(async ({ url }, response) => {
      if (url === "/read-relay.js") response.writeHead(200, { "content-type": "text/javascript" }).end(script?.text);
      else if (url === "/chat") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        Readable.fromWeb((await relayOf(hindi)).body as NodeStream).pipe(response);
      } else response.writeHead(200, { "content-type": "text/html" }).end("<title>Chat</title>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const text = await page.evaluate(`(async () => {
        const { readRelay } = await import("/read-relay.js");
        let last = "";
        for await (const event of readRelay(await fetch("/chat"))) last = event.system?.text ?? last;
        return last;
      })()`);
      expect(text).toBe((hindi.at(-1) as typeof completed).system.text);
    } finally {
      await browser.close();
    }
  });
});
