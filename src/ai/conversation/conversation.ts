import { type Client, transportOf } from "../../client.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import { checkOptions, type RequestOptions, requestRules, type StreamOptions, streamRules } from "../../options.ts";
import { field, stringOf } from "../../shared/json.ts";
import { anything, type Rules } from "../../shared/options.ts";
import { ApiCall, type CallResult } from "../../transport/call.ts";
import { fullTextOf } from "../events.ts";
import { createResponse } from "../operations.ts";
import { AiStream } from "../stream/stream.ts";
import { type CompletedResponse, deferOptions } from "../stream/stream-session.ts";
import type { AiResponse, AiUserInput } from "../types.ts";
import { type ConversationState, type ConversationTurn, metadataIn } from "./saved.ts";

/** Options for one turn, in addition to those of the call. */
export interface TurnOptions {
  /** URLs of images (§4.2). */
  readonly images?: readonly string[] | undefined;
  /** Your reference for the request, at most 30 characters. @default a ULID */
  readonly client_referenceId?: string | undefined;
}

// These two are checked with the request that they become part of.
const turnRules: Rules<TurnOptions> = { images: anything, client_referenceId: anything };
const sendRules: Rules<TurnOptions & RequestOptions> = { ...requestRules, ...turnRules };
const streamTurnRules: Rules<TurnOptions & StreamOptions> = { ...streamRules, ...turnRules };

/**
 * A chain of turns, each of which continues from the response before it (§4.2 `context_token`; docs/assumptions.md,
 * I8).
 *
 * The chain moves only when a response is complete: after a failure, an abort or a cut it is unchanged, and the same
 * question can be asked again. It is plain data: `JSON.stringify(chat)` in one process, `api.ai.conversation(saved)` in
 * another.
 *
 * @example
 * ```ts
 * const chat = api.ai.conversation();
 * await chat.send("Plan a day in Pune");
 * for await (const text of chat.stream("Now say it in Hindi").textStream) process.stdout.write(text);
 * const saved = JSON.stringify(chat);
 * ```
 */
export class Conversation {
  readonly #client: Client;
  readonly #turns: ConversationTurn[];
  #isBusy = false;

  /** @internal */
  constructor(client: Client, turns: readonly ConversationTurn[]) {
    this.#client = client;
    this.#turns = [...turns];
  }

  /** Every complete turn, the oldest first. */
  get turns(): readonly ConversationTurn[] {
    return this.#turns;
  }

  /** The token from which the next turn continues; `undefined` before the first. */
  get contextToken(): string | undefined {
    return this.#turns.at(-1)?.context_token;
  }

  /**
   * Sends a question and returns the whole response.
   *
   * @param text - The question.
   * @param options - Images and the options of the call.
   * @returns The call, without `asResponse()`: the conversation reads the response.
   * @throws {@link RequestValidationError} while another turn of this conversation is in progress, and the errors of
   * {@link Ai.createResponse}.
   */
  send(text: string, options: TurnOptions & RequestOptions = {}): Omit<ApiCall<AiResponse>, "asResponse"> {
    const { request, onEnd } = this.#turn(text, () => checkOptions("ai.conversation.send", options, sendRules));
    const reading = { mode: "body" } as const;
    const running = transportOf(this.#client).run(createResponse.name, createResponse, request, {}, reading);
    // `data` is what the operation's schema describes, as far as `validation` asks for.
    const recorded = (running as Promise<CallResult<AiResponse>>).then(
      (result) => {
        onEnd(result);
        return result;
      },
      (error) => {
        onEnd();
        throw error;
      },
    );
    return new ApiCall(createResponse.name, recorded, reading);
  }

  /**
   * Sends a question and streams the response while it is being written. The turn begins at the first pull.
   *
   * @param text - The question.
   * @param options - Images and the options of the stream.
   * @returns The stream; reading it throws a {@link RequestValidationError} while another turn is in progress.
   */
  stream(text: string, options: TurnOptions & StreamOptions = {}): AiStream {
    const read = deferOptions(() => checkOptions("ai.conversation.stream", options, streamTurnRules));
    return new AiStream({ client: this.#client, ...this.#turn(text, read) });
  }

  /**
   * Returns a second conversation that continues from a turn of this one, or from its last. This one is unchanged.
   *
   * @param turn - One of {@link turns}.
   * @throws {@link ConfigurationError} if the turn is not one of this conversation.
   */
  branch(turn?: ConversationTurn): Conversation {
    const end = turn === undefined ? this.#turns.length : this.#turns.indexOf(turn) + 1;
    if (turn !== undefined && end === 0) {
      throw new ConfigurationError(
        "ai.conversation: `turn` is not one of this conversation. Pass an element of its `turns` to branch().",
      );
    }
    return new Conversation(this.#client, this.#turns.slice(0, end));
  }

  /**
   * Returns the state that `JSON.stringify` writes and `api.ai.conversation(saved)` reads. It contains the whole
   * dialogue.
   */
  toJSON(): ConversationState {
    return { version: 1, turns: [...this.#turns] };
  }

  /** A turn: the function that begins it, and the one that ends it, with the response if it completed. */
  #turn<Options extends RequestOptions>(text: string, read: () => TurnOptions & Options) {
    let begun: AiUserInput | undefined;
    let recorded: ConversationTurn | undefined;
    const request = () => {
      const { images, client_referenceId, extraBody, ...options } = read();
      if (this.#isBusy) {
        const message =
          "another turn of this conversation is in progress; wait for it, read its stream or `abort()` it, or call branch().";
        throw refusedRequest("ai.conversation", "", "turn_under_way", message, "ai.conversation");
      }
      this.#isBusy = true;
      begun = images === undefined ? { text } : { text, images };
      const params = { user: begun, ...(client_referenceId !== undefined && { client_referenceId }) };
      // The token came from the service and is not checked (docs/assumptions.md, I6), as `extraBody` is not.
      const { contextToken: context_token } = this;
      const added = context_token === undefined ? extraBody : { context_token, ...extraBody };
      return { params, options: () => ({ ...options, ...(added && { extraBody: added }) }) };
    };
    const onEnd = (response?: CompletedResponse): void => {
      // Without it the turn has not begun, and another one may be in progress.
      if (begun === undefined) return;
      if (recorded !== undefined) {
        // A relay has refused it afterwards; a turn that follows it has its token.
        if (recorded === this.#turns.at(-1) && !this.#isBusy) this.#turns.pop();
        return;
      }
      this.#isBusy = false;
      if (response !== undefined) recorded = this.#record(begun, response);
    };
    return { request, onEnd };
  }

  /**
   * Moves the chain, if the response says that it is complete. Leaves out what drifted or was not checked
   * (`validation`). Without a token there is nothing to continue from.
   */
  #record(
    user: AiUserInput,
    { data, clientReferenceId: client_referenceId, warnings }: CompletedResponse,
  ): ConversationTurn | undefined {
    if (stringOf(data.response_status ?? "completed").toLowerCase() !== "completed") return undefined;
    const msg_id = field(data.system, "msg_id");
    const metadata = metadataIn({ context_token: data.context_token, msg_id, client_referenceId });
    if (metadata === undefined) return undefined;
    const ofChain = warnings.filter(({ code }) => code === "parent_token_mismatch");
    const turn = { user, text: fullTextOf(data), ...metadata, ...(ofChain.length > 0 && { warnings: ofChain }) };
    this.#turns.push(turn);
    return turn;
  }
}
