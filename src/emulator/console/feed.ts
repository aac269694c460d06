import type { ReceivedRequest } from "../service/received-request.ts";
import type { Observation, Watcher } from "../service/watchers.ts";
import { Exchange } from "./exchange.ts";

/** The number of exchanges that the console keeps. */
const maxExchanges = 100;

/** What one open page has not been sent yet. */
export interface Unread {
  /** Whether everything that it shows is outdated. */
  isFresh: boolean;
  hasNewState: boolean;
  readonly exchanges: Set<Exchange>;
  /** Called when there is something to send. */
  wake: () => void;
}

/** Watches an emulator for the open pages. For each page it keeps only which exchanges have changed. */
export class Feed implements Watcher {
  readonly #pages = new Set<Unread>();
  #exchanges: readonly Exchange[] = [];
  #count = 0;

  /** Returns what a page that opens now has not been sent: everything. */
  open(): Unread {
    const unread = { isFresh: true, hasNewState: true, exchanges: new Set(this.#exchanges), wake: () => {} };
    this.#pages.add(unread);
    return unread;
  }

  /** Forgets a page. */
  close(unread: Unread): void {
    this.#pages.delete(unread);
  }

  /** The number of open pages. */
  get pages(): number {
    return this.#pages.size;
  }

  observe(request: ReceivedRequest): Observation {
    this.#count += 1;
    const exchange = new Exchange(this.#count, request);
    const all = [...this.#exchanges, exchange];
    this.#exchanges = all.slice(-maxExchanges);
    for (const { exchanges } of this.#pages) for (const old of all.slice(0, -maxExchanges)) exchanges.delete(old);
    const onChange = () => this.#exchangeChanged(exchange);
    onChange();
    return {
      meets: (name) => exchange.meets(name),
      isSent: (response) => {
        const sent = exchange.isSent(response, onChange);
        onChange();
        return sent;
      },
      isDropped: (byCaller) => {
        exchange.isDropped(byCaller);
        onChange();
      },
    };
  }

  changed(): void {
    for (const unread of this.#pages) {
      unread.hasNewState = true;
      unread.wake();
    }
  }

  cleared(): void {
    this.#exchanges = [];
    for (const unread of this.#pages) {
      unread.isFresh = true;
      unread.exchanges.clear();
    }
    this.changed();
  }

  /** A stream may outlast its place in the list. */
  #exchangeChanged(exchange: Exchange): void {
    if (!this.#exchanges.includes(exchange)) return;
    for (const unread of this.#pages) {
      unread.exchanges.add(exchange);
      unread.wake();
    }
  }
}
