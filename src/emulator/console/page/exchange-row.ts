import type { ShownExchange, ShownMessage } from "../messages.ts";
import { element, setText, timeOf } from "./dom.ts";

/** A request in the list: a button, and the details that it opens. */
export class ExchangeRow {
  readonly element: HTMLLIElement;
  readonly id: number;
  readonly #button: HTMLButtonElement;
  readonly #details: HTMLElement;
  readonly #rule = element("span", { class: "badge" });
  readonly #status = element("span", { class: "status" });
  readonly #duration = element("span", { class: "dim" });
  #exchange: ShownExchange;

  constructor(exchange: ShownExchange) {
    const { id, method, operation, path, at } = exchange;
    this.id = id;
    this.#exchange = exchange;
    this.#button = element(
      "button",
      { type: "button", class: "row", "aria-expanded": "false", "aria-controls": `exchange-${id}` },
      element("time", { class: "dim", datetime: at }, timeOf(at)),
      element("span", {}, method),
      element("span", { class: "name" }, operation ?? path),
      this.#rule,
      this.#status,
      this.#duration,
    );
    this.#button.addEventListener("click", () => this.#toggle());
    this.#details = element("div", { class: "details", id: `exchange-${id}` });
    this.#details.hidden = true;
    this.element = element("li", {}, this.#button, this.#details);
    this.show(exchange);
  }

  get isOpen(): boolean {
    return !this.#details.hidden;
  }

  get hasFocus(): boolean {
    return document.activeElement === this.#button;
  }

  focus(): void {
    this.#button.focus();
  }

  open(): void {
    if (!this.isOpen) this.#toggle();
  }

  show(exchange: ShownExchange): void {
    this.#exchange = exchange;
    const { rule, duration } = exchange;
    const { text, kind } = outcomeOf(exchange);
    setText(this.#rule, rule ?? "");
    this.#rule.hidden = rule === undefined;
    setText(this.#status, text);
    this.#status.dataset.kind = kind;
    setText(this.#duration, duration === undefined ? "" : `${duration} ms`);
    if (this.isOpen) this.#showDetails();
  }

  #toggle(): void {
    const isOpen = !this.isOpen;
    this.#details.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", `${isOpen}`);
    if (isOpen) this.#showDetails();
    else this.#details.replaceChildren();
  }

  #showDetails(): void {
    const { path, request, response } = this.#exchange;
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
export function outcomeOf({ status, end, verdict }: ShownExchange): { readonly text: string; readonly kind: string } {
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
  const rows = headers.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return [...(rows.length > 0 ? [element("dl", {}, ...rows)] : []), ...bodyPart(body)];
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
