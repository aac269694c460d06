import { post } from "./control.ts";
import { actionButton, find } from "./dom.ts";

const outcomes = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"];

/** Adds a button for each outcome of a payout. */
export function setUpPayouts(): void {
  const buttons = outcomes.map((outcome) => actionButton(outcome, () => post("payouts", { outcome })));
  find("outcomes", HTMLElement).append(...buttons);
}
