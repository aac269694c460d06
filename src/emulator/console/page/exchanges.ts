import type { ShownExchange, Update } from "../messages.ts";
import { find, setText } from "./dom.ts";
import { ExchangeRow, outcomeOf } from "./exchange-row.ts";

/** The page shows as many as the emulator keeps. */
const maxRows = 100;

/** The list of requests, newest first. */
export class Exchanges {
  readonly #list = find("exchanges", HTMLOListElement);
  readonly #announcement = find("announcement", HTMLElement);
  readonly #rows = new Map<number, ExchangeRow>();

  show({ isFresh, exchanges }: Update): void {
    const open = new Set([...this.#rows.values()].filter((row) => row.isOpen).map(({ id }) => id));
    const focused = [...this.#rows.values()].find((row) => row.hasFocus)?.id;
    if (isFresh) this.#clear();
    const added = exchanges.filter((exchange) => this.#put(exchange));
    if (isFresh) for (const id of open) this.#rows.get(id)?.open();
    if (isFresh && focused !== undefined) this.#rows.get(focused)?.focus();
    find("no-requests", HTMLElement).hidden = this.#rows.size > 0;
    if (!isFresh) this.#announce(added);
  }

  #clear(): void {
    this.#rows.clear();
    this.#list.replaceChildren();
  }

  /** Returns whether the exchange is new. */
  #put(exchange: ShownExchange): boolean {
    const known = this.#rows.get(exchange.id);
    if (known !== undefined) {
      known.show(exchange);
      return false;
    }
    const row = new ExchangeRow(exchange);
    this.#rows.set(exchange.id, row);
    this.#list.prepend(row.element);
    for (const [id, oldest] of this.#rows) {
      if (this.#rows.size <= maxRows) break;
      oldest.element.remove();
      this.#rows.delete(id);
    }
    return true;
  }

  /** Tells a screen reader of new requests, of several in one sentence. */
  #announce(added: readonly ShownExchange[]): void {
    const latest = added.at(-1);
    if (latest === undefined) return;
    const { operation, path } = latest;
    const others = added.length > 1 ? `${added.length} new requests, the latest: ` : "New request: ";
    setText(this.#announcement, `${others}${operation ?? path} ${outcomeOf(latest).text}`);
  }
}
