import { post } from "./control.ts";
import { actionButton, element, find, onAction } from "./dom.ts";

const outcomes = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"];
const plans: Readonly<Record<string, string>> = {
  standard: "standard",
  race: "race: two at once",
  conflict: "conflict: FAILED later",
  twice: "twice: redelivered later",
};

/** Adds a button for each outcome of a payout. */
export function setUpPayouts(): void {
  const options = Object.entries(plans).map(([value, label]) => element("option", { value }, label));
  find("plan", HTMLSelectElement).append(...options);
  find("outcomes", HTMLElement).append(...outcomes.map((outcome) => actionButton(outcome, () => pay(outcome))));
  onAction(find("payout", HTMLFormElement), "submit", () => pay("SUCCESS"));
}

async function pay(outcome: string): Promise<void> {
  const amount = find("amount", HTMLInputElement);
  const reference = find("reference", HTMLInputElement).value;
  await post("payouts", {
    outcome,
    amount: amount.value === "" ? undefined : amount.valueAsNumber,
    client_referenceId: reference === "" ? undefined : reference,
    plan: find("plan", HTMLSelectElement).value,
  });
}
