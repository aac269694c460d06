import { createResponse, streamResponse } from "../../ai/operations.ts";
import { defaults } from "../../defaults.ts";
import { book, fareQuote, fareRule } from "../../flights/operations.ts";
import type { ClientEvent } from "../../transport/log.ts";
import { findVpas } from "../../verification/operations.ts";
import { formatDuration } from "./duration.ts";
import { printNote } from "./print.ts";

/** Milliseconds after which somebody wonders whether a command still runs. */
const patience = 3_000;

/**
 * Returns a listener that says, once for each request without a response, how long it is awaited. The calls of a
 * command come one after the other.
 *
 * @param timeout - That of `--timeout`.
 */
export function waitNote(timeout: number | undefined): (event: ClientEvent) => void {
  let timer: NodeJS.Timeout | undefined;
  return ({ type, operation }) => {
    clearTimeout(timer);
    if (type === "request") timer = setTimeout(() => printNote(noteOf(operation, timeout)), patience);
  };
}

function noteOf(operation: string, timeout: number | undefined): string {
  const limit = Math.min(timeout ?? timeouts.get(operation) ?? defaults.timeout, defaults.totalTimeout);
  const wait = `Waiting for up to ${formatDuration(limit - patience)} more.`;
  if (operation !== book.name) return `No response yet. ${wait}`;
  return (
    `The booking has no response yet. ${wait} Let it finish: after Ctrl-C the flight may be booked all the same, and ` +
    "the journal keeps the booking as open until you have looked it up."
  );
}

const operations = [findVpas, createResponse, streamResponse, fareQuote, fareRule, book];
const timeouts = new Map(operations.map(({ name, timeout }) => [name, timeout]));
