import { WebhookPayloadError, type WebhookPayloadReason } from "../errors/webhook.ts";
import type { WebhookEvent } from "./events.ts";
import { findErrors, type RequiredFields } from "./fields.ts";

/**
 * The event in the raw body of a delivery (§6.2): strict UTF-8, one JSON object, no prototype keys, every required
 * field of its type (policies 38, 39). Nothing is converted: what came is what you get.
 */
export function parseEvent(body: string | Uint8Array, requiredFields: RequiredFields = "essential"): WebhookEvent {
  const event = parseObject(typeof body === "string" ? body : decodeUtf8(body));
  const issues = findErrors(event, requiredFields);
  if (issues.length > 0) {
    const [first] = issues;
    throw new WebhookPayloadError({
      reason: first?.code === "missing" ? "missingField" : "wrongType",
      message: `The event is not one of §6.2: ${issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")}.`,
      issues,
    });
  }
  return event as unknown as WebhookEvent; // `findErrors` is the check of this border.
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
  if (text.trim() === "") throw refusal("empty", "The body is empty. A delivery is a POST with a JSON body (§6.2).");
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
