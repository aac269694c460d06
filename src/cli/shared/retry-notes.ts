import type { ClientEvent } from "../../transport/log.ts";
import { formatDuration } from "./duration.ts";
import { failureText } from "./failure-text.ts";
import type { OutputFlags } from "./output-flags.ts";
import { printNote } from "./print.ts";

/** Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. */
export function retryNotes({ json, events }: OutputFlags): ((event: ClientEvent) => void) | undefined {
  return json || events ? undefined : noteRetry;
}

function noteRetry(event: ClientEvent): void {
  if (event.type !== "retry") return;
  printNote(`${failureText(event.reason)}. Trying again in ${formatDuration(event.delay)}.`);
}
