/**
 * The metadata of a response in a UI message: what it takes to continue the conversation from it. The service documents
 * no token counts, so there is no usage.
 */
export interface ResponseMetadata {
  /** Token of the response, from which the next turn continues. */
  readonly context_token: string;
  /** The service's identifier of the response. */
  readonly msg_id?: string;
  /** The `client_referenceId` of the request. */
  readonly client_referenceId?: string;
}

/** A chunk of a UI message stream of the Vercel AI SDK. It is a `UIMessageChunk` of the package `ai`. */
export type UiMessageChunk =
  | {
      /** The message begins. */
      readonly type: "start";
      /** Identifier of the message, if you passed one. */
      readonly messageId?: string;
    }
  | {
      /** The only step begins, or is complete. */
      readonly type: "start-step" | "finish-step";
    }
  | {
      /** The text begins, or is complete. */
      readonly type: "text-start" | "text-end";
      /** Identifier of the text within the message. */
      readonly id: string;
    }
  | {
      /** A piece of the text, in whole characters. */
      readonly type: "text-delta";
      /** Identifier of the text within the message. */
      readonly id: string;
      /** The piece. */
      readonly delta: string;
    }
  | {
      /** The message is complete. */
      readonly type: "finish";
      /** The metadata of the message. */
      readonly messageMetadata?: object;
    }
  | {
      /** The response could not be completed. */
      readonly type: "error";
      /** The message that a person sees. */
      readonly errorText: string;
    };

/** A part of a UI message: text, or an image by its URL. */
export type UiMessagePart =
  | {
      /** The text of a question or a response. */
      type: "text";
      /** The text. */
      text: string;
      /** Set for a response, which is complete. */
      state?: "done";
    }
  | {
      /** An image. */
      type: "file";
      /** The media type that belongs to the extension of the URL. */
      mediaType: string;
      /** URL of the image. */
      url: string;
    };

/** A message of a conversation, as `useChat` shows it. It is a `UIMessage` of the package `ai`. */
export interface UiMessage {
  /** Identifier of the message. */
  id: string;
  /** Whose message it is. */
  role: "user" | "assistant";
  /** The metadata of a response, from which the conversation can continue. */
  metadata?: ResponseMetadata;
  /** The content. */
  parts: UiMessagePart[];
}
