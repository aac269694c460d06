import type { QuotedResult, SearchName } from "./catalogue/quotes.ts";
import { ids } from "./ids.ts";
import type { EmulatedBooking, ReceivedRequest, ScenarioOptions, SeededSearch } from "./types.ts";

/** A flight search that was answered. */
export interface Search {
  readonly name: SearchName;
  readonly trace_id: string;
  /** On the emulator's clock. */
  readonly startedAt: number;
}

/** What stands behind a token. */
export type IssuedToken =
  | { readonly kind: "search"; readonly search: Search }
  | { readonly kind: "quote"; readonly search: Search; readonly quoted: QuotedResult };

/** A scenario that waits for its requests. */
export interface PendingScenario extends Pick<ScenarioOptions, "operation"> {
  readonly name: string;
  /** For how many requests more. */
  left: number;
}

const mostRequests = 10_000;
/** Of their text, in UTF-16 units. */
const mostRequestText = 32 * 1024 * 1024;

/** Everything that the emulator remembers. */
export class State {
  readonly requests: ReceivedRequest[] = [];
  readonly bookings: EmulatedBooking[] = [];
  readonly searches = new Map<string, Search>();
  readonly tokens = new Map<string, IssuedToken>();
  /** Context tokens of the AI operation, each with the number of its turn. */
  readonly turns = new Map<string, number>();
  /** How often a mobile number was asked for that is refused at first. */
  readonly refused = new Map<string, number>();
  scenarios: PendingScenario[] = [];
  #counter = 0;
  #sizes: number[] = [];
  #size = 0;

  /**
   * Remembers a request; an emulator that runs for weeks forgets the oldest.
   *
   * @param bodyLength - The length of the body's text.
   */
  receive(request: ReceivedRequest, bodyLength: number): void {
    const size = bodyLength + request.path.length + JSON.stringify(request.headers).length;
    this.requests.push(request);
    this.#sizes.push(size);
    this.#size += size;
    while (this.requests.length > mostRequests || (this.#size > mostRequestText && this.requests.length > 1)) {
      this.requests.shift();
      this.#size -= this.#sizes.shift() ?? 0;
    }
  }

  /** The next number; identifiers are made from it. */
  next(): number {
    this.#counter += 1;
    return this.#counter;
  }

  openSearch(name: SearchName, now: number): SeededSearch {
    const n = this.next();
    const search: Search = { name, trace_id: ids.trace(n), startedAt: now };
    const token = ids.searchToken(n);
    this.searches.set(search.trace_id, search);
    this.tokens.set(token, { kind: "search", search });
    return { trace_id: search.trace_id, token };
  }

  issueQuote(search: Search, quoted: QuotedResult): string {
    const token = ids.quoteToken(this.next());
    this.tokens.set(token, { kind: "quote", search, quoted });
    return token;
  }

  clear(): void {
    this.requests.length = 0;
    this.#sizes = [];
    this.#size = 0;
    this.bookings.length = 0;
    for (const table of [this.searches, this.tokens, this.turns, this.refused]) table.clear();
    this.scenarios = [];
    this.#counter = 0;
  }
}
