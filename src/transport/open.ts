import type { ServiceApiError } from "../errors/base.ts";
import type { UnexpectedResponseError, UnexpectedResponseReason } from "../errors/request.ts";
import type { ClientEvent } from "./log.ts";

/**
 * A call whose answer has begun (2xx, headers read) and whose body the receiver reads by itself: what a stream is made from.
 * A refusal (HTTP ≥ 400, a redirect, no connection) never becomes one: `Transport.open` rejects with the typed error.
 */
export interface OpenCall {
  readonly operation: string;
  readonly clientReferenceId: string | undefined;
  readonly attempts: number;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
  /** Body unread. */
  readonly response: Response;
  /**
   * Aborted when the caller's own signal is (same reason). It is held strongly: race every read with it and cancel the
   * reader by hand, because an abort does not reach a body that is being read once `gc()` ran (nodejs/undici#3644).
   */
  readonly signal: AbortSignal;
  /** Lets go of the connection and of every listener. Call it once, however the stream ends. */
  close(): void;
  /** The error for a whole JSON body that says no (`FAILED` in an answer of HTTP 200). */
  refusal(body: unknown): ServiceApiError;
  /** The error for a body that is no answer of this service. */
  unexpected(reason: UnexpectedResponseReason, text: string): UnexpectedResponseError;
  /** Tells `onEvent` and the log. */
  report(event: DistributiveOmit<ClientEvent, "operation" | "clientReferenceId">): void;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
