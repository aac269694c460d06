import type { Behaviour } from "./behaviour.ts";
import { type Fault, faults } from "./faults.ts";
import { own } from "../objects.ts";
import type { PendingScenario } from "../state/state.ts";

/** What a scenario's name stands for. */
export interface Asked {
  readonly fault?: Fault | undefined;
  readonly sample?: string | undefined;
  readonly amount?: number | undefined;
  readonly unknown?: string | undefined;
}

/** The header, else what `use()` asked for, else the option. */
export function chooseScenario(
  behaviour: Behaviour,
  headers: Headers,
  waiting: readonly PendingScenario[],
  standing: string | undefined,
): Asked {
  const header = headers.get("x-emulator-scenario");
  if (header !== null) return resolveScenario(header, behaviour) ?? { unknown: header };
  const pending = waiting.find((scenario) => isFor(scenario, behaviour));
  if (pending !== undefined) {
    pending.left -= 1;
    return resolveScenario(pending.name, behaviour) ?? {};
  }
  return (standing === undefined ? undefined : resolveScenario(standing, behaviour)) ?? {};
}

function isFor({ name, operation, left }: PendingScenario, behaviour: Behaviour): boolean {
  if (left <= 0 || (operation !== undefined && operation !== behaviour.operation.name)) return false;
  return resolveScenario(name, behaviour) !== undefined;
}

/** A fault that every operation knows, or a sample that this one knows. */
export function resolveScenario(text: string, { scenarios }: Behaviour): Asked | undefined {
  if (scenarios.includes(text)) return { sample: text };
  const [, name = "", amount] = /^([a-z0-9-]+)(?::(\d{1,9}))?$/.exec(text) ?? [];
  const fault = own(faults, name);
  return fault && { fault, amount: amount === undefined ? undefined : Number(amount) };
}
