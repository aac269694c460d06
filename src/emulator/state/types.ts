import type { SearchToken } from "../../flights/types/index.ts";

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
