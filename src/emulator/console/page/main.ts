import type { DeliveryAttempt } from "../../deliveries/types.ts";
import type { Update } from "../console.ts";
import { actionButton, cell, element, find, onClick, setRows, setText, timeCell, timeOf } from "./dom.ts";
import { showExchanges } from "./exchanges.ts";

type State = Update["state"];

/** A rule as JSON has it: without a limit it has no number. */
type ShownRule = Omit<State["active"][number], "remaining"> & { readonly remaining?: number };

const minute = 60_000;
const steps: Readonly<Record<string, number>> = { "+1 min": minute, "+15 min": 15 * minute, "+1 day": 1_440 * minute };

/** The rules that are wanted most, as operation and response. They hold until they are switched off. */
const switches: Readonly<Record<string, readonly [operation: string, response: string]>> = {
  "Latency of 2 s": ["*", "slow:2000"],
  "HTTP 503": ["*", "unavailable"],
  "Cut streams": ["ai.stream", "reset-mid-body"],
  "Lost booking responses": ["flights.book", "reset-after"],
  "Price changes": ["flights.book", "success-price-changed"],
};

let active: readonly ShownRule[] = [];
const switchButtons = Object.entries(switches).map(([label, [operation, response]]) => {
  const findRule = () =>
    active.find((rule) => rule.name === response && rule.operation === operation && rule.remaining === undefined);
  const act = () => {
    const on = findRule();
    return on === undefined ? post("rules", { operation, response }) : post("withdraw", { id: on.id });
  };
  return { findRule, button: actionButton(label, act, { role: "switch", "aria-checked": "false" }) };
});

find("switches").append(...switchButtons.map(({ button }) => button));
find("clock-buttons").append(
  ...Object.entries(steps).map(([label, advance]) => actionButton(label, () => post("clock", { advance }))),
);
find("outcomes").append(
  ...["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"].map((outcome) =>
    actionButton(outcome, () => post("payouts", { outcome })),
  ),
);
onClick(find("reset"), () => post("reset"));

const connection = find("connection");
const personal = find("personal");
onClick(personal, () => connect(personal.getAttribute("aria-checked") !== "true"));
let source: EventSource | undefined;
connect(false);

/** Opens the updates, which begin with all that there is. The browser opens them again after a break. */
function connect(showsPersonalData: boolean): void {
  source?.close();
  source = new EventSource(showsPersonalData ? "/__emulator/events/personal" : "/__emulator/events");
  source.onmessage = ({ data }) => show(JSON.parse(data));
  source.onerror = () => showConnection("Not connected. Trying again …", "bad");
}

/** Sends a POST to a control route of the emulator that serves this page. Throws the reason of a refusal. */
async function post(route: string, input: object = {}): Promise<void> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(input) };
  const response = await fetch(`/__emulator/${route}`, init).catch(() => {
    throw new Error("The emulator cannot be reached. Is it still running?");
  });
  if (!response.ok) throw new Error(String(Object(await response.json()).error ?? `HTTP ${response.status}`));
}

function show(update: Update): void {
  showConnection("Connected", "good");
  personal.hidden = !update.canShowPersonalData;
  personal.setAttribute("aria-checked", `${update.showsPersonalData}`);
  find("now").setAttribute("datetime", update.now);
  setText("now", `${update.now.slice(0, 10)} ${update.now.slice(11, 19)} UTC`);
  showExchanges(update);
  showState(update.state);
}

/** Shows the state of the connection. Once it is back, a problem that the break caused is removed. */
function showConnection(text: string, kind: "good" | "bad"): void {
  if (kind === "good" && connection.dataset.kind === "bad") setText("problem", "");
  setText(connection, text);
  connection.dataset.kind = kind;
}

function showState({ active: rules, deliveries, bookings, counts }: State): void {
  active = rules;
  for (const { findRule, button } of switchButtons) button.setAttribute("aria-checked", `${findRule() !== undefined}`);
  setRows("active", "none-active", active.map(activeRow));
  setRows("delivery-rows", "no-deliveries", deliveries.map(deliveryRow));
  setRows("booking-rows", "no-bookings", bookings.map(bookingRow));
  for (const [name, count] of Object.entries(counts)) setText(`${name}-count`, count > 0 ? `(${count})` : "");
}

function activeRow({ id, name = "body", operation, remaining }: ShownRule): HTMLElement {
  const label = `${operation}: ${name}${remaining === undefined ? "" : `, ${remaining} more`}`;
  const off = actionButton("Turn off", () => post("withdraw", { id }), { "aria-label": `Turn off ${label}` });
  return element("li", { class: "row", "data-key": `${id}` }, cell(label, "name"), off);
}

function bookingRow({ client_referenceId, pnr, booking_id }: State["bookings"][number]): HTMLElement {
  const cells = [cell(client_referenceId, "name"), cell(`PNR ${pnr}`), cell(`booking ${booking_id}`, "dim")];
  return element("li", { class: "row" }, ...cells);
}

function deliveryRow(delivery: State["deliveries"][number]): HTMLElement {
  const { client_referenceId, status, state, attempts, nextAttemptAt } = delivery;
  const kind = state === "delivered" ? "good" : state === "delivering" ? "warning" : "bad";
  const next = nextAttemptAt === undefined ? "" : `next attempt at ${timeOf(nextAttemptAt)}`;
  const cells = [cell(client_referenceId, "name"), cell(status), cell(state, "status", kind), cell(next, "dim")];
  const list = element("ol", { class: "details", "aria-label": "Attempts" }, ...attempts.map(attemptRow));
  return element("li", {}, element("div", { class: "row" }, ...cells), list);
}

function attemptRow({ at, httpStatus, status, problems, duration }: DeliveryAttempt): HTMLElement {
  const http = httpStatus === undefined ? "no response" : `HTTP ${httpStatus}`;
  const kind = problems.length === 0 ? "good" : "bad";
  const verdict = cell(problems.join("; ") || "acknowledged", "status name", kind);
  const cells = [timeCell(at), cell(http), cell(status ?? ""), verdict, cell(`${duration} ms`, "dim")];
  return element("li", { class: "row" }, ...cells);
}
