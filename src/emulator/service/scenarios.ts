import { own } from "../names.ts";
import type { PendingScenario } from "../state/state.ts";
import type { Behaviour } from "./behaviour.ts";
import { type Fault, faults } from "./faults.ts";

/** The meaning of a scenario's name for one operation. */
export interface ResolvedScenario {
  readonly fault?: Fault | undefined;
  readonly sample?: string | undefined;
  readonly amount?: number | undefined;
  /** The name, if the operation does not know it. */
  readonly unknown?: string | undefined;
}

/** Returns the scenario of the header, else the first of `use()` that fits, else that of the option. */
export function chooseScenario(
  behaviour: Behaviour,
  headers: Headers,
  pending: readonly PendingScenario[],
  standing: string | undefined,
): ResolvedScenario {
  const header = headers.get("x-emulator-scenario");
  if (header !== null) return resolveScenario(header, behaviour) ?? { unknown: header };
  const next = pending.find((scenario) => isFor(scenario, behaviour));
  if (next !== undefined) {
    next.remaining -= 1;
    return resolveScenario(next.name, behaviour) ?? {};
  }
  return (standing === undefined ? undefined : resolveScenario(standing, behaviour)) ?? {};
}

function isFor({ name, operation, remaining }: PendingScenario, behaviour: Behaviour): boolean {
  if (remaining <= 0 || (operation !== undefined && operation !== behaviour.operation.name)) return false;
  return resolveScenario(name, behaviour) !== undefined;
}

/** Returns a fault, which every operation knows, or a sample that this one knows. */
export function resolveScenario(text: string, { scenarios }: Behaviour): ResolvedScenario | undefined {
  if (scenarios.includes(text)) return { sample: text };
  const [, name = "", amount] = /^([a-z0-9-]+)(?::(\d{1,9}))?$/.exec(text) ?? [];
  const fault = own(faults, name);
  return fault && { fault, amount: amount === undefined ? undefined : Number(amount) };
}
