import { maskMessage, maskName, maskNumber } from "../shared/mask.ts";
import { maskFields } from "../shared/mask-fields.ts";

/** The fields that identify a payment at a bank. */
const bankFields: ReadonlySet<string> = new Set(["utr", "transactionId"]);
/** The fields that a receiver is told apart by, and those that say what happened. */
const plainFields: ReadonlySet<string> = new Set([
  ...["client_referenceId", "status", "statusCode", "txn_amount", "acknowledged"],
]);

/** Fields beside those of §6.2, such as `beneficiaryName`. */
const nameField = /name$|^(?:beneficiary|payee|holder|customer)$/i;

/** Returns the value of a notification with what may be personal masked: names, numbers, addresses, bank references. */
export function maskEvent(event: unknown): unknown {
  return maskFields(event, maskField);
}

function maskField(value: unknown, name: string): unknown {
  if (plainFields.has(name)) return value;
  if (typeof value === "number") return Math.abs(value) >= 1e5 ? maskNumber(`${value}`) : value;
  if (typeof value !== "string") return value;
  if (nameField.test(name)) return maskName(value);
  return bankFields.has(name) ? maskNumber(value) : maskMessage(value);
}
