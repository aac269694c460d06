import { type Client, transportOf } from "../client.ts";
import { checkOptions, type RequestOptions, type StreamOptions, streamRules } from "../options.ts";
import { jsonCopy } from "../shared/json.ts";
import type { ApiCall } from "../transport/call.ts";
import { Conversation } from "./conversation/conversation.ts";
import { readState } from "./conversation/saved.ts";
import { createResponse, streamResponse } from "./operations.ts";
import { AiStream } from "./stream/stream.ts";
import { deferOptions } from "./stream/stream-session.ts";
import type { AiResponse, CreateResponseParams, StreamResponseParams } from "./types.ts";

/** AI response generation (§4.2): `api.ai`. */
export class Ai {
  readonly #client: Client;

  /**
   * @param client - The client that sends the requests.
   * @throws {@link ConfigurationError} if it is not a client.
   */
  constructor(client: Client) {
    transportOf(client, "new Ai()");
    this.#client = client;
  }

  /**
   * Generates a response and returns it whole (§4.2).
   *
   * @param params - The input; `client_referenceId` is generated if it is left out.
   * @param options - Options for this call.
   * @throws {@link RequestValidationError} if the request breaks a rule of §4.2 or §8; nothing was sent.
   * @throws {@link ApiError} if the service refuses the request.
   * @throws {@link ConnectionError}, {@link TimeoutError}, {@link AbortError} if no response arrived.
   * @throws {@link UnexpectedResponseError}, {@link ResponseValidationError} if the response is not usable.
   *
   * @example
   * ```ts
   * const response = await api.ai.createResponse({ user: { text: "Explain what a fare quote is." } });
   * console.log(response.system.text, response.context_token);
   * ```
   */
  createResponse(params: CreateResponseParams, options?: RequestOptions): ApiCall<AiResponse> {
    return this.#client.send(createResponse, params, options);
  }

  /**
   * Generates a response and streams its events while it is being written (§6.1). The request is sent at the first
   * pull.
   *
   * @param params - The input; `client_referenceId` is generated if it is left out, and `stream` is filled in.
   * @param options - Options for this stream.
   * @returns The stream. Errors are thrown to its reader: see {@link AiStream}.
   *
   * @example
   * ```ts
   * const stream = api.ai.stream({ user: { text: "Plan a day in Pune" } });
   * for await (const text of stream.textStream) process.stdout.write(text);
   * ```
   */
  stream(params: StreamResponseParams, options?: StreamOptions): AiStream {
    // The caller may change the object before the first pull. What has no copy is refused then.
    const given = (jsonCopy(params) ?? params) as StreamResponseParams;
    const read = deferOptions(() =>
      options === undefined ? undefined : checkOptions(streamResponse.name, options, streamRules),
    );
    return new AiStream({ client: this.#client, request: { params: given, options: read } });
  }

  /**
   * Starts a conversation, or continues a saved one (docs/assumptions.md, I8).
   *
   * @param saved - The result of `JSON.stringify(conversation)`, as that string or parsed.
   * @throws {@link RequestValidationError} if it is not a saved conversation.
   *
   * @example
   * ```ts
   * const chat = api.ai.conversation();
   * const { system } = await chat.send("Plan a day in Pune");
   * for await (const text of chat.stream("Now say it in Hindi").textStream) process.stdout.write(text);
   * ```
   */
  conversation(saved?: unknown): Conversation {
    return new Conversation(this.#client, readState(saved).turns);
  }
}
