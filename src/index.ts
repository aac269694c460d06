export * from "./ai/index.ts";
export type { Area, AreaName } from "./area.ts";
export { Client } from "./client.ts";
export * from "./errors/index.ts";
export type { Flights } from "./flights/flights.ts";
export { book, fareQuote, fareRule } from "./flights/operations.ts";
export type * from "./flights/types/index.ts";
export { quoteToken } from "./flights/types/index.ts";
export {
  type AutofilledField,
  type ClassifiedRefusal,
  defineOperation,
  type EchoRule,
  type Operation,
  type OperationDefinition,
  type RetryClass,
  type SentCall,
} from "./operation.ts";
export type {
  ClientOptions,
  Credential,
  KnownMessages,
  RequestOptions,
  StreamLimits,
  StreamOptions,
  UnclassifiedRefusal,
  ValidationOptions,
} from "./options.ts";
export { ServiceApi, type ServiceApiOptions } from "./service-api.ts";
export type { OtherString } from "./shared/other-string.ts";
export type { ApiCall, WithResponse } from "./transport/call.ts";
export type { OperationResponse, Verdict } from "./transport/classify.ts";
export type { ClientEvent, Logger, LogLevel } from "./transport/log.ts";
export { findVpas } from "./verification/operations.ts";
export type { FindVpasParams, VpaResult } from "./verification/types.ts";
export type { Verification } from "./verification/verification.ts";
export { transactionNotifyVersion, validationBasedVersion, version } from "./version.ts";
export type { WebhooksOptions } from "./webhooks/types.ts";
