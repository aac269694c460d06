import type { ShownRule } from "../messages.ts";
import { post } from "./control.ts";
import { actionButton, element, find, setRows } from "./dom.ts";

interface Switch {
  readonly label: string;
  readonly operation: string;
  readonly response: string;
}

/** The rules that are wanted most. They hold until they are switched off. */
const switches: readonly Switch[] = [
  { label: "Latency of 2 s", operation: "*", response: "slow:2000" },
  { label: "HTTP 503", operation: "*", response: "unavailable" },
  { label: "Cut streams", operation: "ai.stream", response: "reset-mid-body" },
  { label: "Lost booking responses", operation: "flights.book", response: "reset-after" },
  { label: "Price changes", operation: "flights.book", response: "success-price-changed" },
];

const buttons = new Map<Switch, HTMLButtonElement>();
let active: readonly ShownRule[] = [];

/** Adds the switches. */
export function setUpRules(): void {
  for (const each of switches) {
    const { label, operation, response } = each;
    const act = () => {
      const on = active.find((rule) => fits(rule, each));
      return on === undefined ? post("rules", { operation, response }) : withdraw(on);
    };
    buttons.set(each, actionButton(label, act, { role: "switch", "aria-checked": "false" }));
  }
  find("switches", HTMLElement).append(...buttons.values());
}

function withdraw({ id }: ShownRule): Promise<unknown> {
  return post("withdraw", { id });
}

/** Shows the active rules. */
export function showActive(rules: readonly ShownRule[]): void {
  active = rules;
  for (const [each, button] of buttons) button.setAttribute("aria-checked", `${active.some((one) => fits(one, each))}`);
  setRows(find("active", HTMLElement), find("none-active", HTMLElement), active.map(activeRow));
}

function fits({ name, operation, remaining }: ShownRule, each: Switch): boolean {
  return name === each.response && operation === each.operation && remaining === undefined;
}

function activeRow(rule: ShownRule): HTMLElement {
  const { id, name = "body", operation, remaining } = rule;
  const label = `${operation}: ${name}${remaining === undefined ? "" : `, ${remaining} more`}`;
  return element(
    "li",
    { "data-key": `${id}` },
    element("span", {}, label),
    actionButton("Turn off", () => withdraw(rule), { "aria-label": `Turn off ${label}` }),
  );
}
