import type { ClientEvent } from "../../transport/log.ts";
import type { ClientFlags } from "./client.ts";
import { formatDuration } from "./duration.ts";
import { failureText } from "./failure-text.ts";
import type { OutputFlags } from "./output-flags.ts";
import { printNote } from "./print.ts";
import { waitNote } from "./wait-note.ts";

/** The flags that decide which notes there are. */
interface NoteFlags extends OutputFlags, Pick<ClientFlags, "timeout"> {}

/**
 * Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. Only a
 * terminal has somebody who wonders whether a command still runs.
 */
export function callNotes({ json, events, timeout }: NoteFlags): ((event: ClientEvent) => void) | undefined {
  if (json || events) return undefined;
  const noteWait = process.stderr.isTTY ? waitNote(timeout) : () => {};
  return (event) => {
    noteRetry(event);
    noteWait(event);
  };
}

/** Returns a listener that says why a run of many calls has no result yet; none for a program. */
export function outageNote({ json, events, timeout }: NoteFlags): ((event: ClientEvent) => void) | undefined {
  let isDone = json || events;
  const noteWait = process.stderr.isTTY ? waitNote(timeout) : () => {};
  return (event) => {
    if (isDone) return;
    noteWait(event);
    if (event.type !== "resolved" && event.type !== "error") return;
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
