export type { WebhookAuthReason, WebhookPayloadReason } from "../errors/webhook.ts";
export { WebhookAuthError, WebhookError, WebhookPayloadError } from "../errors/webhook.ts";
export type { CheckOutcome, ReceivedDelivery, SigningMoment, WebhookCheck } from "./auth/check.ts";
export type {
  Acknowledgement,
  AcknowledgementStatus,
  KnownWebhookEvent,
  PayoutDuplicate,
  PayoutFailed,
  PayoutNotification,
  PayoutRejected,
  PayoutStatus,
  PayoutSucceeded,
  UnknownWebhookEvent,
  WebhookEvent,
} from "./events.ts";
export type { RequiredFields } from "./fields.ts";
export { type MemoryStoreOptions, memoryStore } from "./stores/memory.ts";
export type { Claim, ClaimRequest, ClaimResult, WebhookStore } from "./stores/store.ts";
export type {
  BodySource,
  EventContext,
  EventHandler,
  ExpectedAmount,
  ExpectedPayout,
  HeaderSource,
  RequestContext,
  WebhookAnswer,
  WebhookDelivery,
  WebhookHandler,
  WebhookHandlers,
  WebhookHooks,
  WebhooksOptions,
} from "./types.ts";
export { Webhooks } from "./webhooks.ts";
