import type { AiEvent, KnownAiEvent } from "../types.ts";

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
