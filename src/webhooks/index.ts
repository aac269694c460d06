export { type Issue, ServiceApiError } from "../errors/base.ts";
export { ConfigurationError } from "../errors/request.ts";
export type {
  WebhookAuthReason,
  WebhookPayloadDetails,
  WebhookPayloadReason,
  WebhookProcessingReason,
} from "../errors/webhook.ts";
export { WebhookAuthError, WebhookError, WebhookPayloadError, WebhookProcessingError } from "../errors/webhook.ts";
export { type BasicCredential, type BasicOptions, basic } from "./auth/basic.ts";
export type { CheckOutcome, ReceivedDelivery, SigningMoment, WebhookCheck } from "./auth/check.ts";
export { type CustomVerdict, custom } from "./auth/custom.ts";
export { type FreshnessOptions, freshness } from "./auth/freshness.ts";
export { type HmacOptions, hmac, type SignatureFields, type SignedParts, type SignedPreset } from "./auth/hmac.ts";
export type { DigestEncoding } from "./auth/mac.ts";
export type { Secret, SecretSource } from "./auth/secret.ts";
export type { SignedFunction } from "./auth/signed-parts.ts";
export { type StandardWebhooksOptions, standardWebhooks } from "./auth/standard-webhooks.ts";
export type { TimestampFormat, TimestampOptions, TimestampUnit } from "./auth/timestamp.ts";
export {
  type AcknowledgementProblem,
  type AcknowledgementProblemCode,
  type AcknowledgementReport,
  type AcknowledgementResponse,
  checkAcknowledgement,
} from "./check-acknowledgement.ts";
export type { PayoutEffect, PayoutEntry } from "./effect.ts";
export {
  type Acknowledgement,
  type AcknowledgementStatus,
  isKnownWebhookEvent,
  type KnownWebhookEvent,
  type PayoutDuplicate,
  type PayoutFailed,
  type PayoutNotification,
  type PayoutRejected,
  type PayoutStatus,
  type PayoutSucceeded,
  type UnknownStatus,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from "./events.ts";
export type { RequiredFields } from "./receive/parse-event.ts";
export type { DeliverySource } from "./receive/read-delivery.ts";
export type { ProcessResult } from "./receive/run-handler.ts";
export { type SignedDelivery, type SignOptions, sign } from "./sign.ts";
export { type MemoryStoreOptions, memoryStore } from "./stores/memory.ts";
export type { Claim, ClaimRequest, ClaimResult, StoreEntry, WebhookStore } from "./stores/store.ts";
export type {
  BodySource,
  DecimalLike,
  DeliveryOptions,
  EventContext,
  EventHandler,
  ExpectedAmount,
  ExpectedOrder,
  ExpectedPayout,
  HeaderSource,
  ReceiverOptions,
  RequestContext,
  WebhookDelivery,
  WebhookHandler,
  WebhookHandlers,
  WebhookHooks,
  WebhookResponse,
  WebhooksOptions,
} from "./types.ts";
export { Webhooks } from "./webhooks.ts";
