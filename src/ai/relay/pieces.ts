/** A piece of a relay: text, or a chunk, which is sent as one event. */
export type RelayPiece = string | UiMessageChunk;

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
