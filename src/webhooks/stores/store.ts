/**
 * Where claims on references are kept, so that each delivery takes effect once, however many processes share the store
 * (docs/stores.md). `memoryStore`, `redisStore` and `postgresStore` are such stores; `storeSuite` tests one of your own.
 *
 * Every method must be atomic and linearizable: an eventually consistent store cannot keep the promise. A method that
 * cannot do its work rejects; the delivery is then answered `FAILED` and comes again.
 */
export interface WebhookStore {
  /**
   * Takes the key for `leaseMs` milliseconds, unless somebody else has it or its work is done. A claim whose lease ran
   * out is free to be taken over. Of the statuses that arrive later than the one that was done, each is reported as
   * `firstConflict` once.
   */
  claim(key: string, request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Records that the claim's work is committed.
   *
   * @returns True when it is (also when this very claim completed before); false when the claim was lost to another.
   */
  complete(claim: Claim): Promise<boolean>;
  /** Gives an unfinished claim back. Does nothing when the claim was lost or is complete. */
  release(claim: Claim): Promise<void>;
  /** Removes all that is known of a key: its next delivery takes effect again. For operators and tests. */
  forget(key: string): Promise<void>;
}

/** What a claim is asked for with. */
export interface ClaimRequest {
  /** The event's status: the first that is done stays (§6.5.1). */
  readonly status: string;
  /** Milliseconds after which the claim is free again if its holder has died. */
  readonly leaseMs: number;
}

/** A claim that is held. */
export interface Claim {
  readonly key: string;
  /** The status that was claimed. */
  readonly status: string;
  /**
   * The fencing token: decimal digits, larger with every claim on this key. Hand it to systems of yours that
   * can refuse a smaller one after a larger.
   */
  readonly token: string;
}

/** How asking for a claim went. */
export type ClaimResult =
  /** It is yours. `takenOver` when it belonged to another whose lease ran out. */
  | { readonly kind: "claimed"; readonly claim: Claim; readonly takenOver: boolean }
  /** Somebody else is at work on it. */
  | { readonly kind: "inFlight" }
  /** Done before, with this status. */
  | { readonly kind: "done"; readonly status: string; readonly firstConflict: boolean };
