import { isInteger, isObject, isString, stringOf } from "../shared/json.ts";
import type { AiEvent, KnownAiEvent } from "./types.ts";

/**
 * Returns whether the document shows this event (§6.1).
 *
 * @example
 * ```ts
 * import { isKnownAiEvent, ServiceApi } from "serviceapi";
 *
 * for await (const event of new ServiceApi().ai.stream({ user: { text: "/unknown" } })) {
 *   if (!isKnownAiEvent(event)) console.log("new:", event.event);
 * }
 * ```
 */
export function isKnownAiEvent(event: AiEvent): event is KnownAiEvent {
  return Object.hasOwn(known, event.event);
}

const known: Readonly<Record<KnownAiEvent["event"], true>> = {
  response_initiated: true,
  response_output: true,
  response_completed: true,
};

/** Returns the part of the text that an event brings. With `validation.response: "off"` its type is only promised. */
export function chunkOf(event: { readonly system?: { readonly text_chunk?: unknown } | null }): string {
  return stringOf(event.system?.text_chunk);
}

export function fullTextOf(event: { readonly system?: { readonly text?: unknown } | null }): string {
  return stringOf(event.system?.text);
}

/**
 * The schema of outputs in one expression, which test/shared/schema.test.ts compares with it: most events are outputs, and
 * its loop over the fields takes nearly twice as long.
 */
export function isUsualOutput(value: Readonly<Record<string, unknown>>): boolean {
  const { response_status: stage, system } = value;
  return (
    value.event === "response_output" &&
    isString(value.status) &&
    isString(value.status_code) &&
    (stage === undefined || isString(stage)) &&
    isInteger(value.sequence_no) &&
    isObject(system) &&
    isString(system.msg_id) &&
    isString(system.text_chunk)
  );
}
