import type { Issue } from "../errors/base.ts";
import { isReference } from "./acknowledgement.ts";
import type { PayoutStatus } from "./events.ts";
import { statusCodes } from "./status-codes.ts";

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

/** Which fields an event must have: what a handler needs (docs/assumptions.md, W8), or everything that §6.2 shows for its status. */
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

/** True for a status that §6.2 names. */
export function isPayoutStatus(status: string): status is PayoutStatus {
  return Object.hasOwn(statusCodes, status);
}

/** What must not be so: the event is refused (§6.5.2). */
export function findErrors(event: Readonly<Record<string, unknown>>, level: RequiredFields): Issue[] {
  const issues: Issue[] = [];
  const status = String(event.status);
  const ofStatus = isPayoutStatus(status) ? required[level][status] : undefined;
  for (const field of ofStatus ?? common) {
    const issue = checkField(field, event[field]);
    if (issue !== undefined) issues.push(issue);
  }
  return issues;
}

/** What differs from §6.2 where nobody depends on it: the event passes as it came. */
export function findWarnings(event: Readonly<Record<string, unknown>>): Issue[] {
  const issues: Issue[] = [];
  for (const [field, type] of Object.entries(documented)) {
    const value = event[field];
    if (value !== undefined && typeof value !== type) issues.push(wrongType(field, type));
  }
  const { status, statusCode } = event;
  if (
    typeof status === "string" &&
    isPayoutStatus(status) &&
    statusCode !== undefined &&
    statusCode !== statusCodes[status]
  ) {
    issues.push(
      problem("statusCode", "unexpected_value", `is not the ${statusCodes[status]} that §6.2 shows for ${status}`),
    );
  }
  return issues;
}

function checkField(field: EventField, value: unknown): Issue | undefined {
  if (value === undefined || value === null || value === "") return problem(field, "missing", "is missing");
  if (typeof value !== documented[field]) return wrongType(field, documented[field]);
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return wrongType(field, "number");
  if (field === "client_referenceId" && !isReference(value)) {
    return problem(field, "invalid_format", "must be 1 to 128 printable characters");
  }
  return undefined;
}

function wrongType(field: string, type: string): Issue {
  return problem(field, "invalid_type", `must be a ${type}`);
}

function problem(field: string, code: string, message: string): Issue {
  return { path: [field], code, message };
}
