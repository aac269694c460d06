/** The updates of the console's page: JSON, as the events of `GET /__emulator/events`. */

/** One update. The page adds or replaces the exchanges by their ids. */
export interface Update {
  /** Whether everything that the page shows is outdated: at the start, and after a reset. */
  readonly isFresh: boolean;
  /** The exchanges that have changed, oldest first. */
  readonly exchanges: readonly ShownExchange[];
  /** The active rules, and the latest of each list; absent if nothing has changed. */
  readonly state?: ShownState;
  /** The emulator's time, in ISO 8601. */
  readonly now: string;
  /** Whether the page may ask for personal data. */
  readonly canShowPersonalData: boolean;
  /** Whether this update has personal data. */
  readonly showsPersonalData: boolean;
}

/** A request and its response, cut to what a page can show. */
export interface ShownExchange {
  readonly id: number;
  /** The time of the request, in ISO 8601 on the emulator's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The operation; absent for an unknown path. */
  readonly operation?: string | undefined;
  /** The rules that it met. */
  readonly rule?: string | undefined;
  /** The HTTP status; absent until the response begins, and if the connection was dropped. */
  readonly status?: number | undefined;
  /** The verdict of the body by its `status`; absent for a success, and for a body without one. */
  readonly verdict?: "failed" | "pending" | undefined;
  /** Milliseconds of real time until the response began, or the connection was dropped. */
  readonly duration?: number | undefined;
  readonly end: ExchangeEnd;
  readonly request: ShownMessage;
  readonly response?: ShownMessage | undefined;
}

/**
 * `open`: the response has not ended. `complete`: it was sent. `dropped`: the emulator dropped the connection. `left`: the
 * caller did.
 */
export type ExchangeEnd = "open" | "complete" | "dropped" | "left";

/** Headers and body. */
export interface ShownMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A whole body, or the pieces of a stream in the order in which they were sent. */
  readonly body: string | readonly string[];
}

/** The active rules, and the latest of each list. */
export interface ShownState {
  /** The rules that further requests can meet. */
  readonly active: readonly ShownRule[];
  /** Newest first. */
  readonly bookings: readonly ShownBooking[];
  /** Newest first. */
  readonly deliveries: readonly ShownDelivery[];
  /** The lengths of the lists, of which only the latest entries are shown. */
  readonly counts: Readonly<Record<"requests" | "bookings" | "deliveries", number>>;
}

export interface ShownRule {
  readonly id: number;
  /** The name of the response. */
  readonly name?: string | undefined;
  readonly operation: string;
  /** Absent without a limit. */
  readonly remaining?: number | undefined;
}

export interface ShownBooking {
  readonly client_referenceId: string;
  readonly pnr: string;
  readonly booking_id: string;
}

/** A row of the delivery history. */
export interface ShownDelivery {
  readonly client_referenceId: string;
  /** The status of the notification, such as `SUCCESS`. */
  readonly status: string;
  readonly state: string;
  /** In ISO 8601 on the emulator's clock. */
  readonly nextAttemptAt?: string | undefined;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly at: string;
  readonly httpStatus?: number | undefined;
  /** The status of the acknowledgement. */
  readonly status?: string | undefined;
  /** The problems of the acknowledgement; none if the delivery is acknowledged. */
  readonly problems: readonly string[];
  /** Milliseconds of real time. */
  readonly duration: number;
}
