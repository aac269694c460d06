import type { SearchToken } from "../../flights/types/index.ts";
import type { QuotedResult, SearchName } from "../catalogue/quotes.ts";
import { BoundedList, BoundedMap } from "./bounded.ts";
import { ids } from "./ids.ts";

/** A request as the emulator received it. */
export interface ReceivedRequest {
  /** The operation, such as `flights.book`; `undefined` if the path belongs to no operation. */
  readonly operation: string | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The headers by their lower-case names, without the client secret. Other credentials, such as `authorization`, read `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the string if the body is not JSON. */
  readonly body: unknown;
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly receivedAt: number;
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

export interface Search {
  readonly name: SearchName;
  readonly trace_id: string;
  /** On the emulator's clock. */
  readonly startedAt: number;
}

/** The search that a token was issued for, and the quote if it is that of one. */
export interface IssuedToken {
  readonly search: Search;
  readonly quoted?: QuotedResult;
}

/** The memory of the emulator, within `limits`: everything but the rules and the deliveries. */
export class State {
  readonly tokens = new BoundedMap<string, IssuedToken>();
  readonly turns = new BoundedMap<string, number>();
  /** The number of look-ups for each mobile number that is refused at first. */
  readonly lookups = new BoundedMap<string, number>();
  readonly requests = new BoundedList<ReceivedRequest>();
  readonly bookings = new BoundedList<EmulatedBooking>();
  #counter = 0;
  /** The number of the last request, beside the counter: a request that is refused changes no other identifier. */
  received = 0;

  next(): number {
    this.#counter += 1;
    return this.#counter;
  }

  openSearch(name: SearchName, now: number): SeededSearch {
    const n = this.next();
    const search: Search = { name, trace_id: ids.trace(n), startedAt: now };
    const token = ids.searchToken(n);
    this.tokens.set(token, { search });
    return { trace_id: search.trace_id, token };
  }

  /** Remembers a quote of a search, and returns it: one with an empty token is issued a token. */
  keepQuote(search: Search, quoted: QuotedResult): QuotedResult {
    const token = quoted.token || ids.quoteToken(this.next());
    this.tokens.set(token, { search, quoted });
    return { ...quoted, token };
  }

  clear(): void {
    for (const part of [this.tokens, this.turns, this.lookups, this.requests, this.bookings]) part.clear();
    this.#counter = 0;
    this.received = 0;
  }
}
