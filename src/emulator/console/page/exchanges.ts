import type { Update } from "../console.ts";
import type { ShownExchange, ShownMessage } from "../exchange.ts";
import { cell, element, find, setChildren, setText, timeCell } from "./dom.ts";

/** The page shows as many as the emulator keeps. */
const maxRows = 100;

const rows = new Map<number, ReturnType<typeof createRow>>();

export function showExchanges({ isFresh, exchanges }: Update): void {
  const added = exchanges.filter(({ id }) => !rows.has(id));
  for (const exchange of exchanges) {
    const row = rows.get(exchange.id) ?? createRow();
    row.show(exchange, isFresh);
    if (!rows.has(exchange.id)) find("exchanges").prepend(row.item);
    rows.set(exchange.id, row);
  }
  for (const [id, { item }] of rows) {
    if (isFresh ? exchanges.some((exchange) => exchange.id === id) : rows.size <= maxRows) continue;
    item.remove();
    rows.delete(id);
  }
  find("no-requests").hidden = rows.size > 0;
  // One sentence for several: a screen reader reads each announcement to its end.
  const latest = added.at(-1);
  if (isFresh || latest === undefined) return;
  const others = added.length > 1 ? `${added.length} new requests, the latest: ` : "New request: ";
  setText("announcement", `${others}${latest.operation ?? latest.path} ${outcomeOf(latest).text}`);
}

/** Creates a row of the list: a line, and the details that it opens. */
function createRow() {
  const line = element("summary", { class: "row" });
  const details = element("div", { class: "details" });
  const disclosure = element("details", {}, line, details);
  let current: ShownExchange | undefined;
  const fill = (isNew: boolean) => {
    if (isNew) details.replaceChildren();
    if (disclosure.open && current !== undefined) showDetails(details, current);
  };
  disclosure.addEventListener("toggle", () => fill(true));
  return {
    item: element("li", {}, disclosure),
    /** @param isFresh - Whether it may be another request, or one with other masks. */
    show(exchange: ShownExchange, isFresh: boolean) {
      current = exchange;
      const { at, method, operation, path, rule, duration } = exchange;
      const { text, kind } = outcomeOf(exchange);
      setChildren(line, [
        ...[timeCell(at), cell(method), cell(operation ?? path, "name")],
        ...(rule === undefined ? [] : [cell(rule, "badge")]),
        ...[cell(text, "status", kind), cell(duration === undefined ? "" : `${duration} ms`, "dim")],
      ]);
      fill(isFresh);
    },
  };
}

function showDetails(details: HTMLElement, { path, request, response }: ShownExchange): void {
  const pieces = details.querySelector(".pieces");
  // A stream that goes on only gets longer: what is selected or scrolled stays as it is.
  if (pieces !== null && typeof response?.body === "object") appendPieces(pieces, response.body);
  else {
    details.replaceChildren(
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
  const parts = fields.length > 0 ? [element("dl", {}, ...fields)] : [];
  if (body === "") return parts;
  // A region that scrolls must be reachable by keyboard.
  if (typeof body === "string") return [...parts, element("pre", { tabindex: "0" }, body)];
  const list = element("ol", { class: "pieces", tabindex: "0", "aria-label": "Pieces of the body" });
  appendPieces(list, body);
  return [...parts, list];
}

function appendPieces(list: Element, pieces: readonly string[]): void {
  const last = list.lastElementChild;
  const latest = pieces[list.childElementCount - 1];
  // The last one may count those that are left out.
  if (last !== null && latest !== undefined) setText(last, latest.trim());
  list.append(...pieces.slice(list.childElementCount).map((piece) => element("li", {}, piece.trim())));
}
