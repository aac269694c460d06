/** The entry point `serviceapi/ai/ui-messages`: streams and conversations as UI messages of the Vercel AI SDK. */

export type { UiMessageChunk } from "../relay/pieces.ts";
export { conversationFromUiMessages, toUiMessages, type UiConversation } from "./messages.ts";
export {
  uiMessageResponse,
  uiMessageStream,
} from "./stream.ts";
export type { ResponseMetadata, UiMessage, UiMessagePart } from "./types.ts";
