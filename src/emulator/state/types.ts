import type { SearchToken } from "../../flights/types/index.ts";
import type { DisposableIfKnown } from "../../shared/compiler-types.ts";

/** A scenario or script, as `use()`, `script()`, `active` and `unused` return it: the same object each time. */
export interface ActiveScenario extends DisposableIfKnown {
  /** Its number, which the route `/__emulator/withdraw` takes. */
  readonly id: number;
  /** The operation; `undefined` for a scenario of all operations. */
  readonly operation: string | undefined;
  /** The name of the scenario; `undefined` for a script. */
  readonly scenario: string | undefined;
  /** The number of requests that it still waits for: `Infinity` without `times`, 0 once it is withdrawn. */
  readonly remaining: number;
  /** Ends it: no further request meets it. So does the end of the block if it is declared with `using`. */
  withdraw(): void;
}

/** A booking that was made. */
export interface EmulatedBooking {
  /** The reference of the request. */
  readonly client_referenceId: string;
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /** The quote token that was booked. */
  readonly token: string;
  /** The PNR in the response. */
  readonly pnr: string;
  /** The booking ID in the response. */
  readonly booking_id: number;
}

/** The result of a flight search, for `fareQuote` and `fareRule`. */
export interface SeededSearch {
  /** The `trace_id` of the search. */
  readonly trace_id: string;
  /** The token of one search result. */
  readonly token: SearchToken;
}
