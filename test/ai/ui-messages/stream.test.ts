import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  validateUIMessages,
} from "ai";
import { describe, expect, it } from "vitest";
import { ConfigurationError, type ResponseCompleted } from "../../../src/index.ts";
import { collect } from "../../support/collect.ts";
import { hindi, markdown, streamOf } from "../support.ts";

/** The message at its end, as the SDK's own reader builds it. */
async function messageOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last;
}

const completedOf = (events: readonly unknown[]) => events.at(-1) as ResponseCompleted;
const textOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

describe("toUiMessageStream", () => {
  it.each([
    ["markdown", markdown],
    ["hindi", hindi],
  ])("is read by the SDK as one valid message: %s", async (_, events) => {
    const { stream } = await streamOf(events);
    const message = await messageOf(stream.toUiMessageStream({ messageId: "message-1" }));
    const { context_token, system } = completedOf(events);
    expect(message).toMatchObject({
      id: "message-1",
      role: "assistant",
      metadata: { context_token, msg_id: system.msg_id, client_referenceId: "order-1" },
    });
    expect(textOf(message)).toBe(system.text);
    expect(await validateUIMessages({ messages: [message] })).toHaveLength(1);
  });

  it("can be merged into a stream of the SDK, among parts of the application", async () => {
    const { stream } = await streamOf(markdown);
    const merged = createUIMessageStream({
      execute: ({ writer }) => {
        writer.write({ type: "start", messageId: "message-1" });
        writer.write({ type: "data-quote", data: { fare: 7480 } });
        writer.merge(stream.toUiMessageStream({ messageId: "message-1" }));
      },
    });
    const message = await messageOf(merged);
    expect(message?.id).toBe("message-1");
    expect(message?.parts.map(({ type }) => type)).toEqual(["data-quote", "step-start", "text"]);
    expect(textOf(message)).toBe(completedOf(markdown).system.text);
  });

  it("can be merged twice into one message of the SDK", async () => {
    const [one, two] = [await streamOf(markdown), await streamOf(hindi)];
    const merged = createUIMessageStream({
      execute: async ({ writer }) => {
        writer.merge(one.stream.toUiMessageStream({ messageId: "message-1" }));
        await one.stream.ended();
        writer.merge(two.stream.toUiMessageStream({ messageId: "message-1" }));
      },
    });
    const message = await messageOf(merged);
    expect(message?.id).toBe("message-1");
    expect(message?.metadata).toMatchObject({ context_token: completedOf(hindi).context_token });
    expect(textOf(message)).toBe(completedOf(markdown).system.text + completedOf(hindi).system.text);
  });

  it("has no metadata, if asked", async () => {
    const { stream } = await streamOf(markdown);
    const message = await messageOf(stream.toUiMessageStream({ metadata: false }));
    expect(message?.metadata).toBeUndefined();
    expect(textOf(message)).toBe(completedOf(markdown).system.text);
  });

  it("ends in an error chunk, without metadata, if the response is cut", async () => {
    const { stream } = await streamOf(markdown.slice(0, 5));
    const chunks = await collect(stream.toUiMessageStream({ errorText: ({ kind }) => `sorry: ${kind}` }));
    expect(chunks.at(-1)).toEqual({ type: "error", errorText: "sorry: stream_truncated" });
    expect(chunks.some(({ type }) => type === "finish")).toBe(false);
  });

  it("sends nothing before it is read, reads nothing ahead, and ends the call when its reader leaves", async () => {
    const { stream, server } = await streamOf(markdown.slice(0, 3), "stay");
    const chunks = stream.toUiMessageStream();
    await new Promise((resolve) => setImmediate(resolve));
    expect([server.requests.length, stream.state]).toEqual([0, "idle"]);
    const reader = chunks.getReader();
    expect((await reader.read()).value).toEqual({ type: "start" });
    expect(stream.state).toBe("idle");
    while ((await reader.read()).value?.type !== "text-delta");
    await reader.cancel();
    expect(stream.state).toBe("aborted");
  });

  it("is the one reading of the stream", async () => {
    const { stream } = await streamOf(markdown);
    await stream.toUiMessageStream().cancel();
    expect(() => stream.toUiMessageStream()).toThrow(ConfigurationError);
  });
});

describe("toResponse as ui-message", () => {
  it("is read by the transport of useChat, with ID and metadata", async () => {
    const { stream } = await streamOf(hindi);
    const transport = new DefaultChatTransport({
      fetch: async () => stream.toResponse({ format: "ui-message", messageId: "message-1", headers: { "x-own": "1" } }),
    });
    const sent = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat",
      messageId: undefined,
      messages: [],
      abortSignal: undefined,
    });
    const message = await messageOf(sent);
    const { context_token, system } = completedOf(hindi);
    expect(message).toMatchObject({ id: "message-1", metadata: { context_token } });
    expect(textOf(message)).toBe(system.text);
  });

  it("has the headers and the bytes of the SDK's own response", async () => {
    const [ours, theirs] = [await streamOf(markdown), await streamOf(markdown)];
    const response = ours.stream.toResponse({ format: "ui-message", headers: { "x-own": "1" } });
    const other = createUIMessageStreamResponse({ stream: theirs.stream.toUiMessageStream() });
    expect(response.headers.get("x-own")).toBe("1");
    for (const name of ["content-type", "x-vercel-ai-ui-message-stream"]) {
      expect(response.headers.get(name)?.split(";")[0]).toBe(other.headers.get(name));
    }
    expect(await response.text()).toBe(await other.text());
  });

  it("keeps the connection alive while the service is silent, and ends the call when its reader leaves", async () => {
    const { stream } = await streamOf(markdown.slice(0, 1), "stay");
    const reader = stream.toResponse({ format: "ui-message", heartbeat: 20 }).body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes(": still here\n\n")) text += decoder.decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(stream.state).toBe("aborted");
  });
});
