/** One way of proving where a delivery came from (§5): `hmac`, `standardWebhooks`, `basic`, `ipAllowList`, `custom`. */
export interface WebhookCheck {
  /** What the check is called in messages. */
  readonly name: string;
  /** True for a check that proves nothing about the sender by itself, such as `freshness`: it cannot stand alone. */
  readonly provesNoSender?: true;
  /**
   * Accepts a delivery by returning `undefined`, or a nonce to be accepted only once, of 1 to 256 printable characters. To
   * refuse, throw a `WebhookAuthError`; any other value refuses the delivery as well, `true` included: the function of
   * `custom` returns that, and a check of its own nothing. Any other error counts as a failure, told to `onError`.
   */
  check(delivery: ReceivedDelivery): CheckOutcome | Promise<CheckOutcome>;
  /** The headers with which the other side would prove itself: for tests, the emulator and `webhook fire`. */
  sign?(body: Uint8Array, at: SigningMoment): Promise<Readonly<Record<string, string>>>;
}

/** What a check that passed returns: nothing, or a nonce. */
export type CheckOutcome =
  | {
      /** Nonce of the delivery, 1 to 256 printable characters. */
      readonly nonce: string;
    }
  | undefined;

/** What a check is shown. */
export interface ReceivedDelivery {
  /** A header's value by its lower-case name; values that came several times are joined by `, `. */
  header(name: string): string | undefined;
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The address of the peer, where the platform or the adapter tells it. */
  readonly remoteAddress: string | undefined;
  /** Addresses and CIDR ranges of your own proxies (`trustedProxies`). */
  readonly trustedProxies: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** When and as what something is signed. */
export interface SigningMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The delivery's own identifier, which is also its nonce where one is configured. */
  readonly id: string;
}
