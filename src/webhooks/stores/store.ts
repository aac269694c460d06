/**
 * Where claims on references are kept, so that each delivery takes effect once, however many processes share the store
 * (docs/stores.md). `memoryStore`, `redisStore` and `postgresStore` are such stores; `storeSuite` tests one of your own.
 *
 * Every method must be atomic and linearizable: an eventually consistent store cannot keep the promise. A method that
 * cannot do its work rejects; the delivery is then acknowledged `FAILED` and comes again.
 */
export interface WebhookStore {
  /**
   * Takes the key for `lease` milliseconds, unless somebody else has it or its work is done. A claim whose lease ran
   * out is free to be taken over.
   */
  claim(key: string, request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Records that the claim's work is committed. A claim whose lease ran out can still be completed until somebody else
   * takes it over.
   *
   * @returns True when it is (also when this very claim completed before); false when the claim was lost to another.
   */
  complete(claim: Claim): Promise<boolean>;
  /** Gives an unfinished claim back. Does nothing when the claim was lost or is complete. */
  release(claim: Claim): Promise<void>;
  /**
   * Records that `onConflict` was called for a status that arrived after the one that is done. Until then, `claim`
   * reports that status as a `newConflict`. Does nothing when the key is not done, or is done with this very status.
   */
  recordConflict(key: string, status: string): Promise<void>;
  /** Returns what is known of a key, or undefined if nothing is. For operators and tests. */
  find(key: string): Promise<StoreEntry | undefined>;
  /** Removes all that is known of a key: its next delivery takes effect again. For operators and tests. */
  forget(key: string): Promise<void>;
}

/** What a claim is asked for with. */
export interface ClaimRequest {
  /** The event's status: the first that is done stays (§6.5.1). */
  readonly status: string;
  /** Milliseconds after which the claim is free again if its holder has died. */
  readonly lease: number;
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
  /** Done before, with this status. `newConflict` when the status asked for is another one, and is not recorded yet. */
  | { readonly kind: "done"; readonly status: string; readonly newConflict: boolean };

/** What a store knows of a key. */
export interface StoreEntry {
  /** `claimed` while its work is under way, or after its process died; `done` once it is committed. */
  readonly state: "claimed" | "done";
  /** The status that was claimed; the one that took effect once `state` is `done`. */
  readonly status: string;
  /** Other statuses that arrived after it was done, and of which `onConflict` was called. */
  readonly conflicts: readonly string[];
}
