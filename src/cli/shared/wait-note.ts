import { book } from "../../flights/operations.ts";
import { defaults } from "../../options.ts";
import type { ClientEvent } from "../../transport/log.ts";
import { formatDuration } from "./duration.ts";
import { attemptTimeout } from "./operations.ts";
import { printNote } from "./print.ts";

/** Milliseconds after which somebody wonders whether a command still runs. */
const patience = 3_000;

/**
 * Returns a listener that says, once for the latest request without a response, how long it is awaited.
 *
 * @param timeout - That of `--timeout`.
 */
export function waitNote(timeout: number | undefined): (event: ClientEvent) => void {
  let timer: NodeJS.Timeout | undefined;
  let endsBy = 0;
  return (event) => {
    clearTimeout(timer);
    if (event.type !== "request") return;
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
