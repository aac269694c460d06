import type { EmulatedResponse } from "../http/messages.ts";
import { runScript, type ScriptedCall } from "../scripts/run.ts";
import type { ActiveScenario, GivenScript } from "../state/active-scenario.ts";
import type { Behaviour } from "./behaviour.ts";
import { type ResolvedScenario, resolveScenario } from "./scenarios.ts";

/** The response of the script and the scenario that a request meets, if any: both, if the scenario is a fault that any response can have. */
export interface Met {
  readonly scripted?: EmulatedResponse | undefined;
  readonly scenario?: ResolvedScenario | undefined;
}

/** A request that may meet a script or a scenario. */
export interface Meeting {
  readonly behaviour: Behaviour;
  /** Whether it meets scripts only, because it names its own scenario. */
  readonly scriptsOnly: boolean;
  /** Prepares it for a script. Undefined if the service refuses its body: then it meets none. */
  readonly forScript: () => Promise<ScriptedCall | undefined>;
}

/** Returns the first script or scenario that fits a request, and counts the request. */
export async function meet(
  active: readonly ActiveScenario[],
  { behaviour, scriptsOnly, forScript }: Meeting,
): Promise<Met> {
  let fault: ResolvedScenario | undefined;
  for (const each of inOrder(active)) {
    const { given } = each;
    if (given.operation !== undefined && given.operation !== behaviour.operation.name) continue;
    if (given.scenario !== undefined) {
      const scenario = scriptsOnly || fault !== undefined ? undefined : resolveScenario(given.scenario, behaviour);
      // Another request may have met it in the meantime.
      if (scenario === undefined || !each.isActive) continue;
      each.take();
      each.settle(true);
      if (!isOfResponse(scenario)) return { scenario };
      fault = scenario;
      continue;
    }
    const call = await forScript();
    if (call === undefined || !each.isActive) continue;
    const scripted = await runCounted(each, given, call);
    if (scripted !== undefined) return { scripted, scenario: fault };
  }
  return { scenario: fault };
}

/** Returns whether a scenario is a fault that any response can have, a scripted one too. */
export function isOfResponse({ fault }: ResolvedScenario): boolean {
  return fault !== undefined && "after" in fault;
}

/** Returns the oldest with a limit first, then the latest without one. */
function inOrder(active: readonly ActiveScenario[]): readonly ActiveScenario[] {
  const isLimited = ({ remaining }: ActiveScenario) => remaining !== Number.POSITIVE_INFINITY;
  return [...active.filter(isLimited), ...active.filter((each) => !isLimited(each)).reverse()];
}

/** Runs a script. A request that it leaves to others does not count; one that it fails does. */
async function runCounted(
  active: ActiveScenario,
  script: GivenScript,
  call: ScriptedCall,
): Promise<EmulatedResponse | undefined> {
  let isMet = true;
  active.take();
  try {
    const response = await runScript(script, call);
    isMet = response !== undefined;
    return response;
  } finally {
    active.settle(isMet);
  }
}
