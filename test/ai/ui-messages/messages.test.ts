import { readUIMessageStream, type UIMessage, validateUIMessages } from "ai";
import { describe, expect, it } from "vitest";
import { conversationFromUiMessages, toUiMessages } from "../../../src/ai/entry.ts";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { RequestValidationError, ServiceApi } from "../../../src/index.ts";
import { errorOf } from "../../support/client.ts";

const emulator = createEmulator({ pace: 0 });
const api = new ServiceApi({
  baseUrl: "https://emulator.example",
  clientId: "any",
  clientSecret: "any-secret",
  fetch: emulator.fetch,
});

const user = (text: string, ...more: UIMessage["parts"]): UIMessage => ({
  id: text,
  role: "user",
  parts: [{ type: "text", text }, ...more],
});
const assistant = (text: string, metadata?: unknown): UIMessage => ({
  id: `re ${text}`,
  role: "assistant",
  ...(metadata !== undefined && { metadata }),
  parts: [{ type: "step-start" }, { type: "text", text, state: "done" }],
});
const image = (url: string): UIMessage["parts"][number] => ({ type: "file", mediaType: "image/png", url });

/** Asks as a route handler does, and returns the messages with the response, as `useChat` keeps them. */
async function ask(messages: readonly UIMessage[]): Promise<UIMessage[]> {
  const { state, text, images } = conversationFromUiMessages(await validateUIMessages({ messages }));
  const answer = api.ai.conversation(state).stream(text, { images });
  const stream = answer.toUiMessageStream({ messageId: crypto.randomUUID() });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last === undefined ? [...messages] : [...messages, last];
}

const tokenOf = (message: UIMessage | undefined) => {
  const { context_token } = { ...(message?.metadata ?? {}) } as { readonly context_token?: string };
  return context_token;
};

describe("a chat of the AI SDK, over requests that share nothing but the messages", () => {
  it("is one chain at the service: each response names the one before it", async () => {
    const once = await ask([user("Plan a day in Pune")]);
    const twice = await ask([...once, user("Now in one sentence", image("https://example.com/a.png"))]);
    const { state } = conversationFromUiMessages([...twice, user("next")]);
    expect(state.turns.map(({ user }) => user)).toEqual([
      { text: "Plan a day in Pune" },
      { text: "Now in one sentence", images: ["https://example.com/a.png"] },
    ]);
    expect(state.turns.map(({ context_token }) => context_token)).toEqual([tokenOf(twice[1]), tokenOf(twice[3])]);
    const { system, parent_context_token } = await api.ai.conversation(state).send("next");
    expect(system.text).not.toBe("");
    expect(parent_context_token).toBe(tokenOf(twice[3]));
  });

  it("is asked again from the turn before, when a response is regenerated", async () => {
    const once = await ask([user("one")]);
    const twice = await ask([...once, user("two")]);
    // The SDK leaves out the response that is regenerated.
    const { state, text } = conversationFromUiMessages(twice.slice(0, 3));
    expect([text, state.turns.map(({ context_token }) => context_token)]).toEqual(["two", [tokenOf(twice[1])]]);
  });

  it("goes on from the last complete response after one that was stopped, and after a question without one", () => {
    const messages = [
      user("one"),
      assistant("1", { context_token: "svc_1" }),
      user("two"),
      assistant("stopp"),
      user("three"),
      user("four"),
    ];
    expect(conversationFromUiMessages(messages)).toEqual({
      state: { version: 1, turns: [{ user: { text: "one" }, text: "1", context_token: "svc_1" }] },
      text: "four",
    });
  });

  it("is shown again from a conversation that was kept on the server", async () => {
    const chat = api.ai.conversation();
    await chat.send("one", { images: ["https://example.com/a.JPG?x", "https://example.com/b.webp"] });
    await chat.send("two");
    const messages = toUiMessages(chat);
    expect(await validateUIMessages({ messages })).toEqual(messages);
    expect(toUiMessages(JSON.parse(JSON.stringify(chat)))).toEqual(messages);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
    expect(messages[0]?.parts.map((part) => (part.type === "file" ? part.mediaType : part.type))).toEqual([
      "text",
      "image/jpeg",
      "image/webp",
    ]);
    expect(conversationFromUiMessages([...messages, user("three")]).state).toEqual(chat.toJSON());
  });
});

describe("messages that cannot be sent are refused before anything is", () => {
  const good = user("one");
  it.each<[string, unknown, string]>([
    ["no list", "messages", "messages must be a list of messages"],
    ["an empty list", [], "messages must be a list of messages, not empty"],
    ["no message", [null], "[0] must be a message with a list `parts`"],
    ["no parts", [{ role: "user", parts: "text" }], "[0] must be a message with a list `parts`"],
    ["a system message", [{ ...good, role: "system" }, good], "[0].role cannot be `system`"],
    ["an unknown role", [{ ...good, role: "tool" }, good], "[0].role must be `user` or `assistant`"],
    ["no role of its own", [Object.create({ role: "user", parts: [] }), good], "[0] must be a message"],
    ["a response at the end", [good, assistant("1")], "[1].role must be `user` in the last message"],
    ["text that is no string", [{ ...good, parts: [{ type: "text", text: 1 }] }], "[0].parts[0].text must be a string"],
    ["a part without a type", [{ ...good, parts: [null] }], "[0].parts[0] must be a part with a `type`"],
    [
      "a file that is no image",
      [user("x", { type: "file", mediaType: "application/pdf", url: "https://a/b" })],
      "an image",
    ],
    ["an image without a URL", [{ ...good, parts: [{ type: "file", mediaType: "image/png" }] }], "an image"],
  ])("%s", (_, messages, complaint) => {
    expect(() => conversationFromUiMessages(messages as UIMessage[])).toThrow(RequestValidationError);
    expect(() => conversationFromUiMessages(messages as UIMessage[])).toThrow(complaint);
  });

  it("an image that the service does not take is refused by the request's own check", async () => {
    const { state, text, images } = conversationFromUiMessages([user("x", image("data:image/png;base64,AA=="))]);
    await errorOf(api.ai.conversation(state).send(text, { images }), RequestValidationError);
  });

  it("leaves out a response whose metadata is something else", () => {
    for (const metadata of [
      null,
      "svc_1",
      { context_token: 1 },
      { context_token: "" },
      Object.create({ context_token: "svc_1" }),
    ]) {
      const { state } = conversationFromUiMessages([user("one"), assistant("1", metadata), user("two")]);
      expect(state.turns).toEqual([]);
    }
  });

  it("a value other than a conversation cannot be shown", () => {
    expect(() => toUiMessages({ turns: [] } as never)).toThrow(RequestValidationError);
    expect(() => toUiMessages(undefined as never)).toThrow(RequestValidationError);
  });
});

describe("JSON that a browser made up", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const user = '{"role":"user","parts":[{"type":"text","text":"b"}]}';

  it.each([
    `[{"role":"user","parts":[{"type":"file","url":"x","mediaType":{"toString":1,"valueOf":1}}]}]`,
    `[{"role":"user","parts":[{"type":"file","url":"x","mediaType":${deep}}]}]`,
    `[${user},{"role":"assistant","parts":[{"type":"text","text":{"toString":1,"valueOf":1}}]},${user}]`,
    `[${user},{"role":"assistant","parts":[{"type":"text","text":${deep}}]},${user}]`,
  ])("is a RequestValidationError: %.90s", (json) => {
    expect(() => conversationFromUiMessages(JSON.parse(json))).toThrow(RequestValidationError);
  });
});
