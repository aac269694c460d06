import { ServiceApiError } from "../../errors/base.ts";
import type { WebhookProcessingError } from "../../errors/webhook.ts";
import { causeOf } from "../../shared/error-code.ts";
import { processingError } from "../processing-errors.ts";

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
