import type { ShownAttempt, ShownDelivery } from "../messages.ts";
import { element, find, setRows, timeOf } from "./dom.ts";

/** Shows the delivery history, newest first, with the verdict on each acknowledgement. */
export function showDeliveries(deliveries: readonly ShownDelivery[]): void {
  setRows(find("delivery-rows", HTMLElement), find("no-deliveries", HTMLElement), deliveries.map(deliveryRow));
}

function deliveryRow({ client_referenceId, status, state, attempts, nextAttemptAt }: ShownDelivery): HTMLElement {
  const kind = state === "delivered" ? "good" : state === "delivering" ? "warning" : "bad";
  const next = nextAttemptAt === undefined ? "" : `next attempt at ${timeOf(nextAttemptAt)}`;
  return element(
    "li",
    {},
    element(
      "div",
      { class: "row" },
      element("span", { class: "name" }, client_referenceId),
      element("span", {}, status),
      element("span", { class: "status", "data-kind": kind }, state),
      element("span", { class: "dim" }, next),
    ),
    element("ol", { class: "details", "aria-label": "Attempts" }, ...attempts.map(attemptRow)),
  );
}

function attemptRow({ at, httpStatus, status, problems, duration }: ShownAttempt): HTMLElement {
  const isGood = problems.length === 0;
  return element(
    "li",
    { class: "row" },
    element("time", { class: "dim", datetime: at }, timeOf(at)),
    element("span", {}, httpStatus === undefined ? "no response" : `HTTP ${httpStatus}`),
    element("span", {}, status ?? ""),
    element(
      "span",
      { class: "status name", "data-kind": isGood ? "good" : "bad" },
      isGood ? "acknowledged" : problems.join("; "),
    ),
    element("span", { class: "dim" }, `${duration} ms`),
  );
}
