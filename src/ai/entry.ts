/** The entry point `serviceapi/ai`: a relay read in the browser, and the UI messages of the Vercel AI SDK. */
export type { ResponseMetadata } from "./conversation/saved.ts";
export type { UiMessageChunk } from "./relay/pieces.ts";
export { RelayError, readRelay } from "./relay/read-relay.ts";
export { relayTurn } from "./relay/relay-turn.ts";
export { conversationFromUiMessages, toUiMessages, type UiConversation } from "./ui-messages/messages.ts";
export type { UiMessage, UiMessagePart } from "./ui-messages/types.ts";
