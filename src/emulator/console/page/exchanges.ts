import type { Update } from "../console.ts";
import type { ShownExchange, ShownMessage } from "../exchange.ts";
import { cell, element, find, setChildren, setText, timeCell } from "./dom.ts";

/** The page shows as many as the emulator keeps. */
const maxRows = 100;

/** The rows of the requests by their ids, oldest first. */
const rows = new Map<number, ExchangeRow>();

export function showExchanges({ isFresh, exchanges }: Update): void {
  const added = exchanges.filter(({ id }) => !rows.has(id));
  for (const exchange of exchanges) rowOf(exchange.id).show(exchange, isFresh);
  const current = new Set(exchanges.map(({ id }) => id));
  for (const [id, { element }] of rows) {
    if (isFresh ? current.has(id) : rows.size <= maxRows) continue;
    element.remove();
    rows.delete(id);
  }
  find("no-requests").hidden = rows.size > 0;
  if (!isFresh) announce(added);
}

function rowOf(id: number): ExchangeRow {
  const known = rows.get(id);
  if (known !== undefined) return known;
  const row = new ExchangeRow(id);
  rows.set(id, row);
  find("exchanges").prepend(row.element);
  return row;
}

/** Tells a screen reader of new requests, of several in one sentence. */
function announce(added: readonly ShownExchange[]): void {
  const latest = added.at(-1);
  if (latest === undefined) return;
  const others = added.length > 1 ? `${added.length} new requests, the latest: ` : "New request: ";
  setText("announcement", `${others}${latest.operation ?? latest.path} ${outcomeOf(latest).text}`);
}

/** A request in the list: a button, and the details that it opens. */
class ExchangeRow {
  readonly element: HTMLLIElement;
  readonly #button: HTMLButtonElement;
  readonly #details: HTMLElement;
  #exchange: ShownExchange | undefined;

  constructor(id: number) {
    const details = `exchange-${id}`;
    this.#button = element("button", {
      ...{ type: "button", class: "row", "aria-expanded": "false", "aria-controls": details },
    });
    this.#button.addEventListener("click", () => this.#toggle());
    this.#details = element("div", { class: "details", id: details });
    this.#details.hidden = true;
    this.element = element("li", {}, this.#button, this.#details);
  }

  /** @param isFresh - Whether it may be another request, or one with other masks. */
  show(exchange: ShownExchange, isFresh: boolean): void {
    this.#exchange = exchange;
    const { at, method, operation, path, rule, duration } = exchange;
    const { text, kind } = outcomeOf(exchange);
    setChildren(this.#button, [
      ...[timeCell(at), cell(method), cell(operation ?? path, "name")],
      ...(rule === undefined ? [] : [cell(rule, "badge")]),
      ...[cell(text, "status", kind), cell(duration === undefined ? "" : `${duration} ms`, "dim")],
    ]);
    if (isFresh) this.#details.replaceChildren();
    if (!this.#details.hidden) this.#showDetails(exchange);
  }

  #toggle(): void {
    const isOpen = this.#details.hidden;
    this.#details.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", `${isOpen}`);
    this.#details.replaceChildren();
    if (isOpen && this.#exchange !== undefined) this.#showDetails(this.#exchange);
  }

  #showDetails({ path, request, response }: ShownExchange): void {
    const pieces = this.#details.querySelector(".pieces");
    const body = response?.body;
    // A stream that goes on only gets longer: what is selected or scrolled stays as it is.
    if (pieces !== null && typeof body === "object") {
      appendPieces(pieces, body);
      return;
    }
    this.#details.replaceChildren(
      element("h3", {}, "Request"),
      element("p", {}, element("code", {}, path)),
      ...messageParts(request),
      ...(response === undefined ? [] : [element("h3", {}, "Response"), ...messageParts(response)]),
    );
  }
}

/** Returns how an exchange ended, or the status of a response that has not ended. */
function outcomeOf({ status, end, verdict }: ShownExchange): { readonly text: string; readonly kind: string } {
  const isGood = status !== undefined && status < 400 && verdict === undefined;
  const kind = isGood ? "good" : status !== undefined && status < 500 ? "warning" : "bad";
  if (end === "dropped") return { text: status === undefined ? "dropped" : `${status}, cut`, kind: "bad" };
  if (end === "left") return { text: status === undefined ? "caller left" : `${status}, caller left`, kind: "warning" };
  if (status === undefined) return { text: "waiting", kind: "warning" };
  if (end === "open") return { text: `${status}, sending`, kind };
  // An HTTP status of 400 or more already says so.
  return { text: verdict !== undefined && status < 400 ? `${status}, ${verdict}` : `${status}`, kind };
}

function messageParts({ headers, body }: ShownMessage): readonly HTMLElement[] {
  const fields = headers.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return [...(fields.length > 0 ? [element("dl", {}, ...fields)] : []), ...bodyPart(body)];
}

function bodyPart(body: ShownMessage["body"]): readonly HTMLElement[] {
  // A region that scrolls must be reachable by keyboard.
  if (typeof body === "string") return body === "" ? [] : [element("pre", { tabindex: "0" }, body)];
  const list = element("ol", { class: "pieces", tabindex: "0", "aria-label": "Pieces of the body" });
  appendPieces(list, body);
  return [list];
}

function appendPieces(list: Element, pieces: readonly string[]): void {
  const last = list.lastElementChild;
  const latest = pieces[list.childElementCount - 1];
  // The last one may count those that are left out.
  if (last !== null && latest !== undefined) setText(last, latest.trim());
  list.append(...pieces.slice(list.childElementCount).map((piece) => element("li", {}, piece.trim())));
}
