import type { EmulatedResponse } from "../http/messages.ts";
import { runScript, type ScriptedCall } from "../scripts/run.ts";
import { inOrder, left, type Pending, type PendingScript, settle, take } from "../state/pending.ts";
import type { Behaviour } from "./behaviour.ts";
import { type ResolvedScenario, resolveScenario } from "./scenarios.ts";

/** The response of the script, or the scenario, that a request meets; or neither. */
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
export async function meet(pending: readonly Pending[], { behaviour, scriptsOnly, forScript }: Meeting): Promise<Met> {
  for (const each of inOrder(pending)) {
    if (each.operation !== undefined && each.operation !== behaviour.operation.name) continue;
    if (each.scenario !== undefined) {
      const scenario = scriptsOnly ? undefined : resolveScenario(each.scenario, behaviour);
      // Another request may have met it in the meantime.
      if (scenario === undefined || left(each) <= 0) continue;
      take(each);
      settle(each, true);
      return { scenario };
    }
    const call = await forScript();
    if (call === undefined || left(each) <= 0) continue;
    const scripted = await runCounted(each, call);
    if (scripted !== undefined) return { scripted };
  }
  return {};
}

/** Runs a script. A request that it leaves to others does not count; one that it fails does. */
async function runCounted(script: PendingScript, call: ScriptedCall): Promise<EmulatedResponse | undefined> {
  let isMet = true;
  take(script);
  try {
    const response = await runScript(script, call);
    isMet = response !== undefined;
    return response;
  } finally {
    settle(script, isMet);
  }
}
