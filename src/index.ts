export type { Ai } from "./ai/ai.ts";
export type { Conversation, ConversationTurn, TurnOptions } from "./ai/conversation.ts";
export type { ConversationState } from "./ai/conversation-state.ts";
export type { StreamState } from "./ai/endings.ts";
export { isKnownAiEvent } from "./ai/known-event.ts";
export { createResponse } from "./ai/operations.ts";
export type { RelayFormatName } from "./ai/relay-formats.ts";
export type { RelayOptions, RelayResponseOptions } from "./ai/relay-options.ts";
export type { AiEventIterator, AiStream } from "./ai/stream.ts";
export type * from "./ai/types.ts";
export { ServiceApi } from "./client.ts";
export { isServiceApiError } from "./errors/any.ts";
export * from "./errors.ts";
export type { Flights } from "./flights/flights.ts";
export { book, fareQuote, fareRule } from "./flights/operations.ts";
export type * from "./flights/types.ts";
export { quoteToken } from "./flights/types.ts";
export {
  type Area,
  type AutofilledField,
  defineOperation,
  type Operation,
  type OperationDefinition,
  type OperationResponse,
  type RefusedOperation,
  type RetryClass,
  type SentCall,
} from "./operation.ts";
export type {
  ClientOptions,
  Credential,
  RefusedAnswer,
  RequestOptions,
  StreamOptions,
  ValidationOptions,
} from "./options.ts";
export type { OtherString } from "./shared/other-string.ts";
export type { ApiCall, WithResponse } from "./transport/call.ts";
export type { Verdict } from "./transport/envelope.ts";
export type { ClientEvent, Logger, LogLevel } from "./transport/log.ts";
export { findVpas } from "./verification/operations.ts";
export type { FindVpasParams, VpaResult } from "./verification/types.ts";
export type { Verification } from "./verification/verification.ts";
export { version, webhookProductVersions } from "./version.ts";
export type { WebhooksOptions } from "./webhooks/types.ts";
