import { ServiceApiError } from "../../errors/base.ts";
import type { WebhookProcessingError } from "../../errors/webhook.ts";
import { causeOf } from "../../shared/error-code.ts";
import { isString } from "../../shared/json.ts";
import { processingError } from "../processing-errors.ts";
import type { ClaimResult, StoreEntry } from "./store.ts";

/** Returns the error of a built-in store whose database failed. */
export function storeFailed(owner: string, explanation: string, error: unknown): WebhookProcessingError {
  return processingError("storeFailed", undefined, causeOf(error), `${owner}: ${explanation}`);
}

/** Calls a store, which may be the application's own, and turns its error into a `WebhookProcessingError`. */
export async function askStore<T>(owner: string, clientReferenceId: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isOurs = ServiceApiError.isInstance(error);
    const message = isOurs ? error.message : `${owner}: the store failed. See \`cause\`.`;
    if (isOurs && error.kind !== "webhook_processing") throw error;
    throw processingError("storeFailed", clientReferenceId, isOurs ? error.cause : causeOf(error), message);
  }
}

/** Returns an entry as a database returned it; undefined for anything else: what is missing must not read as no conflict. */
export function entryOf(state: unknown, effect: unknown, conflicts: unknown): StoreEntry | undefined {
  if ((state !== "claimed" && state !== "done") || !isString(effect)) return undefined;
  return Array.isArray(conflicts) && conflicts.every(isString) ? { state, effect, conflicts } : undefined;
}

/** Returns how a claim ended that found this entry. Without one, it was released meanwhile: the next look claims it. */
export function resultOf(entry: StoreEntry | undefined): ClaimResult {
  if (entry?.state !== "done") return { kind: "inFlight" };
  return { kind: "done", effect: entry.effect, conflicts: entry.conflicts };
}
