import { maskMessage, maskNumber } from "../shared/mask.ts";

/** The fields that identify a payment at a bank. */
const bankFields: ReadonlySet<string> = new Set(["utr", "transactionId"]);
/** The fields that a receiver is told apart by, and those that say what happened. */
const plainFields: ReadonlySet<string> = new Set([
  ...["client_referenceId", "status", "statusCode", "txn_amount", "acknowledged"],
]);

/** Returns the value of a notification with what may be personal masked: numbers, addresses, references of a bank. */
export function maskEvent(value: unknown, name = ""): unknown {
  if (typeof value === "string") return maskField(value, name);
  if (Array.isArray(value)) return value.map((element) => maskEvent(element, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskEvent(inner, key)]));
}

function maskField(value: string, name: string): string {
  if (plainFields.has(name)) return value;
  return bankFields.has(name) ? maskNumber(value) : maskMessage(value);
}
