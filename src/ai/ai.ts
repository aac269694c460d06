import { readStreamOptions } from "../check-options.ts";
import type { Operation } from "../operation.ts";
import type { RequestOptions, StreamOptions } from "../options.ts";
import type { ApiCall } from "../transport/call.ts";
import type { StreamingResponse } from "../transport/streaming-response.ts";
import { Conversation, type TurnRequest } from "./conversation/conversation.ts";
import { type ConversationState, readState } from "./conversation/saved.ts";
import { createResponse, streamResponse } from "./operations.ts";
import { AiStream } from "./stream/stream.ts";
import type { StreamSource } from "./stream/stream-session.ts";
import { takeOptions } from "./stream/taken-options.ts";
import type { AiResponse, CreateResponseParams, StreamResponseParams } from "./types.ts";

/** What `api.ai` needs of the transport. */
export interface AiTransport {
  send<Params extends object, Body>(
    operation: Operation<Params, Body>,
    params: Params,
    options?: RequestOptions,
  ): ApiCall<Body>;
  open<Params extends object>(
    operation: Operation<Params, unknown>,
    params: Params,
    options: StreamOptions | undefined,
    how: { readonly accept: string; readonly onStart: (abort: (reason: unknown) => void) => void },
  ): Promise<StreamingResponse>;
}

/** Every framing that is read (docs/assumptions.md, I1). */
const accept = "text/event-stream, application/x-ndjson, application/json";

/** AI response generation (§4.2): `api.ai`. */
export class Ai {
  readonly #transport: AiTransport;

  /** @internal */
  constructor(transport: AiTransport) {
    this.#transport = transport;
  }

  /**
   * Generates an answer and returns it whole (§4.2).
   *
   * @param params - The input; `client_referenceId` is generated where it is left out.
   * @param options - Options of this call.
   * @throws {@link RequestValidationError} when the request breaks a rule of §4.2 or §8; nothing was sent.
   * @throws {@link ApiError} when the service says no.
   * @throws {@link ConnectionError}, {@link TimeoutError}, {@link AbortError} when no answer came.
   * @throws {@link UnexpectedResponseError}, {@link ResponseValidationError} when it cannot be used.
   *
   * @example
   * ```ts
   * const answer = await api.ai.createResponse({ user: { text: "Explain what a fare quote is." } });
   * console.log(answer.system.text, answer.context_token);
   * ```
   */
  createResponse(params: CreateResponseParams, options?: RequestOptions): ApiCall<AiResponse> {
    return this.#transport.send(createResponse, params, options);
  }

  /**
   * Generates an answer and gives its events while it is being written (§6.1). Sent at the first pull.
   *
   * @param params - The input; `client_referenceId` is generated where it is left out, and `stream` is filled in.
   * @param options - Options of this stream.
   * @returns The stream. Errors are thrown where it is read: see {@link AiStream}.
   *
   * @example
   * ```ts
   * const stream = api.ai.stream({ user: { text: "Plan a day in Pune" } });
   * for await (const text of stream.textStream) process.stdout.write(text);
   * ```
   */
  stream(params: StreamResponseParams, options: StreamOptions = {}): AiStream {
    const taken = takeOptions(() => readStreamOptions(streamResponse.name, options));
    return this.#stream({ signal: taken.signal }, () => [params, taken.read()]);
  }

  /**
   * Starts a conversation, or continues one that was saved (docs/assumptions.md, I8).
   *
   * @param saved - What `JSON.stringify(conversation)` returned, as that string or parsed.
   * @throws {@link ConfigurationError} if it is not a saved conversation.
   *
   * @example
   * ```ts
   * const chat = api.ai.conversation();
   * const { system } = await chat.send("Plan a day in Pune");
   * for await (const text of chat.stream("Now say it in Hindi").textStream) process.stdout.write(text);
   * ```
   */
  conversation(saved?: ConversationState | string): Conversation {
    return new Conversation(
      {
        send: (turn, options) =>
          this.#transport.send(createResponse, turn.params, goingOn(turn, options)).withResponse(),
        stream: ({ signal, onStart, onEnd }) =>
          this.#stream({ signal, onEnd }, () => {
            const { turn, options } = onStart();
            return [turn.params, goingOn(turn, options)];
          }),
      },
      readState(saved).turns,
    );
  }

  /** `request` is asked for at the first pull. */
  #stream(
    source: Pick<StreamSource, "signal" | "onEnd">,
    request: () => [StreamResponseParams, StreamOptions | undefined],
  ): AiStream {
    return new AiStream({
      ...source,
      operation: streamResponse.name,
      connect: (onStart) => this.#transport.open(streamResponse, ...request(), { accept, onStart }),
    });
  }
}

/** A token that a conversation carries on came from the service and is not checked (docs/assumptions.md, I6): `extraBody` is not. */
function goingOn<Options extends RequestOptions>({ contextToken }: TurnRequest, options: Options): Options {
  const context_token = contextToken();
  return context_token === undefined ? options : { ...options, extraBody: { context_token, ...options.extraBody } };
}
