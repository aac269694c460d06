import type { ReceivedRequest } from "../service/received-request.ts";
import type { Observation, Watcher } from "../service/watchers.ts";
import { Exchange } from "./exchange.ts";

/** The number of exchanges that the console keeps. */
const maxExchanges = 100;

/** Watches an emulator for the open pages. Each change has a number: a page asks for those after the last it was sent. */
export class Feed implements Watcher {
  #count = 0;
  #exchanges: readonly Exchange[] = [];
  /** The number of the last change of each exchange. */
  readonly #changes = new WeakMap<Exchange, number>();
  #last = 0;
  #lastOfState = 0;
  #cleared = 0;
  readonly #pages = new Set<() => void>();

  /** The number of open pages. */
  get pages(): number {
    return this.#pages.size;
  }

  /** Opens a page, whose function is called at each change. Returns the function that closes it. */
  open(wake: () => void): () => void {
    this.#pages.add(wake);
    return () => void this.#pages.delete(wake);
  }

  /** The number of the last change. */
  get last(): number {
    return this.#last;
  }

  /** Returns what changed after a change, oldest exchange first. Number -1 stands for a page that was sent nothing. */
  since(change: number) {
    return {
      isFresh: change < this.#cleared || change < 0,
      hasNewState: change < this.#lastOfState || change < 0,
      exchanges: this.#exchanges.filter((exchange) => change < (this.#changes.get(exchange) ?? 0)),
    };
  }

  observe(request: ReceivedRequest): Observation {
    this.#count += 1;
    const exchange = new Exchange(this.#count, request);
    this.#exchanges = [...this.#exchanges, exchange].slice(-maxExchanges);
    const onChange = () => this.#changes.set(exchange, this.#next());
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
    this.#lastOfState = this.#next();
  }

  cleared(): void {
    this.#exchanges = [];
    this.#cleared = this.#next();
    this.changed();
  }

  #next(): number {
    this.#last += 1;
    for (const wake of this.#pages) wake();
    return this.#last;
  }
}
