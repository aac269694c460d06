import type { ResponseMetadata } from "../conversation/saved.ts";

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
