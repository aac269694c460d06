import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import type { AcknowledgementStatus } from "../../webhooks/events.ts";

/** Options of {@link Emulator.fire}. */
export interface FireOptions {
  /** Milliseconds to wait for the acknowledgement. @default that of the webhook settings */
  readonly ackTimeout?: number | undefined;
}

/** Settings of webhook deliveries. */
export interface WebhookSettings {
  /** The callback URL, or a handler in this process. */
  readonly to?: string | ((request: Request) => Promise<Response>) | undefined;
  /** The checks of `new Webhooks({ auth })`: deliveries are signed with the emulator's time. @default "none" */
  readonly auth?: WebhookCheck | readonly WebhookCheck[] | "none" | undefined;
  /** Milliseconds from the first attempt to each retry; §6.4 says how many. @default [30_000, 120_000, 600_000] */
  readonly retrySchedule?: readonly number[] | undefined;
  /** Milliseconds of real time to wait for an acknowledgement (§6.3). @default 7_000 */
  readonly ackTimeout?: number | undefined;
  /** Whether a FAILED acknowledgement is final; undocumented (docs/assumptions.md, W1). @default "retry" */
  readonly failedAcknowledgement?: "retry" | "final" | undefined;
  /**
   * Whether each attempt has a new signature, with its time and a new nonce. With `false` an attempt has the bytes and headers
   * of the first. The document shows neither (docs/assumptions.md, W5). @default true
   */
  readonly resign?: boolean | undefined;
}

/** The reason why an attempt is not acknowledged. */
export type DeliveryProblem =
  | "could not be signed"
  | "no connection"
  | "no response in time"
  | "HTTP status is not 200"
  | "body is not JSON"
  | "client_referenceId is not echoed"
  | "acknowledged FAILED"
  | "status is not known"
  | "statusCode does not fit the status"
  | "http_status is not true"
  | "acknowledged is not 1";

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
  /** The HTTP status; `undefined` if no response came. */
  readonly httpStatus: number | undefined;
  /** `status` of the acknowledgement, if it is one of §6.3. */
  readonly status: AcknowledgementStatus | undefined;
  /** The gravest problem; `undefined` if it was acknowledged SUCCESS or DUPLICATE, with all fields of §6.3. */
  readonly problem: DeliveryProblem | undefined;
  /** All problems of the acknowledgement, the gravest first. */
  readonly problems: readonly DeliveryProblem[];
  /** Milliseconds of real time. */
  readonly duration: number;
}

/** A row of the delivery history (§6.4). */
export interface Delivery {
  /** The reference of the payout. */
  readonly client_referenceId: string;
  /** The body that is sent. */
  readonly event: Readonly<Record<string, unknown>>;
  /** The state; `Failed Delivery` is the document's name for continual failure (§6.4). */
  readonly state: "delivering" | "delivered" | "refused" | "Failed Delivery";
  /** The attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The time of the next retry, on the emulator's clock. */
  readonly nextAttemptAt: number | undefined;
}
