/**
 * A store of claims on references, so that each delivery takes effect once, however many processes share the store
 * (docs/stores.md). `memoryStore`, `redisStore` and `postgresStore` are such stores; `storeSuite` tests one of your
 * own.
 *
 * Every method must be atomic and linearizable: an eventually consistent store cannot keep the promise. A method
 * rejects if it fails: the delivery is then acknowledged `FAILED` and redelivered, but `complete` is retried.
 */
export interface WebhookStore {
  /**
   * Claims the key for `lease` milliseconds, unless somebody else has claimed it or its work is done. A claim whose
   * lease has expired can be taken over.
   */
  claim(key: string, request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Records that the claim's work is committed, with the `effect` of the claim. A claim whose lease has expired can
   * still be completed until somebody else takes it over.
   *
   * @returns True if it is recorded, also if this very claim was completed before; false if the claim was lost to
   *   another.
   */
  complete(claim: Claim): Promise<boolean>;
  /** Releases an unfinished claim. Does nothing if the claim was lost or is complete. */
  release(claim: Claim): Promise<void>;
  /** Adds an effect to the conflicts of a key that is done, unless it is there. Does nothing if the key is not done. */
  recordConflict(key: string, effect: string): Promise<void>;
  /** Returns the entry of a key, or undefined if there is none. */
  find(key: string): Promise<StoreEntry | undefined>;
  /** Removes the entry of a key: its next delivery takes effect again. For operators and tests. */
  forget(key: string): Promise<void>;
}

/** The parameters of a claim. */
export interface ClaimRequest {
  /** The effect that the work will have, a string: the first that is done stays (§6.5.1). */
  readonly effect: string;
  /** Milliseconds after which another may take the claim over, in case its process has died. */
  readonly lease: number;
}

/** A claim on a key. */
export interface Claim {
  /** The key that was claimed. */
  readonly key: string;
  /** The effect that was claimed. */
  readonly effect: string;
  /**
   * The fencing token: decimal digits, larger with every claim on this key. Pass it to your own systems that can refuse
   * a smaller token after a larger one. Those of our stores hold the time, and grow after a failover too, unless
   * the other server's clock is behind by more than it takes.
   */
  readonly token: string;
}

/** The result of a claim. */
export type ClaimResult =
  | {
      readonly kind: "claimed";
      /** The claim, which is now yours. */
      readonly claim: Claim;
      /** Whether it belonged to another holder whose lease expired. */
      readonly takenOver: boolean;
    }
  /** Somebody else is at work on it. */
  | { readonly kind: "inFlight" }
  | {
      readonly kind: "done";
      /** The effect that took place. */
      readonly effect: string;
      /** The conflicts that were recorded. */
      readonly conflicts: readonly string[];
    };

/** The entry of a key in a store. */
export interface StoreEntry {
  /** `claimed` while its work is in progress, or after its process died; `done` once it is committed. */
  readonly state: "claimed" | "done";
  /** The effect that was claimed; with the state `done`, the one that took place. */
  readonly effect: string;
  /** The conflicts that were recorded. */
  readonly conflicts: readonly string[];
}
