import { WebhookAuthError, type WebhookAuthReason } from "../../errors/webhook.ts";

/**
 * A check that authenticates a delivery (§5): `hmac`, `standardWebhooks`, `basic`, `ipAllowList`, `custom`, or your
 * own.
 */
export interface WebhookCheck {
  /** The name of the check in messages. */
  readonly name: string;
  /**
   * True for a check that does not authenticate the sender, such as `freshness`: `auth` needs another one beside it.
   */
  readonly provesNoSender?: true;
  /**
   * Accepts a delivery by returning `undefined`, or a nonce to be accepted only once, of 1 to 256 printable characters.
   * Returns `{ stale }` for a delivery whose sender is proved, but that is too old: it is refused with this error, or
   * acknowledged `DUPLICATE` if what it says has taken effect already. Refuses it by throwing a `WebhookAuthError`. Any
   * other value refuses it as well, including `true`, which only the function of `custom` returns. Any other error counts
   * as a failure and is passed to `onFailure`.
   */
  check(delivery: ReceivedDelivery): CheckOutcome | Promise<CheckOutcome>;
  /** Returns the headers that the check accepts: for tests, the emulator and `webhook fire`. */
  sign?(body: Uint8Array, at: SigningMoment): Promise<Readonly<Record<string, string>>>;
}

/** The result of a check that passed: nothing, a nonce, or why a delivery of the proved sender is too old. */
export type CheckOutcome =
  | {
      /** Nonce of the delivery, 1 to 256 printable characters. */
      readonly nonce: string;
    }
  | {
      /** Why the delivery is too old to take effect. */
      readonly stale: WebhookAuthError;
      /** Its nonce, by which one that was accepted is known again. */
      readonly nonce?: string;
    }
  | undefined;

/** A delivery as the checks receive it. */
export interface ReceivedDelivery {
  /** Returns a header by its lower-case name; several values are joined by `, `. */
  header(name: string): string | undefined;
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The IP address of the peer, if the platform or the adapter knows it. */
  readonly remoteAddress: string | undefined;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** The time and the identifier of a signature. */
export interface SigningMoment {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The delivery's identifier, which is also its nonce if the check has one. */
  readonly id: string;
}

/** Returns the error with which a check refuses a delivery. */
export function authError(reason: WebhookAuthReason, message: string): WebhookAuthError {
  return new WebhookAuthError({ reason, message });
}

/** Returns a header without white space around it; an empty string if it is missing, or not configured. */
export function readHeader(delivery: ReceivedDelivery, header: string | undefined): string {
  return (header === undefined ? undefined : delivery.header(header.toLowerCase())?.trim()) ?? "";
}
