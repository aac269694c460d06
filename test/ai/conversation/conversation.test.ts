import { describe, expect, it } from "vitest";
import { ConfigurationError, RequestValidationError } from "../../../src/errors/index.ts";
import type { AiResponse, Conversation, ServiceApi } from "../../../src/index.ts";
import { collect } from "../../support/collect.ts";
import { serve } from "../../support/serve.ts";

import { sample } from "../support.ts";

type Sent = { readonly context_token?: string; readonly user: { readonly text: string }; readonly stream?: boolean };

const savedTurn = { user: { text: "one" }, text: "re: one", context_token: "svc_1" };

/** A service that responds to each turn with a new token; a message that begins with `/` asks for a failure. */
async function service(): Promise<{ api: ServiceApi; sent: Sent[] }> {
  const sent: Sent[] = [];
  const { api } = await serve((response, { body }) => {
    const { user, context_token: parent_context_token = null, stream } = JSON.parse(body);
    sent.push(JSON.parse(body));
    const head = { status_code: "200", message: "ok", context_token: `svc_${sent.length}`, parent_context_token };
    const answer = {
      ...head,
      status: "SUCCESS",
      response_status: "completed",
      system: { msg_id: `m${sent.length}`, text: `re: ${user.text}` },
    };
    if (!stream) {
      const body = user.text === "/fail" ? { status: "FAILED", status_code: "400", message: "no" } : answer;
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(
        JSON.stringify(user.text === "/pending" ? { ...answer, response_status: "processing" } : body),
      );
    }
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const events = [
      { ...head, event: "response_initiated", status: "PENDING", response_status: "initiated", system: [] },
      {
        event: "response_output",
        status: "PROCESSING",
        status_code: "206",
        sequence_no: 1,
        system: { msg_id: "m", text_chunk: "re: " },
      },
      ...(user.text === "/cut" ? [] : [{ ...answer, event: "response_completed" }]),
    ];
    response.end(events.map((event) => JSON.stringify(event)).join("\n"));
  });
  return { api: api, sent };
}

/**
 * A service whose responses, whole or streamed, have these fields in place of the usual ones; `undefined` leaves one
 * out.
 */
async function drifted(fields: object): Promise<{ api: ServiceApi; sent: Sent[] }> {
  const sent: Sent[] = [];
  const answer = { ...sample<AiResponse>("response-whole-markdown.json"), ...fields };
  const { api } = await serve((response, { body }) => {
    const request: Sent = JSON.parse(body);
    sent.push(request);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(request.stream ? [{ ...answer, event: "response_completed" }] : answer));
  });
  return { api: api, sent };
}

const tokens = (sent: readonly Sent[]) => sent.map(({ context_token }) => context_token);

describe("a conversation (§4.2 context_token)", () => {
  it("continues from each response, whole or streamed", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    expect(chat.contextToken).toBeUndefined();
    expect((await chat.send("one", { images: ["https://example.com/a.png"] })).system.text).toBe("re: one");
    expect(await chat.stream("two", { client_referenceId: "mine" }).finalText()).toBe("re: two");
    await chat.send("three");
    expect(tokens(sent)).toEqual([undefined, "svc_1", "svc_2"]);
    expect(sent[0]).toMatchObject({ user: { text: "one", images: ["https://example.com/a.png"] } });
    expect(chat.turns).toEqual([
      {
        user: { text: "one", images: ["https://example.com/a.png"] },
        text: "re: one",
        context_token: "svc_1",
        msg_id: "m1",
        client_referenceId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      },
      { user: { text: "two" }, text: "re: two", context_token: "svc_2", msg_id: "m2", client_referenceId: "mine" },
      expect.objectContaining({ text: "re: three", context_token: "svc_3" }),
    ]);
    expect(chat.contextToken).toBe("svc_3");
  });

  it("chains on completed responses only", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    await chat.send("one");
    await expect(chat.send("/fail")).rejects.toMatchObject({ name: "InvalidRequestError" });
    await expect(chat.stream("/cut").finalText()).rejects.toMatchObject({ name: "StreamTruncatedError" });
    for await (const event of chat.stream("left")) if (event.event === "response_output") break;
    await expect(chat.send("bad", { images: [] })).rejects.toBeInstanceOf(RequestValidationError);
    await chat.send("/pending");
    expect(chat.turns).toHaveLength(1);
    await chat.send("two");
    expect(tokens(sent)).toEqual([undefined, ...Array(5).fill("svc_1")]);
    expect(chat.turns).toHaveLength(2);
  });

  it.each(["processing", "incomplete", "Failed"])(
    "does not chain on a response that is %s, sent or streamed",
    async (stage) => {
      const { api, sent } = await drifted({ response_status: stage });
      const chat = api.ai.conversation();
      await chat.send("one");
      await chat.stream("two").finalText();
      expect(chat.turns).toEqual([]);
      expect(tokens(sent)).toEqual([undefined, undefined]);
    },
  );

  it("refuses two simultaneous turns, and says what to do instead", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    const first = chat.send("one");
    await expect(chat.send("two")).rejects.toThrow("wait for it, read its stream or `abort()` it, or call branch()");
    await expect(chat.stream("two").finalText()).rejects.toMatchObject({
      outcome: "notSent",
      issues: [{ code: "turn_under_way" }],
    });
    await first;
    const stream = chat.stream("three");
    await chat.send("before the first pull of the stream");
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await expect(chat.send("four")).rejects.toBeInstanceOf(RequestValidationError);
    await iterator.return?.();
    await chat.send("five");
    expect(sent.map(({ user }) => user.text)).toEqual(["one", "before the first pull of the stream", "three", "five"]);
    expect(tokens(sent)).toEqual([undefined, "svc_1", "svc_2", "svc_2"]);
  });

  it("a stream that is refused during another turn does not end that turn", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    const running = chat.stream("one")[Symbol.asyncIterator]();
    await running.next();
    for (let i = 0; i < 2; i++) {
      await expect(chat.stream("two").finalText()).rejects.toMatchObject({ issues: [{ code: "turn_under_way" }] });
    }
    await expect(chat.send("three")).rejects.toMatchObject({
      operation: "ai.conversation",
      message: expect.stringMatching(/^ai\.conversation: another turn of this conversation is in progress/),
      issues: [{ path: [], code: "turn_under_way" }],
    });
    await collect(running);
    await chat.send("four");
    expect(sent.map(({ user }) => user.text)).toEqual(["one", "four"]);
    expect(tokens(sent)).toEqual([undefined, "svc_1"]);
  });

  it("branches from any turn, and both conversations continue independently", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    await chat.send("one");
    await chat.send("two");
    const other = chat.branch(chat.turns[0]);
    const [mine, theirs] = await Promise.all([chat.branch().send("three"), other.send("other")]);
    expect([mine, theirs].map(({ parent_context_token }) => parent_context_token)).toEqual(["svc_2", "svc_1"]);
    expect(sent).toHaveLength(4);
    expect(chat.turns).toHaveLength(2);
    expect(other.turns.map(({ text }) => text)).toEqual(["re: one", "re: other"]);
    expect(() => chat.branch(other.turns[1])).toThrow(ConfigurationError);
  });

  it("sends and records a copy of the images: later changes of the list have no effect", async () => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    const images = ["https://example.in/a.png"];
    const stream = chat.stream("one", { images });
    images[0] = "https://example.in/b.png";
    await stream.finalText();
    await chat.send("two", { images });
    images[0] = "https://example.in/c.png";
    const expected = [
      { user: { images: ["https://example.in/a.png"] } },
      { user: { images: ["https://example.in/b.png"] } },
    ];
    expect(sent).toMatchObject(expected);
    expect(chat.turns).toMatchObject(expected);
  });

  it.each([
    ["text", (chat: Conversation) => JSON.stringify(chat)],
    ["a parsed object", (chat: Conversation) => JSON.parse(JSON.stringify(chat))],
  ])("is saved as JSON and continues in another process: %s", async (_name, save) => {
    const { api, sent } = await service();
    const chat = api.ai.conversation();
    await chat.send("one");
    await collect(chat.stream("two"));
    const resumed = api.ai.conversation(save(chat));
    expect(resumed.turns).toEqual(chat.turns);
    await resumed.send("three");
    expect(tokens(sent)).toEqual([undefined, "svc_1", "svc_2"]);
    expect(chat.turns).toHaveLength(2);
  });

  it("is copied when it is resumed: later changes of the object have no effect", async () => {
    const { api, sent } = await service();
    const turns = [{ user: { text: "one" }, text: "re: one", context_token: "svc_0" }];
    const chat = api.ai.conversation({ version: 1, turns });
    turns[0] = { user: { text: "x" }, text: "x", context_token: "svc_x" };
    await chat.send("two");
    expect(tokens(sent)).toEqual(["svc_0"]);
  });

  it.each([
    ["a number", 123],
    ["null", null],
    ["nothing", undefined],
  ])("leaves out a msg_id that is %s, so that the saved state can be resumed", async (_name, msg_id) => {
    const { api, sent } = await drifted({ system: { msg_id, text: "the answer" } });
    const chat = api.ai.conversation();
    await chat.send("one");
    expect(await chat.stream("two").finalText()).toBe("the answer");
    expect(chat.turns.map(({ text, msg_id: kept }) => [text, kept])).toEqual(Array(2).fill(["the answer", undefined]));
    const resumed = api.ai.conversation(JSON.parse(JSON.stringify(chat)));
    expect(resumed.turns).toEqual(chat.turns);
    await resumed.send("three");
    await chat.branch(chat.turns[0]).send("other");
    expect(tokens(sent)).toEqual([undefined, ...Array(3).fill(chat.contextToken)]);
  });

  it.each([
    ["system null", { system: null }],
    ["no system", { system: undefined }],
    ["a system that is no object", { system: "text" }],
  ])("without validation, a response with %s is a turn without text", async (_name, fields) => {
    const { api } = await drifted(fields);
    const chat = api.ai.conversation();
    const validation = { response: "off" } as const;
    expect((await chat.send("one", { validation })).context_token).toBe(chat.contextToken);
    const stream = chat.stream("two", { validation });
    const text = stream.finalText();
    await collect(stream);
    expect(await text).toBe("");
    expect(chat.turns.map(({ user, text, msg_id }) => [user.text, text, msg_id])).toEqual([
      ["one", "", undefined],
      ["two", "", undefined],
    ]);
    expect(api.ai.conversation(JSON.parse(JSON.stringify(chat))).contextToken).toBe(chat.contextToken);
  });

  it.each([
    ["missing", undefined],
    ["null", null],
    ["no text", 7],
  ])("without validation, a response whose token is %s is not recorded as a turn", async (_name, token) => {
    const { api, sent } = await drifted({ context_token: token });
    const chat = api.ai.conversation({ version: 1, turns: [{ user: { text: "" }, text: "", context_token: "svc_0" }] });
    const validation = { response: "off" } as const;
    expect((await chat.send("one", { validation })).system.text).toContain("# Fare quote");
    const stream = chat.stream("two", { validation });
    const text = stream.finalText();
    await collect(stream);
    expect(await text).toContain("# Fare quote");
    expect(chat.turns).toHaveLength(1);
    await chat.send("three", { validation });
    expect(tokens(sent)).toEqual(Array(3).fill("svc_0"));
  });

  it.each([
    ["{}", "version must be 1"],
    ["", "it is not JSON"],
    ["secret text", "it is not JSON"],
    ["null", "it must be an object"],
    [null, "it must be an object"],
    [10n, "it is not JSON"],
    [{}, "version must be 1"],
    [{ version: 2, turns: [] }, "version"],
    [{ version: 1, turns: [{ text: "secret text" }] }, "turns[0].user.text must be a string"],
    [{ version: 1, turns: {} }, "turns must be a list"],
    [{ version: 1, turns: [null] }, "turns[0] must be an object"],
    [
      { version: 1, turns: [{ ...savedTurn, user: { text: "one", images: [1] } }] },
      "turns[0].user.images must be a list",
    ],
    [{ version: 1, turns: [savedTurn, { ...savedTurn, msg_id: 1 }] }, "turns[1].msg_id must be a string"],
  ])("refuses %s as a saved conversation: %s", async (saved, where) => {
    const { api } = await service();
    const resume = () => api.ai.conversation(saved as never);
    expect(resume).toThrow(RequestValidationError);
    expect(resume).toThrow(where);
    expect(resume).not.toThrow("secret text");
    expect(resume).toThrow(
      expect.objectContaining({
        outcome: "notSent",
        message: expect.stringMatching(
          /^ai\.conversation: this is not a saved conversation: .*, or nothing for a new conversation\. Nothing was sent\.$/,
        ),
        issues: [expect.objectContaining({ path: [], code: "not_saved" })],
      }),
    );
  });

  it("continues from a token of any form: it came from the service", async () => {
    const { api, sent } = await service();
    const turn = { user: { text: "one" }, text: "re: one", context_token: "ctx/42" };
    await api.ai.conversation({ version: 1, turns: [turn] }).send("two");
    expect(tokens(sent)).toEqual(["ctx/42"]);
  });

  it("a turn that does not continue from the one before it says so, and is saved so", async () => {
    const { api } = await drifted({ parent_context_token: null });
    const chat = api.ai.conversation();
    await chat.stream("one").finalText();
    await chat.stream("two").finalText();
    const [first, second] = chat.turns;
    expect(first).not.toHaveProperty("warnings");
    expect(second?.warnings).toEqual([
      {
        path: ["response_completed", "parent_context_token"],
        code: "parent_token_mismatch",
        message: "does not repeat the context_token that was sent",
      },
    ]);
    expect(api.ai.conversation(JSON.stringify(chat)).turns).toEqual(chat.turns);
    const turns = [{ ...second, warnings: "text" }];
    expect(() => api.ai.conversation({ version: 1, turns } as never)).toThrow("turns[0].warnings must be a list");
  });

  it("the samples of a second turn chain", () => {
    const first = sample<{ context_token: string }>("response-whole-markdown.json");
    expect(sample<{ parent_context_token: string }>("response-whole-follow-up-hindi.json").parent_context_token).toBe(
      first.context_token,
    );
  });
});
