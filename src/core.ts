/** The entry point `serviceapi/core`: a client without namespaces. It sends the operations that are passed to it. */
export { Client } from "./client.ts";
export * from "./errors/index.ts";
export { defineOperation, type EchoRule, type Operation, type OperationDefinition } from "./operation.ts";
export type {
  ClientOptions,
  RequestOptions,
  StreamOptions,
} from "./options.ts";
export type { ApiCall, WithResponse } from "./transport/call.ts";
export { requestIdOf } from "./transport/read-response.ts";
export { version } from "./version.ts";
