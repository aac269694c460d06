import type { ShownScenario, ShownState } from "../messages.ts";
import { get, post } from "./control.ts";
import { actionButton, element, find, onAction, setChildren, setRows } from "./dom.ts";

interface Switch {
  readonly label: string;
  readonly name: string;
  readonly operation?: string;
}

/** The faults that are wanted most. They hold until they are switched off. */
const switches: readonly Switch[] = [
  { label: "Latency of 2 s", name: "slow:2000" },
  { label: "HTTP 503", name: "unavailable" },
  { label: "Cut streams", name: "reset-mid-body", operation: "ai.stream" },
  { label: "Lost booking responses", name: "reset-after", operation: "flights.book" },
  { label: "Price changes", name: "success-price-changed", operation: "flights.book" },
];

const buttons = new Map<Switch, HTMLButtonElement>();
/** The active scenarios and scripts. */
let active: readonly ShownScenario[] = [];

/** Adds the switches and the form. */
export function setUpScenarios(): void {
  for (const each of switches) {
    const { label, name, operation } = each;
    const act = () => {
      const on = active.find((one) => fits(one, each));
      return on === undefined ? post("scenarios", { name, operation }) : withdraw(on);
    };
    buttons.set(each, actionButton(label, act, { role: "switch", "aria-checked": "false" }));
  }
  find("switches", HTMLElement).append(...buttons.values());
  const operation = find("operation", HTMLSelectElement);
  const times = find("times", HTMLInputElement);
  onAction(find("use", HTMLFormElement), "submit", () =>
    post("scenarios", {
      name: find("scenario", HTMLSelectElement).value,
      operation: operation.value === "" ? undefined : operation.value,
      times: times.value === "" ? undefined : times.valueAsNumber,
    }),
  );
}

function withdraw({ id }: ShownScenario): Promise<unknown> {
  return post("withdraw", { id });
}

/** Fills the form with the names that the emulator knows. */
export async function loadScenarios(): Promise<void> {
  const { faults, samples } = (await get("scenarios")) as { faults: string[]; samples: Record<string, string[]> };
  const groups = Object.entries({ "Any operation": faults, ...samples }).filter(([, names]) => names.length > 0);
  setChildren(
    find("scenario", HTMLSelectElement),
    groups.map(([label, names]) =>
      element("optgroup", { label }, ...names.map((name) => element("option", { value: name }, name))),
    ),
  );
  const operations = Object.keys(samples).map((name) => element("option", { value: name }, name));
  setChildren(find("operation", HTMLSelectElement), [element("option", { value: "" }, "all"), ...operations]);
}

/** Shows the active scenarios and scripts. */
export function showActive(state: ShownState): void {
  const { everyRequest } = state;
  active = state.active;
  for (const [each, button] of buttons) button.setAttribute("aria-checked", `${active.some((one) => fits(one, each))}`);
  const standing =
    everyRequest === undefined ? [] : [element("li", {}, element("span", {}, `${everyRequest}, an option`))];
  const rows = [...standing, ...active.map(activeRow)];
  setRows(find("active", HTMLElement), find("none-active", HTMLElement), rows);
}

function fits({ scenario, operation, remaining }: ShownScenario, each: Switch): boolean {
  return scenario === each.name && operation === each.operation && remaining === undefined;
}

function activeRow(each: ShownScenario): HTMLElement {
  const { id, scenario = "script", operation, remaining } = each;
  const label = `${scenario}${operation === undefined ? "" : ` for ${operation}`}${
    remaining === undefined ? "" : `, ${remaining} more`
  }`;
  return element(
    "li",
    { "data-key": `${id}` },
    element("span", {}, label),
    actionButton("Turn off", () => withdraw(each), { "aria-label": `Turn off ${label}` }),
  );
}
