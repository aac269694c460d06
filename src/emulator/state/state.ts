import { BoundedList, BoundedMap } from "./bounded.ts";
import type { QuotedResult, SearchName } from "../catalogue/quotes.ts";
import { ids } from "./ids.ts";
import { limits } from "./limits.ts";
import type { EmulatedBooking, ReceivedRequest, ScenarioOptions, SeededSearch } from "../types.ts";

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

/** Everything that the emulator remembers, within `limits`, but for deliveries. */
export class State {
  readonly tokens = new BoundedMap<string, IssuedToken>();
  /** Context tokens of the AI operation, each with the number of its turn. */
  readonly turns = new BoundedMap<string, number>();
  /** How often a mobile number was asked for that is refused at first. */
  readonly refused = new BoundedMap<string, number>();
  readonly #requests = new BoundedList<ReceivedRequest>();
  readonly #bookings = new BoundedList<EmulatedBooking>();
  #scenarios: readonly PendingScenario[] = [];
  #counter = 0;

  get requests(): readonly ReceivedRequest[] {
    return this.#requests.entries;
  }

  get bookings(): readonly EmulatedBooking[] {
    return this.#bookings.entries;
  }

  /** Those of `use()`, the oldest first. */
  get scenarios(): readonly PendingScenario[] {
    return this.#scenarios;
  }

  /** @param bodyLength - The length of the body's text. */
  receive(request: ReceivedRequest, bodyLength: number): void {
    this.#requests.add(request, bodyLength + request.path.length + JSON.stringify(request.headers).length);
  }

  book(booking: EmulatedBooking): void {
    this.#bookings.add(booking, JSON.stringify(booking).length);
  }

  use(scenario: PendingScenario): void {
    // Those that are used up go first.
    this.#scenarios = [...this.#scenarios.filter(({ left }) => left > 0), scenario].slice(-limits.entries);
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
    this.tokens.set(token, { kind: "search", search });
    return { trace_id: search.trace_id, token };
  }

  issueQuote(search: Search, quoted: QuotedResult): string {
    const token = ids.quoteToken(this.next());
    this.tokens.set(token, { kind: "quote", search, quoted });
    return token;
  }

  clear(): void {
    for (const part of [this.tokens, this.turns, this.refused, this.#requests, this.#bookings]) part.clear();
    this.#scenarios = [];
    this.#counter = 0;
  }
}
