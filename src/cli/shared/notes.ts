import { book } from "../../flights/operations.ts";
import { type ClientOptions, defaults } from "../../options.ts";
import type { ClientFlags } from "./command.ts";
import { failureText, operations } from "./errors.ts";
import { type OutputFlags, printNote } from "./print.ts";

/** Formats a duration in its two largest units: `2 h 5 min`. One that has passed is `0 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 24
    ? `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Returns the milliseconds that an attempt of an operation may take, unless `--timeout` says otherwise. */
export function attemptTimeout(name: string): number {
  return operations.find((operation) => operation.name === name)?.timeout ?? defaults.timeout;
}

/** Milliseconds after which somebody wonders whether a command still runs. */
const patience = 3_000;

/**
 * Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. A terminal,
 * with somebody who wonders, also gets one note for the latest request without a response.
 */
export function callNotes({ json, events, timeout }: ClientFlags & OutputFlags): ClientOptions["onEvent"] {
  if (json || events) return undefined;
  let timer: NodeJS.Timeout | undefined;
  let endsBy = 0;
  return (event) => {
    clearTimeout(timer);
    if (event.type === "retry") {
      printNote(`${failureText(event.reason)}. Trying again in ${formatDuration(event.delay)}.`);
    }
    if (event.type !== "request" || !process.stderr.isTTY) return;
    const { attempt, operation } = event;
    if (attempt === 1) endsBy = performance.now() + defaults.totalTimeout;
    const limit = Math.min(timeout ?? attemptTimeout(operation), endsBy - performance.now());
    if (limit > patience) timer = setTimeout(() => printNote(noteOf(operation, limit - patience)), patience);
  };
}

function noteOf(operation: string, left: number): string {
  const time = formatDuration(left);
  // It may be retried.
  if (operation !== book.name) return `No response yet. This attempt waits for up to ${time} more.`;
  return (
    `The booking has no response yet. Waiting for up to ${time} more. Let it finish: after Ctrl-C the flight may be ` +
    "booked all the same, and the journal keeps the booking as open until you have looked it up."
  );
}
