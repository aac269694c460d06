import { describe, expectTypeOf, it } from "vitest";
import type { AiResponseStatus } from "../../src/ai/types.ts";
import {
  type AiEvent,
  type AiResponse,
  type AiStream,
  isKnownAiEvent,
  type KnownAiEvent,
  type ResponseCompleted,
  type ResponseInitiated,
  type ResponseOutput,
  type ServiceApi,
  type UnknownAiEvent,
} from "../../src/index.ts";

declare const api: ServiceApi;

describe("the types of AI calls", () => {
  it("`===` tells the documented events apart, unknown ones included", () => {
    const read = (event: AiEvent) => {
      if (event.event === "response_output") expectTypeOf(event).toEqualTypeOf<ResponseOutput>();
      else if (event.event === "response_completed") expectTypeOf(event).toEqualTypeOf<ResponseCompleted>();
      else if (event.event === "response_initiated") expectTypeOf(event).toEqualTypeOf<ResponseInitiated>();
      else expectTypeOf(event).toEqualTypeOf<UnknownAiEvent>();
      if (event.event !== "response_output") return;
      expectTypeOf(event.system.text_chunk).toBeString();
    };
    expectTypeOf(read).toBeFunction();
  });

  it("so does `switch`, in a `for await` as well, with cases for events that are not documented", async () => {
    for await (const event of api.ai.stream({ user: { text: "" } })) {
      switch (event.event) {
        case "response_initiated":
          expectTypeOf(event.context_token).toBeString();
          break;
        case "response_output":
          expectTypeOf(event.system.text_chunk).toBeString();
          break;
        case "response_completed":
          expectTypeOf(event.system.text).toBeString();
          break;
        case "response_heartbeat":
          expectTypeOf(event).toEqualTypeOf<UnknownAiEvent>();
          break;
        default:
          expectTypeOf(event).toEqualTypeOf<UnknownAiEvent>();
          expectTypeOf(event.event).toExtend<string>();
      }
    }
  });

  it("an unknown event can be compared with any name, and `in` gives access to its fields", () => {
    const read = (event: AiEvent, name: string) => {
      if (event.event === "response_heartbeat") expectTypeOf(event).toEqualTypeOf<UnknownAiEvent>();
      if (event.event === name) expectTypeOf(event).toEqualTypeOf<AiEvent>();
      if ("progress" in event) expectTypeOf(event.progress).toBeUnknown();
      // @ts-expect-error: only some events have a `system`, and each another one
      event.system;
      if (isKnownAiEvent(event)) expectTypeOf(event).toEqualTypeOf<KnownAiEvent>();
      else expectTypeOf(event).toEqualTypeOf<UnknownAiEvent>();
    };
    expectTypeOf(read).toBeFunction();
  });

  it("a chunk may have a response_status, and codes are open", () => {
    expectTypeOf<ResponseOutput["response_status"]>().toEqualTypeOf<AiResponseStatus | undefined>();
    expectTypeOf<"206">().toExtend<ResponseOutput["status_code"]>();
    expectTypeOf<"299">().toExtend<ResponseOutput["status_code"]>();
  });

  it("a documented enumeration is open", () => {
    expectTypeOf<"SUCCESS">().toExtend<AiResponse["status"]>();
    expectTypeOf<"ADDED_LATER">().toExtend<AiResponse["status"]>();
  });

  it("the method decides whether the response is a stream", () => {
    expectTypeOf(api.ai.stream({ user: { text: "" } })).toEqualTypeOf<AiStream>();
    expectTypeOf(api.ai.createResponse({ user: { text: "" } })).resolves.toEqualTypeOf<AiResponse>();
    // @ts-expect-error: `ai.stream()` is for that
    api.ai.createResponse({ user: { text: "" }, stream: true });
    // @ts-expect-error: `ai.createResponse()` is for that
    api.ai.stream({ user: { text: "" }, stream: false });
  });

  it("a stream yields events, and its textStream strings", () => {
    const stream = api.ai.stream({ user: { text: "", images: [] as readonly string[] } });
    expectTypeOf(stream).toExtend<AsyncIterable<AiEvent>>();
    expectTypeOf(stream[Symbol.asyncIterator]()).toExtend<AsyncIterableIterator<AiEvent>>();
    expectTypeOf(stream[Symbol.asyncIterator]().next()).resolves.toEqualTypeOf<IteratorResult<AiEvent, undefined>>();
    expectTypeOf(stream.textStream).toEqualTypeOf<AsyncIterable<string>>();
    expectTypeOf(stream.finalText()).resolves.toBeString();
  });
});
