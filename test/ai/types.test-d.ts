import { describe, expectTypeOf, it } from "vitest";
import type { AiEvent, AiResponse, AiStream, ServiceApi } from "../../src/index.ts";

declare const api: ServiceApi;

describe("the types of AI calls", () => {
  it("`event` tells the documented events apart, unknown ones included", () => {
    const read = (event: AiEvent) => {
      if (event.event === "response_output") expectTypeOf(event.system.text_chunk).toBeString();
      else if (event.event === "response_completed") expectTypeOf(event.system.text).toBeString();
      else if (event.event === "response_initiated") expectTypeOf(event.context_token).toBeString();
      else expectTypeOf(event.anything).toBeUnknown();
    };
    expectTypeOf(read).toBeFunction();
  });

  it("a documented enumeration is open", () => {
    expectTypeOf<"SUCCESS">().toExtend<AiResponse["status"]>();
    expectTypeOf<"ADDED_LATER">().toExtend<AiResponse["status"]>();
  });

  it("the method decides whether the answer is a stream", () => {
    expectTypeOf(api.ai.stream({ user: { text: "" } })).toEqualTypeOf<AiStream>();
    expectTypeOf(api.ai.createResponse({ user: { text: "" } })).resolves.toEqualTypeOf<AiResponse>();
    // @ts-expect-error: `ai.stream()` is for that
    api.ai.createResponse({ user: { text: "" }, stream: true });
    // @ts-expect-error: `ai.createResponse()` is for that
    api.ai.stream({ user: { text: "" }, stream: false });
  });

  it("a stream gives events, and its text is text", () => {
    const stream = api.ai.stream({ user: { text: "", images: [] as readonly string[] } });
    expectTypeOf(stream).toExtend<AsyncIterable<AiEvent>>();
    expectTypeOf(stream.textStream).toEqualTypeOf<AsyncIterable<string>>();
    expectTypeOf(stream.finalText()).resolves.toBeString();
  });
});
