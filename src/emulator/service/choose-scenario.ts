import type { ActiveScenario } from "../state/active-scenario.ts";
import type { Behaviour } from "./behaviour.ts";
import { isOfResponse, type Meeting, type Met, meet } from "./meet.ts";
import { type ResolvedScenario, resolveScenario } from "./scenarios.ts";

/** The scripts and scenarios that a request could meet. */
export interface Candidates extends Pick<Meeting, "behaviour" | "forScript"> {
  /** The scenario that its header names. */
  readonly named: ResolvedScenario | undefined;
  /** Those of `use()` and `script()`: none for a request that is not accepted, which uses nothing up. */
  readonly active: readonly ActiveScenario[];
  /** The scenario of every request, as an option. */
  readonly standing: string | undefined;
}

/** Returns the first of the header, `use()` and `script()`, and the option that fits a request, and counts the request. */
export async function chooseScenario({ named, active, standing, ...meeting }: Candidates): Promise<Met> {
  // A request that names a scenario meets none but its own. The response of a script can suffer it.
  const isOpen = named === undefined || isOfResponse(named);
  const met = await meet(isOpen ? active : [], { ...meeting, scriptsOnly: named !== undefined });
  if (met.scenario !== undefined) return met;
  const ambient = named ?? resolveStanding(standing, meeting.behaviour);
  const fits = met.scripted === undefined || (ambient !== undefined && isOfResponse(ambient));
  return { scripted: met.scripted, scenario: fits ? ambient : undefined };
}

/** Returns the name of what was met, as a log shows it. */
export function nameOf({ scripted, scenario }: Met): string | undefined {
  const names = [...(scripted === undefined ? [] : ["script"]), ...(scenario === undefined ? [] : [scenario.name])];
  return names.length > 0 ? names.join(", ") : undefined;
}

function resolveStanding(name: string | undefined, behaviour: Behaviour): ResolvedScenario | undefined {
  return name === undefined ? undefined : resolveScenario(name, behaviour);
}
