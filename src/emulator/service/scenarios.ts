import { own } from "../names.ts";
import type { Behaviour } from "./behaviour.ts";
import { type Fault, faults } from "./faults.ts";

/** The meaning of a scenario's name for one operation. */
export interface ResolvedScenario {
  /** The name as it was passed, such as `slow:500`. */
  readonly name: string;
  readonly fault?: Fault | undefined;
  readonly sample?: string | undefined;
  readonly amount?: number | undefined;
}

/** Returns a fault, which every operation knows, or a sample that this one knows. */
export function resolveScenario(text: string, { scenarios }: Behaviour): ResolvedScenario | undefined {
  if (scenarios.includes(text)) return { name: text, sample: text };
  const [, name = "", amount] = /^([a-z0-9-]+)(?::(\d{1,9}))?$/.exec(text) ?? [];
  const fault = own<Fault>(faults, name);
  return fault && { name: text, fault, amount: amount === undefined ? undefined : Number(amount) };
}
