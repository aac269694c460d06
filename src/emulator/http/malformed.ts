import type { Malformed } from "../service/behaviour.ts";
import { quoteFailures } from "../catalogue/flights.ts";
import { type Answer, json } from "./response.ts";

/** A body of the AI and flight operations that broke a rule: the fields and what is wrong with each. */
export function malformed(issues: readonly Malformed[]): Answer {
  const { status, body } = quoteFailures["failed-with-data-null"];
  const errors: Record<string, string[]> = {};
  for (const { path, message } of issues) errors[path] = [...(errors[path] ?? []), `The ${path} field ${message}.`];
  return json(status, { ...body, errors });
}
