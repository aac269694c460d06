import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../src/errors/index.ts";
import { type NodeFetchOptions, nodeFetch } from "../../src/node/index.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { safe } from "../support/operations.ts";
import { runProgram } from "../support/program.ts";
import { serve } from "../support/serve.ts";
import { answers, deadAddress, reply, startServer, succeeds } from "../support/server.ts";
import { temporaryFile } from "../support/temporary-file.ts";

const echo = () =>
  startServer((response, { method, path, headers, body }) => reply(response, 200, { method, path, headers, body }));

describe("what fetch takes, this takes", () => {
  it.each<[string, (url: string) => [RequestInfo | URL, RequestInit?], object]>([
    ["a string", (url) => [`${url}/a?b=c#d`], { method: "GET", path: "/a?b=c", body: "" }],
    ["a URL", (url) => [new URL("/a", url)], { method: "GET", path: "/a" }],
    ["a Request", (url) => [new Request(url, { method: "PUT", body: "x" })], { method: "PUT", body: "x" }],
    ["a body of bytes", (url) => [url, { method: "POST", body: new Uint8Array([97, 98]) }], { body: "ab" }],
    [
      "a body of parameters",
      (url) => [url, { method: "POST", body: new URLSearchParams({ a: "1" }) }],
      { body: "a=1" },
    ],
    ["a Blob", (url) => [url, { method: "POST", body: new Blob(["blob"]) }], { body: "blob" }],
    ["no body", (url) => [url, { method: "POST" }], { body: "", headers: { "content-length": "0" } }],
    [
      "a stream, in chunks",
      (url) => [url, { method: "DELETE", body: new Blob(["a", "b"]).stream(), duplex: "half" } as RequestInit],
      { method: "DELETE", body: "ab", headers: { "transfer-encoding": "chunked" } },
    ],
    ["Headers", (url) => [url, { headers: new Headers({ "X-A": "1" }) }], { headers: { "x-a": "1" } }],
  ])("%s", async (_case, args, expected) => {
    const server = await echo();
    const response = await nodeFetch()(...args(server.url));
    expect(await response.json()).toMatchObject(expected);
  });

  it("a stream, which is cancelled if no connection can be made", async () => {
    const cancelled = gate();
    const body = new ReadableStream({ cancel: () => cancelled.open() });
    const sending = nodeFetch()(deadAddress, { method: "POST", body, duplex: "half" } as RequestInit);
    await expect(sending).rejects.toThrow(TypeError);
    await cancelled.opened;
  });

  it("a form, with its boundary", async () => {
    const server = await echo();
    const form = new FormData();
    form.set("a", "1");
    const response = await nodeFetch()(server.url, { method: "POST", body: form });
    expect(await response.json()).toMatchObject({
      headers: { "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/) },
    });
  });

  it.each(["ftp://example.com", "data:,x", "http://user:password@example.com"])("but not %s", async (url) => {
    expect((await errorOf(nodeFetch()(url), Error)).message).not.toContain("password");
  });
});

describe("redirects", () => {
  const moved = () => startServer((response) => response.writeHead(307, { location: "/elsewhere" }).end());

  it.each(["manual", undefined] as const)("%s: the response is the redirect", async (redirect) => {
    const server = await moved();
    const response = await nodeFetch()(server.url, redirect && { redirect });
    expect(response).toMatchObject({ status: 307, redirected: false });
    expect(response.headers.get("location")).toBe("/elsewhere");
    expect(server.requests).toHaveLength(1);
  });

  it("error: rejects", async () => {
    await expect(nodeFetch()((await moved()).url, { redirect: "error" })).rejects.toThrow(TypeError);
  });

  it("follow: is refused, and nothing is sent", async () => {
    const server = await moved();
    await expect(nodeFetch()(server.url, { redirect: "follow" })).rejects.toThrow(ConfigurationError);
    expect(server.requests).toHaveLength(0);
  });
});

describe("options", () => {
  it.each<[object, string]>([
    [{ maxSocket: 1 }, "maxSocket"],
    [{ maxSockets: 0 }, "maxSockets"],
    [{ maxSockets: Number.NaN }, "maxSockets"],
    [{ idleTimeout: false }, "idleTimeout"],
    [{ connectTimeout: -1 }, "connectTimeout"],
    [{ keepAlive: "yes" }, "keepAlive"],
    [{ proxy: true }, "proxy"],
    [{ proxy: "socks5://user:hunter2@proxy:1080" }, "proxy"],
    [{ proxy: "proxy:3128" }, "proxy"],
    [{ tls: { rejectUnauthorised: false } }, "rejectUnauthorised"],
    [{ tls: { ca: [] } }, "ca"],
    [{ tls: { ca: "/etc/ssl/hunter2.pem", cert: "x", key: "y" } }, "tls"],
  ])("%o is refused", (options, name) => {
    const create = () => nodeFetch(options as NodeFetchOptions);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(name);
    expect(create).not.toThrow(/hunter2/);
  });
});

describe("in a client", () => {
  it("a wrapper around it works as well", async () => {
    const fetch = nodeFetch();
    const { api } = await serve(succeeds, { fetch: (url, init) => fetch(url, init) });
    const { response } = await api.send(safe, {}).withResponse();
    expect(response).toBeInstanceOf(Response);
  });

  it("ai.stream reads its events", async () => {
    const emulator = await createEmulator({ pace: 0 }).listen({ port: 0 });
    onTestFinished(() => emulator.close());
    const api = clientOf(emulator, { fetch: nodeFetch() });
    const types: string[] = [];
    for await (const event of api.ai.stream({ user: { text: "Hello" } })) types.push(event.event);
    expect(types.at(-1)).toBe("response_completed");
  });
});

it("a script ends when its calls end, although connections are kept", async () => {
  const server = await startServer(answers(200, { ok: true }));
  const source = fileURLToPath(new URL("../../src/node/index.ts", import.meta.url));
  const file = temporaryFile(
    "script.mts",
    `import { nodeFetch } from ${JSON.stringify(source)};
     const response = await nodeFetch({ idleTimeout: 600_000 })(${JSON.stringify(server.url)});
     console.log(JSON.stringify(await response.json()));`,
  );
  expect(await runProgram(file)).toEqual({ exitCode: 0, output: '{"ok":true}\n' });
});
