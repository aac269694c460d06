/** The names of this area that `serviceapi` exports. */
export { Ai } from "./ai.ts";
export type { Conversation, TurnOptions } from "./conversation/conversation.ts";
export type { ConversationState, ConversationTurn } from "./conversation/saved.ts";
export { isKnownAiEvent } from "./events.ts";
export { createResponse } from "./operations.ts";
export type { RelayFormatName } from "./relay/formats.ts";
export type { RelayOptions, RelayResponseOptions } from "./relay/relay.ts";
export type { AiEventIterator, AiStream } from "./stream/stream.ts";
export type { StreamState } from "./stream/stream-errors.ts";
export type * from "./types.ts";
