import type { ClientEvent } from "../../transport/log.ts";
import { formatDuration } from "./duration.ts";
import { failureText } from "./failure-text.ts";
import type { OutputFlags } from "./output-flags.ts";
import { printNote } from "./print.ts";

/** Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. */
export function retryNotes({ json, events }: OutputFlags): ((event: ClientEvent) => void) | undefined {
  return json || events ? undefined : noteRetry;
}

/** Returns a listener that says once why a run of many calls has no result yet; none for a program. */
export function outageNote({ json, events }: OutputFlags): ((event: ClientEvent) => void) | undefined {
  let isDone = json || events;
  return (event) => {
    if (isDone || (event.type !== "resolved" && event.type !== "error")) return;
    isDone = true;
    if (event.type === "error" && outages.has(event.kind)) {
      printNote(`${failureText(event.kind)}. No row has a result yet.`);
    }
  };
}

const outages: ReadonlySet<string> = new Set(["connection", "timeout", "unavailable"]);

function noteRetry(event: ClientEvent): void {
  if (event.type !== "retry") return;
  printNote(`${failureText(event.reason)}. Trying again in ${formatDuration(event.delay)}.`);
}
