import { afterEach, describe, expect, it, vi } from "vitest";
import { createSendOnce, endingWith, wasNeverSent } from "../../src/transport/fetch.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const coded = (code: string, cause?: unknown) => Object.assign(new Error("x", { cause }), { code });
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

describe("policies 8 and 30: what certainly never left this machine", () => {
  it.each([
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "ERR_SSL_WRONG_VERSION_NUMBER",
  ])("%s, on the error or on its cause", (code) => {
    expect(wasNeverSent(coded(code))).toBe(true);
    expect(wasNeverSent(fetchFailed(coded(code)))).toBe(true);
  });

  it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "ConnectionClosed"])(
    "%s may have been sent",
    (code) => {
      expect(wasNeverSent(fetchFailed(coded(code)))).toBe(false);
    },
  );

  it.each<[string, unknown, boolean]>([
    [
      "Node, every address of a name refused",
      fetchFailed(
        Object.assign(new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]), { code: "ECONNREFUSED" }),
      ),
      true,
    ],
    [
      "Node, one address of two reset",
      fetchFailed(new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")])),
      false,
    ],
    [
      "a cause that leads back to where it began",
      (() => {
        const loop = new Error("loop");
        loop.cause = new Error("and back", { cause: loop });
        return loop;
      })(),
      false,
    ],
    ["an aggregate of nothing", new AggregateError([]), false],
    ["Node, a port that fetch refuses", fetchFailed(new Error("bad port")), true],
    [
      "Deno, no connection",
      new TypeError("error sending request for url (http://x/): client error (Connect): tcp connect error: refused"),
      true,
    ],
    [
      "Deno, a connection that broke",
      new TypeError("error sending request for url (http://x/): client error (SendRequest)"),
      false,
    ],
    ["Deno, a port that fetch refuses", new TypeError("Fetch failed: Requests to port 22 are blocked"), true],
    ["workerd, which tells nothing", new Error("Network connection lost."), false],
    ["a message that merely mentions one", new Error("ECONNREFUSED"), false],
    ["no error at all", "ECONNREFUSED", false],
    ["a code that is no text", Object.assign(new Error("x"), { code: 111 }), false],
  ])("%s", (_case, error, never) => {
    expect(wasNeverSent(error)).toBe(never);
  });
});

describe("the quirks of the runtimes", () => {
  const init = { method: "POST", body: "{}" };

  it("Deno re-sends on a kept-alive connection that died: what may not be repeated gets a client without idle ones", async () => {
    const module = await import("../../src/transport/fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Deno", { createHttpClient });
    vi.stubGlobal("fetch", fetch);
    for (const retry of ["never", "ifNotProcessed"] as const)
      await module.createSendOnce(undefined, retry)("https://x.example", init);
    expect(createHttpClient).toHaveBeenCalledOnce();
    expect(createHttpClient).toHaveBeenCalledWith(expect.objectContaining({ poolMaxIdlePerHost: 0 }));
    expect(fetch.mock.calls.map((args: unknown[]) => args[1])).toEqual([
      { ...init, client: "the client" },
      { ...init, client: "the client" },
    ]);
    await module.createSendOnce(undefined, "safe")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", init);
  });

  it("older Bun re-sends as well: what may not be repeated gets a connection of its own", async () => {
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Bun", {});
    vi.stubGlobal("fetch", fetch);
    await createSendOnce(undefined, "never")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", { ...init, keepalive: false });
    await createSendOnce(undefined, "safe")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", init);
  });

  it("a Deno without that function, and any other runtime, sends as it is", async () => {
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Deno", {});
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    vi.stubGlobal("fetch", fetch);
    await createSendOnce(undefined, "never")("https://x.example", init);
    expect(fetch).toHaveBeenCalledWith("https://x.example", init);
  });

  it("a custom fetch is used as it is, whatever the runtime", async () => {
    vi.stubGlobal("Deno", { createHttpClient: expect.unreachable });
    const custom = vi.fn(async () => new Response());
    await createSendOnce(custom, "never")("https://x.example", init);
    expect(custom).toHaveBeenCalledWith("https://x.example", init);
  });
});

describe("Deno 2.9 loses the link from a signal to a body to garbage collection: it is made anew there", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it("nowhere else, and not where there is no body", () => {
    const { signal } = new AbortController();
    const response = new Response("x");
    expect(endingWith(signal, response)).toBe(response);
    vi.stubGlobal("Deno", {});
    const empty = new Response(null);
    expect(endingWith(signal, empty)).toBe(empty);
  });

  it("gives the body chunk by chunk, with the status, the headers and the address", async () => {
    vi.stubGlobal("Deno", {});
    const source = new ReadableStream({
      start(controller) {
        for (const text of ["one ", "two"]) controller.enqueue(bytes(text));
        controller.close();
      },
    });
    const response = new Response(source, { status: 201, headers: { "x-a": "1" } });
    Object.defineProperty(response, "url", { value: "https://api.example.com/x" });
    const wrapped = endingWith(new AbortController().signal, response);
    expect([wrapped.status, wrapped.headers.get("x-a"), wrapped.url]).toEqual([201, "1", "https://api.example.com/x"]);
    expect(await wrapped.text()).toBe("one two");
  });

  it("an abort ends the read that waits, with the caller's reason, and the connection", async () => {
    vi.stubGlobal("Deno", {});
    const cancel = vi.fn();
    const controller = new AbortController();
    const wrapped = endingWith(controller.signal, new Response(new ReadableStream({ cancel })));
    const reading = wrapped.text();
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("a reader that leaves ends the connection as well", async () => {
    vi.stubGlobal("Deno", {});
    const cancel = vi.fn();
    const wrapped = endingWith(new AbortController().signal, new Response(new ReadableStream({ cancel })));
    await wrapped.body?.cancel("left");
    expect(cancel).toHaveBeenCalledWith("left");
  });
});
