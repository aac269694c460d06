import { ConfigurationError } from "../../errors/request.ts";
import {
  anyOf,
  boolean,
  func,
  millisecondsOrFalse,
  nonEmptyString,
  oneOf,
  plainHeaders,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import { metadataIn } from "../conversation/saved.ts";
import { relayOf, type UiMessageChunk } from "../relay/pieces.ts";
import type { Relay, RelayResponseOptions } from "../relay/relay.ts";
import type { AiStream } from "../stream/stream.ts";
import type { ResponseCompleted } from "../types.ts";

/** Options of {@link uiMessageStream}. */
export interface UiMessageStreamOptions extends Pick<RelayResponseOptions, "errorText" | "onFinish"> {
  /** The ID of the message, in the chunk `start`. @default none: the reader chooses one */
  readonly messageId?: string | undefined;
  /**
   * Returns the metadata of the message, in the chunk `finish`, which only a complete response has and which waits for
   * a promise. If it throws or returns no object, there is none. `false` omits it: anyone with a `context_token` can
   * continue the conversation.
   *
   * @default the {@link ResponseMetadata} that `conversationFromUiMessages` reads
   */
  readonly metadata?: ((response: ResponseCompleted) => object | Promise<object>) | false | undefined;
  /** Whether the chunk `start` is written: `false` for a message that something else has begun. @default true */
  readonly sendStart?: boolean | undefined;
  /** Whether the chunk `finish` is written: `false` for a message that something else goes on with. @default true */
  readonly sendFinish?: boolean | undefined;
}

/** Options of {@link uiMessageResponse}. */
export interface UiMessageResponseOptions
  extends UiMessageStreamOptions,
    Pick<RelayResponseOptions, "heartbeat" | "headers"> {}

const rules: Rules<UiMessageStreamOptions> = {
  messageId: nonEmptyString,
  metadata: anyOf("must be a function, or `false` to omit it", func, oneOf(false)),
  sendStart: boolean,
  sendFinish: boolean,
  errorText: func,
  onFinish: func,
};
const responseRules: Rules<UiMessageResponseOptions> = {
  ...rules,
  heartbeat: millisecondsOrFalse(),
  headers: plainHeaders,
};

/**
 * Reads a stream as the chunks of a UI message of the Vercel AI SDK, for `writer.merge()` of its
 * `createUIMessageStream`, or `readUIMessageStream`. It is the one reading of the stream.
 *
 * @param stream - A stream of `api.ai.stream()` or of a conversation.
 * @param options - See {@link UiMessageStreamOptions}.
 * @throws {@link ConfigurationError} for an unknown option or an invalid value, and if the stream already has a reader.
 *
 * @example
 * ```ts
 * import { createUIMessageStream, createUIMessageStreamResponse } from "ai";
 * import { uiMessageStream } from "serviceapi/ai";
 *
 * export function POST(): Response {
 *   const stream = createUIMessageStream({
 *     execute: ({ writer }) => writer.merge(uiMessageStream(api.ai.stream({ user: { text: "Plan a day in Pune" } }))),
 *   });
 *   return createUIMessageStreamResponse({ stream });
 * }
 * ```
 */
export function uiMessageStream(
  stream: AiStream,
  options: UiMessageStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  const given = readOptions("uiMessageStream", options, rules);
  return relayTo("uiMessageStream", stream, { ...given, heartbeat: false }).toChunks();
}

/**
 * Relays a stream as the response of a route handler for `useChat`, like `toResponse({ format: "ui-message" })`, with
 * the ID and the metadata of the message.
 *
 * @param stream - A stream of `api.ai.stream()` or of a conversation.
 * @param options - See {@link UiMessageResponseOptions}.
 * @throws {@link ConfigurationError} as {@link uiMessageStream} does.
 *
 * @example
 * ```ts
 * import { uiMessageResponse } from "serviceapi/ai";
 *
 * export function POST(): Response {
 *   return uiMessageResponse(api.ai.stream({ user: { text: "Plan a day in Pune" } }), { messageId: "message-1" });
 * }
 * ```
 */
export function uiMessageResponse(stream: AiStream, options: UiMessageResponseOptions = {}): Response {
  const given = readOptions("uiMessageResponse", options, responseRules);
  return relayTo("uiMessageResponse", stream, given).toResponse();
}

function relayTo(
  owner: string,
  stream: AiStream,
  { messageId, metadata, sendStart, sendFinish, ...options }: UiMessageResponseOptions,
): Relay {
  if (typeof Object(stream)[relayOf] !== "function") {
    throw new ConfigurationError(`${owner}: \`stream\` must be a stream, such as api.ai.stream() returns.`);
  }
  const start: UiMessageChunk = messageId === undefined ? { type: "start" } : { type: "start", messageId };
  return stream[relayOf]({ ...options, format: "ui-message" } satisfies RelayResponseOptions, {
    start: sendStart === false ? undefined : start,
    async finish(response) {
      if (sendFinish === false) return undefined;
      const messageMetadata = await metadataOf(response, stream.clientReferenceId, metadata);
      return messageMetadata === undefined ? { type: "finish" } : { type: "finish", messageMetadata };
    },
  });
}

async function metadataOf(
  response: ResponseCompleted,
  client_referenceId: string | undefined,
  metadata: UiMessageStreamOptions["metadata"],
): Promise<object | undefined> {
  if (metadata === false) return undefined;
  const { context_token, system } = response;
  if (metadata === undefined) return metadataIn({ context_token, msg_id: system?.msg_id, client_referenceId });
  try {
    const made: unknown = await metadata(response);
    if (typeof made === "object" && made !== null && JSON.stringify(made) !== undefined) return made;
  } catch {
    // The response is complete, and must not end in an error.
  }
  return undefined;
}
