import { WebhookPayloadError, type WebhookPayloadReason } from "../../errors/webhook.ts";
import type { WebhookEvent } from "../events.ts";
import { findErrors, findPayoutStatus, type RequiredFields } from "./event-fields.ts";
import { isReference } from "./references.ts";

/**
 * Returns the event in the raw body of a delivery (§6.2): strict UTF-8, one JSON object, no prototype keys, every
 * required field of its type (docs/assumptions.md, W7, W8).
 */
export function parseEvent(body: string | Uint8Array, requiredFields: RequiredFields = "essential"): WebhookEvent {
  return checkEvent(parseObject(typeof body === "string" ? body : decodeUtf8(body)), requiredFields);
}

/** The reasons of issues; any other code is an `invalidValue`. */
const reasons: Readonly<Record<string, WebhookPayloadReason>> = {
  missing: "missingField",
  invalid_type: "wrongType",
  invalid_format: "wrongType",
};

/** Returns the event as it came, but with the four statuses of §6.2 in capitals: other operations write them small. */
export function checkEvent(event: Readonly<Record<string, unknown>>, requiredFields: RequiredFields): WebhookEvent {
  const issues = findErrors(event, requiredFields);
  const [first] = issues;
  if (first !== undefined) {
    throw new WebhookPayloadError({
      reason: reasons[first.code] ?? "invalidValue",
      message: `The event is invalid: ${issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")}.`,
      issues,
      clientReferenceId: isReference(event.client_referenceId) ? event.client_referenceId : undefined,
    });
  }
  const status = findPayoutStatus(event.status) ?? event.status;
  const known = status === event.status ? event : { ...event, status };
  return known as unknown as WebhookEvent; // `findErrors` is the check of this border.
}

let decoder: TextDecoder | undefined;

function decodeUtf8(bytes: Uint8Array): string {
  // `ignoreBOM` keeps a byte order mark in the text, where `JSON.parse` refuses it.
  decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw refusal(
      "badEncoding",
      "The body is not UTF-8. A compressed body must be decompressed before it is handed over.",
    );
  }
}

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === "") throw refusal("empty", "The body is empty. A delivery is a POST with a JSON body.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of `JSON.parse` quotes the body.
    throw refusal("notJson", "The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refusal("notObject", "The body is JSON, but not an object.");
  }
  refuseForbiddenKeys(value);
  return value as Record<string, unknown>;
}

/** Keys with which a careless merge in the application would change an object's prototype. */
function refuseForbiddenKeys(root: object): void {
  const open: object[] = [root];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    for (const key of Object.keys(object)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        throw refusal("forbiddenKey", "The body has a key that could change an object's prototype.");
      }
      const value: unknown = (object as Record<string, unknown>)[key];
      if (typeof value === "object" && value !== null) open.push(value);
    }
  }
}

function refusal(reason: WebhookPayloadReason, message: string): WebhookPayloadError {
  return new WebhookPayloadError({ reason, message });
}
