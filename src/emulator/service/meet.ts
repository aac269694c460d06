import type { EmulatedResponse } from "../http/messages.ts";
import { runScript, type ScriptedCall } from "../scripts/run.ts";
import { inOrder, type Pending, take } from "../state/pending.ts";
import type { Behaviour } from "./behaviour.ts";
import { type ResolvedScenario, resolveScenario } from "./scenarios.ts";

/** The response of the script, or the scenario, that a request meets; or neither. */
export interface Met {
  readonly scripted?: EmulatedResponse | undefined;
  readonly scenario?: ResolvedScenario | undefined;
}

/**
 * Returns the first script or scenario that fits, and counts the request.
 *
 * @param scripted - Prepares the request for a script. Undefined if the service refuses its body: it meets no script.
 * @param isScenarioKnown - The request names its own scenario, and meets only scripts.
 */
export async function meet(
  pending: readonly Pending[],
  behaviour: Behaviour,
  scripted: () => Promise<ScriptedCall | undefined>,
  isScenarioKnown: boolean,
): Promise<Met> {
  for (const each of inOrder(pending)) {
    if (each.operation !== undefined && each.operation !== behaviour.operation.name) continue;
    if (each.scenario !== undefined) {
      const scenario = isScenarioKnown ? undefined : resolveScenario(each.scenario, behaviour);
      if (scenario === undefined) continue;
      take(each);
      return { scenario };
    }
    const call = await scripted();
    // Another request may have met it in the meantime.
    if (call === undefined || each.remaining <= 0) continue;
    const { remaining, used } = each;
    take(each);
    const response = await runScript(each, call);
    if (response !== undefined) return { scripted: response };
    if (remaining !== Number.POSITIVE_INFINITY) each.remaining += 1;
    each.used = used;
  }
  return {};
}
