import type { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { plainHeaders } from "../../shared/headers.ts";
import {
  anyOf,
  boolean,
  func,
  millisecondsOrFalse,
  nonEmptyString,
  oneOf,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import type { RelayResponseOptions } from "../relay/options.ts";
import { type RelayPiece, relayOf, textOfPiece } from "../relay/pieces.ts";
import type { Relay } from "../relay/relay.ts";
import type { UiMessageChunk } from "../relay/ui-message-chunk.ts";
import type { AiStream } from "../stream/stream.ts";
import type { ResponseCompleted } from "../types.ts";
import type { ResponseMetadata } from "./types.ts";

/** Options of {@link uiMessageStream}. */
export interface UiMessageStreamOptions {
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
  /** As that of `toReadableStream`. @default () => "The response could not be completed." */
  readonly errorText?: ((error: ServiceApiError) => string) | undefined;
}

/** Options of {@link uiMessageResponse}. */
export interface UiMessageResponseOptions extends UiMessageStreamOptions {
  /** As that of `toResponse`. @default 15_000 */
  readonly heartbeat?: number | false | undefined;
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const rules: Rules<UiMessageStreamOptions> = {
  messageId: nonEmptyString,
  metadata: anyOf("must be a function, or `false` to omit it", func, oneOf(false)),
  sendStart: boolean,
  sendFinish: boolean,
  errorText: func,
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
 * import { uiMessageStream } from "serviceapi/ai/ui-messages";
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
  const { errorText } = given;
  const relay = relayTo("uiMessageStream", stream, { heartbeat: false, errorText });
  return map(relay.toPieces(), async (piece) =>
    typeof piece === "string" ? undefined : await complete(piece, stream, given),
  );
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
 * import { uiMessageResponse } from "serviceapi/ai/ui-messages";
 *
 * export function POST(): Response {
 *   return uiMessageResponse(api.ai.stream({ user: { text: "Plan a day in Pune" } }), { messageId: "message-1" });
 * }
 * ```
 */
export function uiMessageResponse(stream: AiStream, options: UiMessageResponseOptions = {}): Response {
  const given = readOptions("uiMessageResponse", options, responseRules);
  const { errorText, heartbeat, headers } = given;
  const relay = relayTo("uiMessageResponse", stream, { errorText, heartbeat, headers });
  const encoder = new TextEncoder();
  const body = map(relay.toPieces(), async (piece) => {
    const completed = typeof piece === "string" ? piece : await complete(piece, stream, given);
    return completed === undefined ? undefined : encoder.encode(textOfPiece(completed));
  });
  return relay.toResponse(body);
}

function relayTo(owner: string, stream: AiStream, options: RelayResponseOptions): Relay {
  if (typeof Object(stream)[relayOf] === "function") return stream[relayOf]({ ...options, format: "ui-message" });
  throw new ConfigurationError(`${owner}: \`stream\` must be a stream, such as api.ai.stream() returns.`);
}

/** Maps the pieces of a relay one by one. It reads nothing ahead, and a reader who leaves ends the stream. */
function map<T>(
  pieces: ReadableStream<RelayPiece>,
  mapping: (piece: RelayPiece) => Promise<T | undefined>,
): ReadableStream<T> {
  const reader = pieces.getReader();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const mapped = await mapping(value);
          if (mapped !== undefined) return controller.enqueue(mapped);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Returns a chunk with ID and metadata; undefined for one that is not to be written. */
async function complete(
  chunk: UiMessageChunk,
  stream: AiStream,
  { messageId, metadata, sendStart, sendFinish }: UiMessageStreamOptions,
): Promise<UiMessageChunk | undefined> {
  if (chunk.type === "start") {
    if (sendStart === false) return undefined;
    return messageId === undefined ? chunk : { ...chunk, messageId };
  }
  if (chunk.type !== "finish") return chunk;
  if (sendFinish === false) return undefined;
  const messageMetadata =
    metadata === false ? undefined : await metadataOf(await stream.finalResponse(), stream, metadata);
  return messageMetadata === undefined ? chunk : { ...chunk, messageMetadata };
}

async function metadataOf(
  response: ResponseCompleted,
  stream: AiStream,
  metadata: ((response: ResponseCompleted) => object | Promise<object>) | undefined,
): Promise<object | undefined> {
  if (metadata === undefined) return responseMetadata(response, stream.clientReferenceId);
  try {
    const made: unknown = await metadata(response);
    if (typeof made === "object" && made !== null && JSON.stringify(made) !== undefined) return made;
  } catch {
    // The response is complete, and must not end in an error.
  }
  return undefined;
}

function responseMetadata(
  { context_token, system }: ResponseCompleted,
  client_referenceId: string | undefined,
): ResponseMetadata | undefined {
  if (typeof context_token !== "string") return undefined; // Not checked (`validation`).
  return {
    context_token,
    ...(typeof system?.msg_id === "string" && { msg_id: system.msg_id }),
    ...(client_referenceId !== undefined && { client_referenceId }),
  };
}
