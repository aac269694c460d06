export { ServiceApiError, type ValidationIssue } from "../errors/base.ts";
export { ConfigurationError } from "../errors/request.ts";
export { WebhookAuthError, WebhookError, WebhookPayloadError, WebhookProcessingError } from "../errors/webhook.ts";
export { basic } from "./auth/basic.ts";
export type { ReceivedDelivery, WebhookCheck } from "./auth/check.ts";
export { custom } from "./auth/custom.ts";
export { freshness } from "./auth/freshness.ts";
export { hmac, standardWebhooks } from "./auth/hmac.ts";
export { type AcknowledgementReport, checkAcknowledgement } from "./check-acknowledgement.ts";
export {
  type Acknowledgement,
  type AcknowledgementStatus,
  type FinalPayout,
  isKnownWebhookEvent,
  type KnownWebhookEvent,
  type PayoutDuplicate,
  type PayoutFailed,
  type PayoutNotification,
  type PayoutRejected,
  type PayoutStatus,
  type PayoutSucceeded,
  type ProcessResult,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from "./events.ts";
export { type SignedDelivery, type SignOptions, sign } from "./sign.ts";
export { memoryStore } from "./stores/memory.ts";
export type { PayoutEffect, PayoutEntry } from "./stores/record.ts";
export type { Claim, ClaimRequest, ClaimResult, StoreEntry, WebhookStore } from "./stores/store.ts";
export type {
  EventContext,
  FindOrder,
  ReceiverOptions,
  RequestContext,
  WebhookDelivery,
  WebhookFailure,
  WebhookHandler,
  WebhookHandlers,
  WebhookResponse,
  WebhooksOptions,
} from "./types.ts";
export { Webhooks } from "./webhooks.ts";
