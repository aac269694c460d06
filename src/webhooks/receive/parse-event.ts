import { WebhookPayloadError, type WebhookPayloadReason } from "../../errors/webhook.ts";
import { decodeUtf8 } from "../../shared/bytes.ts";
import { childrenOf, isObject, isObjectOrList, parseJson } from "../../shared/json.ts";
import type { WebhookEvent } from "../events.ts";
import { findErrors, findPayoutStatus, type RequiredFields } from "./event-fields.ts";
import { isReference } from "./references.ts";

/**
 * Returns the event in the raw body of a delivery (§6.2): strict UTF-8, perhaps with a byte order mark, one JSON
 * object, no prototype keys, every required field of its type (docs/assumptions.md, W7, W8).
 */
export function parseEvent(body: string | Uint8Array, requiredFields: RequiredFields): WebhookEvent {
  const text = typeof body === "string" ? body : decodeUtf8(body, true);
  if (text === undefined) {
    throw refusal("badEncoding", "The body is not UTF-8. Decompress a compressed body first.");
  }
  return checkEvent(parseObject(text.replace(/^\ufeff/, "")), requiredFields);
}

/** The reason for each code of an issue; any other is `invalidValue`. */
const reasons: Readonly<Record<string, WebhookPayloadReason>> = {
  missing: "missingField",
  invalid_type: "wrongType",
  invalid_format: "wrongType",
};

/** Returns the event unchanged, but with the four statuses of §6.2 in capitals: other operations use lower case. */
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

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === "") throw refusal("empty", "The body is empty. A delivery is a POST with a JSON body.");
  const value = parseJson(text);
  if (value === undefined) throw refusal("notJson", "The body is not JSON.");
  if (!isObject(value)) throw refusal("notObject", "The body is JSON, but not an object.");
  refuseForbiddenKeys(value);
  return value;
}

/** Keys with which a careless merge in the application would change an object's prototype. */
function refuseForbiddenKeys(root: object): void {
  const open: object[] = [root];
  for (const object of open) {
    for (const [key, value] of childrenOf(object)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        throw refusal("forbiddenKey", "The body has a key that could change an object's prototype.");
      }
      if (isObjectOrList(value)) open.push(value);
    }
  }
}

function refusal(reason: WebhookPayloadReason, message: string): WebhookPayloadError {
  return new WebhookPayloadError({ reason, message });
}
