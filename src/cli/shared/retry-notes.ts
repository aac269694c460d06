import type { ClientEvent } from "../../transport/log.ts";
import type { OutputFlags } from "./output-flags.ts";
import { printNote } from "./print.ts";

/** Descriptions of a failure, by the `kind` of its error. */
const failures: Readonly<Record<string, string>> = {
  rate_limited: "The service received too many requests",
  unavailable: "The service was not available",
  timeout: "The service did not respond in time",
  connection: "The service could not be reached",
};

/** Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. */
export function retryNotes({ json, events }: OutputFlags): ((event: ClientEvent) => void) | undefined {
  return json || events ? undefined : noteRetry;
}

function noteRetry(event: ClientEvent): void {
  if (event.type !== "retry") return;
  const failure = failures[event.reason] ?? "The response of the service could not be read";
  printNote(`${failure}. Trying again in ${Math.ceil(event.delay / 1_000)} s.`);
}
