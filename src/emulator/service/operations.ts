import type { AreaName } from "../../options.ts";
import { aiStream, aiWhole } from "../ai/ai.ts";
import { booking } from "../flights/booking/book.ts";
import { quoting, ruling } from "../flights/fares.ts";
import { verification } from "../verification/verification.ts";
import type { Behaviour } from "./behaviour.ts";
import { faults } from "./faults.ts";
import { resolveScenario } from "./scenarios.ts";
import type { Settings } from "./settings.ts";

/** The operation table (§4), each entry with its behaviour. */
export const behaviours: readonly Behaviour[] = [verification, aiWhole, aiStream, quoting, ruling, booking];

/** Returns the operation that a path belongs to, whatever precedes it in the base URL. */
export function findBehaviour(path: string, body: unknown, { pathPrefixes }: Settings): Behaviour | undefined {
  return behaviours.find(({ operation, accepts }) => {
    const prefixes: Readonly<Partial<Record<AreaName, string>>> = pathPrefixes;
    const prefix = prefixes[operation.area];
    return path.endsWith(`/${prefix ? `${prefix}/` : ""}${operation.path}`) && accepts(body);
  });
}

/** Returns true if any operation knows a scenario of that name. */
export function isScenario(name: string): boolean {
  return behaviours.some((behaviour) => resolveScenario(name, behaviour) !== undefined);
}

/** Returns every fault, then every sample. */
export function scenarioNames(): readonly string[] {
  return [...new Set([...Object.keys(faults), ...behaviours.flatMap(({ scenarios }) => scenarios)])];
}
