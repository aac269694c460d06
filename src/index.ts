export type { StandardSchemaV1 } from "@standard-schema/spec";
export * from "./ai/index.ts";
export { Client } from "./client.ts";
export * from "./errors/index.ts";
export type { Flights } from "./flights/flights.ts";
export { book, fareQuote, fareRule } from "./flights/operations.ts";
export * from "./flights/types/public.ts";
export {
  defineOperation,
  type EchoRule,
  type Operation,
  type OperationDefinition,
} from "./operation.ts";
export type {
  ClientOptions,
  RequestOptions,
  StreamOptions,
} from "./options.ts";
export { ServiceApi, type ServiceApiOptions } from "./service-api.ts";
export type { OtherString } from "./shared/other-string.ts";
export type { ApiCall, WithResponse } from "./transport/call.ts";
export type { ClientEvent, Logger, LogLevel, LogOptions } from "./transport/log.ts";
export { requestIdOf } from "./transport/read-response.ts";
export { findVpas } from "./verification/operations.ts";
export type { FindVpasParams, VpaResult } from "./verification/types.ts";
export type { Verification } from "./verification/verification.ts";
export { transactionNotifyVersion, validationBasedVersion, version } from "./version.ts";
