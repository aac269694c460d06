import { maskMessage, maskNumber } from "../shared/mask.ts";

/** The fields that identify a payment at a bank. */
const bankFields: ReadonlySet<string> = new Set(["utr", "transactionId"]);
/** The fields that a receiver is told apart by, and those that say what happened. */
const plainFields: ReadonlySet<string> = new Set([
  ...["client_referenceId", "status", "statusCode", "txn_amount", "acknowledged"],
]);

/** A notification has one level. */
const maxDepth = 12;

/** Returns the value of a notification with what may be personal masked: numbers, addresses, references of a bank. */
export function maskEvent(value: unknown, name = "", depth = 0): unknown {
  if (depth > maxDepth) return "…";
  if (typeof value === "string") return maskField(value, name);
  if (typeof value === "number" && !plainFields.has(name) && Math.abs(value) >= 1e5) return maskNumber(`${value}`);
  if (Array.isArray(value)) return value.map((element) => maskEvent(element, name, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskEvent(inner, key, depth + 1)]));
}

function maskField(value: string, name: string): string {
  if (plainFields.has(name)) return value;
  return bankFields.has(name) ? maskNumber(value) : maskMessage(value);
}
