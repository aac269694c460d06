import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/index.ts";
import { type AiStream, type ApiCall, type ClientEvent, type ClientOptions, ServiceApi } from "../../src/index.ts";
import { pollute } from "../support/pollute.ts";
import { watchUnhandled } from "../support/unhandled.ts";
import { chunk, completed, initiated, sseBody } from "./events.ts";

const whole = [initiated(), chunk(1, "Hello"), completed("Hello")];

/** A client of a service that sends these events or one whole response, and the requests that the service received. */
function client(events: readonly object[] = whole, options: ClientOptions = {}) {
  const sent: Record<string, unknown>[] = [];
  const headers: Headers[] = [];
  const api = new ServiceApi({
    baseUrl: "https://service.example",
    clientId: "id",
    clientSecret: "a-long-secret",
    ...options,
    fetch: async (_url, init) => {
      const body = JSON.parse(String(init?.body));
      sent.push(body);
      headers.push(new Headers(init?.headers));
      if (body.stream !== true) return Response.json(completed("Hello"));
      return new Response(sseBody(events), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { api, sent, headers };
}

/** Every function of AI that takes options, called with these. */
const doors: Record<string, (api: ServiceApi, options: never) => Promise<unknown>> = {
  "ai.createResponse": async (api, options) => api.ai.createResponse({ user: { text: "x" } }, options),
  "ai.stream": (api, options) => api.ai.stream({ user: { text: "x" } }, options).finalText(),
  "ai.conversation.send": (api, options) => api.ai.conversation().send("x", options),
  "ai.conversation.stream": (api, options) => api.ai.conversation().stream("x", options).finalText(),
  "ai.stream: toResponse": async (api, options) =>
    api.ai
      .stream({ user: { text: "x" } })
      .toResponse(options)
      .text(),
  "ai.stream: toReadableStream": async (api, options) =>
    new Response(api.ai.stream({ user: { text: "x" } }).toReadableStream(options)).text(),
};

describe("every function of AI checks its options before the request is sent", () => {
  it.each(Object.entries(doors))("%s", async (owner, call) => {
    const { api, sent } = client();
    const refused = async (options: unknown) => {
      const error = await call(api, options as never).then(
        () => expect.unreachable("it was accepted"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(`${owner}: `);
      return String(error);
    };
    expect(await refused(null)).toContain("must be an object");
    expect(await refused("fast")).toContain("must be an object");
    expect(await refused({ timeuot: 1 })).toContain('"timeuot"');
    for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, "1"]) {
      const name = owner.includes("to") ? "heartbeat" : "timeout";
      expect(await refused({ [name]: value })).toContain(`\`${name}\` must be`);
    }
    expect(await refused({ headers: { a: 1 } })).toContain("headers");
    expect(sent).toEqual([]);
  });

  it.each(Object.entries(doors))("%s reads each option once", async (_owner, call) => {
    const { api } = client();
    const reads: string[] = [];
    const options = {
      get headers() {
        reads.push("headers");
        return { "x-mine": "1" };
      },
    };
    if (_owner.endsWith("toReadableStream")) return;
    await call(api, options as never);
    expect(reads).toEqual(["headers"]);
  });
});

describe("a stream that is refused before it is sent is reported as other calls are", () => {
  it.each<[string, (ai: ServiceApi["ai"]) => AiStream, string | undefined]>([
    ["bad options", (ai) => ai.stream({ user: { text: "x" }, client_referenceId: "r-1" }, { timeout: -1 }), "r-1"],
    ["bad params", (ai) => ai.stream({ user: {}, client_referenceId: "r-2" } as never), "r-2"],
    ["bad options of a turn", (ai) => ai.conversation().stream("x", { timeout: -1 }), undefined],
  ])("%s", async (_case, begin, clientReferenceId) => {
    const events: ClientEvent[] = [];
    const { api, sent } = client(whole, { onEvent: (event) => events.push(event) });
    const stream = begin(api.ai);
    expect(events).toEqual([]);
    await expect(stream.finalText()).rejects.toMatchObject({ outcome: "notSent" });
    expect(events).toEqual([
      expect.objectContaining({
        type: "error",
        operation: "ai.stream",
        clientReferenceId,
        outcome: "notSent",
        attempts: 0,
      }),
    ]);
    expect(sent).toEqual([]);
  });
});

describe("an inherited property is not an option", () => {
  const polluted: Record<string, unknown> = {
    signal: AbortSignal.abort("polluted"),
    images: ["https://elsewhere.example/a.png"],
    client_referenceId: "polluted",
    headers: { "x-polluted": "1" },
    extraBody: { polluted: true },
    format: "text",
  };
  it.each(Object.entries(doors))("%s", async (_owner, call) => {
    const { api, sent, headers } = client();
    const clean = pollute(polluted);
    for (const options of [undefined, {}]) await call(api, options as never);
    clean();
    expect(sent).toHaveLength(2);
    for (const body of sent) {
      expect(body.user).toEqual({ text: "x" });
      expect(body).not.toHaveProperty("polluted");
      expect(body.client_referenceId).not.toBe("polluted");
    }
    for (const header of headers) expect(header.has("x-polluted")).toBe(false);
  });
});

describe("the options of a stream are those of the call, even if the object changes later", () => {
  it.each<[string, (api: ServiceApi, options: object) => AiStream]>([
    ["ai.stream", (api, options) => api.ai.stream({ user: { text: "x" } }, options)],
    ["ai.conversation.stream", (api, options) => api.ai.conversation().stream("x", options)],
  ])("%s", async (_name, open) => {
    const { api, headers } = client();
    const options: Record<string, unknown> = { headers: { "x-mine": "given" } };
    const stream = open(api, options);
    options.headers = { "x-mine": "changed" };
    options.signal = AbortSignal.abort();
    expect(await stream.finalText()).toBe("Hello");
    expect(headers[0]?.get("x-mine")).toBe("given");
  });
});

describe("a promise that is awaited later is not an unhandled rejection in between", () => {
  const cut = whole.slice(0, 2);
  it.each<[string, (api: ServiceApi) => Promise<unknown>]>([
    ["finalText()", (api) => api.ai.stream({ user: { text: "x" } }).finalText()],
    ["finalResponse()", (api) => api.ai.stream({ user: { text: "x" } }).finalResponse()],
    [
      "next()",
      (api) =>
        api.ai
          .stream({ user: { text: "" } })
          [Symbol.asyncIterator]()
          .next(),
    ],
    [
      "next() of the text",
      (api) =>
        api.ai
          .stream({ user: { text: "" } })
          .textStream[Symbol.asyncIterator]()
          .next(),
    ],
  ])("%s", async (_name, make) => {
    const unhandled = watchUnhandled();
    const promise = make(client(cut).api);
    // Nothing may look at the promise meanwhile: that would handle it.
    for (let i = 0; i < 20; i++) await turn();
    expect(unhandled).toEqual([]);
    await expect(promise).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
  });
});

describe("what nobody awaits does not end the process, because its failure is reported elsewhere", () => {
  const cut = whole.slice(0, 2);
  it.each<[string, string, (api: ServiceApi) => unknown]>([
    ["send() of a conversation", "error request_validation", (api) => api.ai.conversation().send("")],
    [
      "send() during another turn",
      "error request_validation",
      (api) => {
        const chat = api.ai.conversation();
        chat.send("x");
        chat.send("y");
      },
    ],
    ["ready()", "error request_validation", (api) => api.ai.stream({ user: { text: "" } }).ready()],
  ])("%s", async (_name, reported, make) => {
    const unhandled = watchUnhandled();
    const events: string[] = [];
    const { api } = client(cut, { onEvent: (event) => "kind" in event && events.push(`${event.type} ${event.kind}`) });
    make(api);
    await expect.poll(() => events).toContain(reported);
    for (let i = 0; i < 20; i++) await turn();
    expect(unhandled).toEqual([]);
  });

  it("send() has withResponse(), and reads the response itself", async () => {
    const chat = client(whole).api.ai.conversation();
    const call = chat.send("x");
    expect(await call.withResponse()).toMatchObject({ attempts: 1, data: await call });
    await expect((call as ApiCall<unknown>).asResponse()).rejects.toBeInstanceOf(ConfigurationError);
  });
});
