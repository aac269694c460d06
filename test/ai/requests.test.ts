import { describe, expect, it } from "vitest";
import { ConfigurationError, RequestValidationError, ResponseValidationError } from "../../src/errors/index.ts";
import {
  type ClientOptions,
  type CreateResponseParams,
  createResponse,
  type RequestOptions,
  type StreamOptions,
} from "../../src/index.ts";
import { failureOf } from "../support/client.ts";
import { serve } from "../support/serve.ts";

import { sample } from "./support.ts";

const answer = sample<{ system: { text: string } }>("response-whole-markdown.json");

async function client(options: ClientOptions = {}, body: unknown = answer) {
  const sent: Record<string, unknown>[] = [];
  const { server, api } = await serve((response, { body: text }) => {
    sent.push(JSON.parse(text));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }, options);
  return { api: api, sent, requests: server.requests };
}

async function issuesOf(params: unknown, client_: ClientOptions = {}, options: RequestOptions = {}) {
  const { api, sent } = await client(client_);
  const refused: unknown[] = [];
  for (const call of [
    () => api.ai.createResponse(params as CreateResponseParams, options),
    () => api.ai.stream(params as { user: { text: string } }, options).finalResponse(),
  ]) {
    try {
      await call();
    } catch (error) {
      expect(error).toBeInstanceOf(RequestValidationError);
      expect(error).toMatchObject({ outcome: "notSent" });
      const { issues } = error as RequestValidationError;
      refused.push(issues.map(({ path, message }) => `${path.length === 0 ? "(root)" : path.join(".")} ${message}`));
    }
  }
  expect(sent).toHaveLength(2 - refused.length);
  expect(refused[0]).toEqual(refused[1]);
  return refused[0] ?? [];
}

it("a response is asked for again after 500 if the caller says that this is safe", async () => {
  const bodies: string[] = [];
  const { api } = await serve((response, { body }) => {
    bodies.push(body);
    const isFirst = bodies.length === 1;
    response.writeHead(isFirst ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isFirst ? { status: "FAILED" } : answer));
  });
  expect(await api.send({ ...createResponse, retry: "safe" }, { user: { text: "x" } })).toEqual(answer);
  expect(bodies[1]).toBe(bodies[0]);
  bodies.length = 0;
  await expect(api.ai.createResponse({ user: { text: "x" } })).rejects.toMatchObject({ outcome: "unknown" });
  expect(bodies).toHaveLength(1);
});

describe("what the caller changes after the call", () => {
  it("is not sent by a conversation", async () => {
    const { api, sent, requests } = await client();
    const images = ["https://images.example/a.png"];
    const options = { extraBody: { a: { b: 1 } }, images: [...images], headers: { "x-mine": "given" } };
    const chat = api.ai.conversation();
    const stream = chat.stream("one", options);
    options.extraBody.a.b = 2;
    options.images.length = 0;
    Object.assign(options.headers, { "client-id": "another" });
    await stream.finalResponse();
    expect(sent).toMatchObject([{ user: { text: "one", images }, a: { b: 1 } }]);
    expect(requests[0]?.headers).toMatchObject({ "x-mine": "given", "client-id": "test-client" });
    expect(chat.turns[0]?.user.images).toEqual(images);
    expect(options.extraBody).toEqual({ a: { b: 2 } });
  });

  it.each(["createResponse", "stream"] as const)("is not sent by %s", async (method) => {
    const { api, sent } = await client();
    const params = { user: { text: "one" } };
    const options = { extraBody: { a: { b: 1 } } };
    const call = api.ai[method](params, options);
    params.user.text = "two";
    options.extraBody.a.b = 2;
    await ("finalResponse" in call ? call.finalResponse() : call);
    expect(sent).toMatchObject([{ user: { text: "one" }, a: { b: 1 } }]);
  });
});

const text = "Explain what a fare quote is.";

describe("create-response, whole (§4.2)", () => {
  it.each(["request-simple.json", "request-follow-up.json"])(
    "%s is sent unchanged, and its response is returned unchanged",
    async (name) => {
      const { api, sent } = await client();
      const params = sample<CreateResponseParams>(name);
      expect(await api.ai.createResponse(params)).toEqual(answer);
      expect(sent).toEqual([params]);
    },
  );

  it("a client_referenceId is filled in if it is left out, and identifies the call", async () => {
    const { api, sent } = await client();
    const { clientReferenceId, warnings } = await api.ai.createResponse({ user: { text } }).withResponse();
    expect(clientReferenceId).toMatch(/^[0-9A-Z]{26}$/);
    expect(sent).toEqual([{ user: { text }, client_referenceId: clientReferenceId }]);
    expect(warnings).toEqual([]);
  });

  it("FAILED in a response of HTTP 200 is an error", async () => {
    const { api } = await client({}, sample("response-failed-200.json"));
    await expect(api.ai.createResponse({ user: { text } })).rejects.toMatchObject({
      statusCode: "400",
      httpStatus: 200,
    });
  });

  it.each([
    ["context_token", { ...answer, context_token: undefined }],
    ["system.text", { ...answer, system: { msg_id: "m" } }],
    ["system", { ...answer, system: [] }],
  ])("a response without %s lacks an essential field", async (path, body) => {
    const { api } = await client({}, body);
    await expect(api.ai.createResponse({ user: { text } })).rejects.toMatchObject({
      name: "ResponseValidationError",
      issues: [{ path: path.split(".") }],
    });
  });

  it.each(["", " "])("a context_token that is %j is none, and would lose the conversation", async (context_token) => {
    const { api } = await client({}, { ...answer, context_token });
    const { issues } = await failureOf(api.ai.createResponse({ user: { text } }), ResponseValidationError);
    expect(issues[0]).toMatchObject({ path: ["context_token"], message: "is empty" });
  });

  it("any other difference is a warning, except an unknown field", async () => {
    const { api } = await client(
      {},
      { ...answer, status_code: 200, status: "SUCCESS", extra: true, response_status: "finished" },
    );
    const { data, warnings } = await api.ai.createResponse({ user: { text } }).withResponse();
    expect(data).toMatchObject({ extra: true, status_code: 200 });
    expect(warnings).toMatchObject([{ path: ["status_code"] }, { path: ["response_status"] }]);
  });
});

describe("a request that breaks a rule is not sent (§4.2, §8)", () => {
  const image = "must be an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif";

  it.each([
    [undefined, "(root) is missing"],
    [null, "(root) must be an object, is null"],
    ["Explain", "(root) must be an object, is a string"],
    [[{ user: { text } }], "(root) must be an object, is an array"],
    [{}, "user is missing"],
    [{ user: {} }, "user.text is missing"],
    [{ user: { text: 1 } }, "user.text must be a string, is a number"],
    [{ user: { text: "" } }, "user.text must not be empty"],
    [{ user: { text: " \u00a0\n\t" } }, "user.text must not be empty"],
    [{ user: { text, images: [] } }, "user.images must have at least 1 URL; leave `images` out if there are none"],
    [{ user: { text }, client_referenceId: "x".repeat(31) }, "client_referenceId must be at most 30 characters"],
    // 16 emoji are 32 UTF-16 units: the service may count those.
    [{ user: { text }, client_referenceId: "😀".repeat(16) }, "client_referenceId must be at most 30 characters"],
    [
      { user: { text }, client_referenceId: "" },
      "client_referenceId must not be empty; leave it out to have one generated",
    ],
    [
      { user: { text }, temperature: 1 },
      "(root) has unknown field temperature; fields that the document does not show go into `extraBody`",
    ],
  ])("%j: %s", async (params, issue) => {
    expect(await issuesOf(params)).toEqual([issue]);
  });

  it("a reference of exactly 30 characters passes, however they are counted", async () => {
    const { api, sent } = await client();
    for (const client_referenceId of ["x".repeat(30), "😀".repeat(15), "न".repeat(30)]) {
      await api.ai.createResponse({ user: { text }, client_referenceId });
      expect(sent.at(-1)).toMatchObject({ client_referenceId });
    }
  });

  it("the method decides whether the response is a stream", async () => {
    const { api, sent } = await client();
    const whole = api.ai.createResponse({ user: { text }, stream: true as unknown as false });
    await expect(whole).rejects.toThrow("ai.stream()");
    await expect(api.ai.stream({ user: { text }, stream: false as unknown as true }).finalText()).rejects.toThrow(
      "ai.createResponse()",
    );
    expect(sent).toEqual([]);
    await api.ai.createResponse({ user: { text }, stream: false });
    expect(sent).toMatchObject([{ stream: false }]);
  });

  it.each([
    "https://example.com/a.png",
    "HTTP://example.com/A.JPEG",
    "https://example.com/a.webp?size=1#top",
    "https://storage.example.com/a.JPG?X-Signature=abc%2Fdef&Expires=60",
    "http://example.com/a.gif?sig=1",
    "https://example.com/a%20b.gif",
    "https://user@example.in:8443/x/y.jpg",
  ])("%s is the URL of an image (docs/assumptions.md, I7)", async (address) => {
    expect(await issuesOf({ user: { text, images: [address] } })).toEqual([]);
  });

  it.each([
    "https://example.com/a.pdf",
    "https://example.com/?file=a.png",
    "https://example.com/img?f=a.png",
    "https://example.com/#a.png",
    "https://a.png",
    "ftp://example.com/a.png",
    "data:image/png;base64,AAAA.png",
    "/a.png",
    "https:/example.com/a.png",
    " https://example.com/a.png",
    "https://exa mple.com/a.png",
    "https://example.com\\a.png",
    "https://[/a.png",
  ])("%s is not", async (address) => {
    expect(await issuesOf({ user: { text, images: ["https://example.com/ok.png", address] } })).toEqual([
      `user.images.1 ${image}`,
    ]);
  });

  it('`validation.request: "off"` sends what it is passed', async () => {
    const params = { user: { images: [] }, context_token: "mine" };
    expect(await issuesOf(params, {}, { validation: { request: "off" } })).toEqual([]);
    expect(await issuesOf(params, { validation: { request: "off" } })).toEqual([]);
  });
});

describe("the options of a stream are checked before the request is sent", () => {
  it.each<[unknown, string]>([
    [null, "the options must be an object"],
    ["fast", "the options must be an object"],
    [{ stream: { idletimeout: 1 } }, 'stream: unknown option "idletimeout" (did you mean "idleTimeout"?)'],
    [{ idleTimeout: 1 }, '"idleTimeout" (did you mean "stream.idleTimeout"?)'],
    [{ signal: new AbortController() }, "`signal` must be an AbortSignal"],
    [{ signal: null }, "`signal` must be an AbortSignal"],
  ])("%j", async (options, message) => {
    const { api, sent } = await client();
    const stream = api.ai.stream({ user: { text } }, options as StreamOptions);
    const error = await failureOf(stream.finalText(), ConfigurationError);
    expect(error.message).toContain(message);
    expect(error.outcome).toBe("notSent");
    expect(stream.state).toBe("failed");
    expect(sent).toEqual([]);
  });
});

describe("a context_token in a request", () => {
  const message =
    "context_token must be the `context_token` of an earlier response: `svc_` followed by letters and digits";

  it.each(["svc_a", "svc_8251b1dc9756c7f26c352900181b1d1d21e83819"])("%s is one", async (context_token) => {
    expect(await issuesOf({ user: { text }, context_token })).toEqual([]);
  });

  it.each(["", "svc_", "SVC_a", "svc_a-b", "svc_a\n", "x svc_a"])("%j is not", async (context_token) => {
    expect(await issuesOf({ user: { text }, context_token })).toEqual([message]);
  });

  it("the pattern is an option", async () => {
    const contextToken = /^ctx-\d+$/g;
    for (let i = 0; i < 2; i++) {
      expect(await issuesOf({ user: { text }, context_token: "ctx-1" }, { validation: { contextToken } })).toEqual([]);
    }
    expect(await issuesOf({ user: { text }, context_token: "svc_a" }, { validation: { contextToken } })).toEqual([
      "context_token does not match `validation.contextToken`",
    ]);
    expect(
      await issuesOf({ user: { text }, context_token: "anything" }, { validation: { contextToken: false } }),
    ).toEqual([]);
  });

  it("is refused by its schema if it is not a string", async () => {
    expect(await issuesOf({ user: { text }, context_token: 1 })).toEqual([
      "context_token must be a string, is a number",
    ]);
  });
});
