import type { Issue } from "../../errors/base.ts";
import { WebhookPayloadError, type WebhookPayloadReason } from "../../errors/webhook.ts";
import { decodeUtf8 } from "../../shared/bytes.ts";
import { childrenOf, isObject, isObjectOrList, parseJson } from "../../shared/json.ts";
import { isPayoutStatus, type PayoutStatus, statusCodes, type WebhookEvent } from "../events.ts";
import { isReference, referenceRule } from "./references.ts";

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

/** The fields of §6.2. */
export type EventField =
  | "status"
  | "statusCode"
  | "transactionId"
  | "client_referenceId"
  | "txn_amount"
  | "acknowledged"
  | "utr"
  | "description";

/**
 * Which fields an event must have: what a handler needs (docs/assumptions.md, W8), or everything that §6.2 shows for
 * its status, without any difference. Contradictions are refused in either case.
 */
export type RequiredFields = "essential" | "all";

const documented: Record<EventField, "string" | "number"> = {
  status: "string",
  statusCode: "string",
  transactionId: "string",
  client_referenceId: "string",
  txn_amount: "number",
  acknowledged: "string",
  utr: "string",
  description: "string",
};

const common = ["status", "client_referenceId"] as const;
const payout = [...common, "transactionId", "txn_amount"] as const;

const required: Record<RequiredFields, Partial<Record<string, readonly EventField[]>>> = {
  essential: { SUCCESS: [...payout, "utr"], FAILED: payout },
  all: {
    SUCCESS: [...payout, "utr", "statusCode", "acknowledged", "description"],
    FAILED: [...payout, "statusCode", "description"],
    DUPLICATE: [...common, "statusCode"],
    REJECTED: [...common, "statusCode"],
  },
};

/** Returns the status of §6.2 in capitals, whatever the case it is written in; undefined for any other status. */
export function findPayoutStatus(status: unknown): PayoutStatus | undefined {
  if (typeof status !== "string") return undefined;
  if (isPayoutStatus(status)) return status;
  // ASCII alone: `toUpperCase` makes an S of the long s (U+017F).
  const upper = /^[a-z]+$/i.test(status) ? status.toUpperCase() : "";
  return isPayoutStatus(upper) ? upper : undefined;
}

/** Returns the violations for which an event is refused (§6.5.2). */
export function findErrors(event: Readonly<Record<string, unknown>>, level: RequiredFields): Issue[] {
  const status = findPayoutStatus(event.status);
  const fields = (status && required[level][status]) ?? common;
  const issues: Issue[] = [];
  for (const field of fields) {
    const issue = checkField(field, event[field]);
    if (issue !== undefined) issues.push(issue);
  }
  // Also on events that need no amount: no payout is of zero or less.
  if (typeof event.txn_amount === "number" && event.txn_amount <= 0) {
    issues.push(problem("txn_amount", "not_positive", "must be greater than 0"));
  }
  if (issues.length > 0) return issues;
  return findDifferences(event).filter(({ code }) => level === "all" || code === "contradiction");
}

/** Returns the differences from §6.2 that nothing depends on: the event is accepted unchanged. */
export function findWarnings(event: Readonly<Record<string, unknown>>): Issue[] {
  const issues: Issue[] = [];
  for (const [field, type] of Object.entries(documented)) {
    const value = event[field];
    if (value !== undefined && typeof value !== type) issues.push(wrongType(field, type));
  }
  return [...issues, ...findDifferences(event)];
}

/** HTTP's codes for the opposite of each status. 208 may come with either: it speaks of an earlier delivery. */
const oppositeCodes: Partial<Record<PayoutStatus, RegExp>> = {
  SUCCESS: /^[45]\d\d$/,
  FAILED: /^2(?!08)\d\d$/,
  REJECTED: /^2(?!08)\d\d$/,
};

/**
 * Returns the fields that disagree with the `status` (§6.2). Money hangs on a `contradiction`: whether the payout
 * settled. Any other is an `unexpected_value`.
 */
function findDifferences(event: Readonly<Record<string, unknown>>): Issue[] {
  const status = findPayoutStatus(event.status);
  if (status === undefined) return [];
  const { statusCode, acknowledged, utr } = event;
  const issues: Issue[] = [];
  const add = (field: EventField, message: string, contradicts = false) =>
    issues.push(problem(field, contradicts ? "contradiction" : "unexpected_value", message));
  if (isPresent(statusCode) && statusCode !== statusCodes[status]) {
    const isOpposite = oppositeCodes[status]?.test(String(statusCode).trim()) === true;
    add("statusCode", `should be ${statusCodes[status]} for ${status}`, isOpposite);
  }
  if (status === "SUCCESS" && isPresent(acknowledged) && acknowledged !== "1") {
    add("acknowledged", "should be 1 for SUCCESS");
  }
  if (status === "FAILED" && isPresent(acknowledged)) add("acknowledged", "should be absent for FAILED");
  if (status === "FAILED" || status === "REJECTED") {
    // "NA" or zeros are no reference of a bank.
    if (isPresent(utr)) add("utr", `should be absent for ${status}`, /[1-9]/.test(String(utr)));
  }
  return issues;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function checkField(field: EventField, value: unknown): Issue | undefined {
  if (!isPresent(value)) return problem(field, "missing", "is missing");
  if (typeof value !== documented[field]) return wrongType(field, documented[field]);
  if (typeof value === "number" && !Number.isFinite(value)) return wrongType(field, "number");
  const complaint = field === "client_referenceId" ? referenceRule(value, field) : undefined;
  return complaint === undefined ? undefined : problem(field, "invalid_format", complaint);
}

function wrongType(field: string, type: string): Issue {
  return problem(field, "invalid_type", `must be a ${type}`);
}

function problem(field: string, code: string, message: string): Issue {
  return { path: [field], code, message };
}
