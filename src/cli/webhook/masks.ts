import { isCredentialHeader } from "../../transport/redact.ts";
import { maskFields, maskMessage, maskName, maskNumber } from "../shared/mask.ts";

/** In place of a credential, whatever its length. */
export const hidden = "••••";

/** Returns whether the value of a header is a secret. A signature is not: it proves one body, and shows what is wrong. */
export function isSecretHeader(name: string): boolean {
  return isCredentialHeader(name) && !/signature/i.test(name);
}

/** Masks a URL, in whose path and query a callback may have a secret. A version and a few letters are none. */
export function maskTarget(target: string, showPii: boolean): string {
  const [path = "", query] = target.split(/\?(.*)/s);
  const isPlain = (segment: string) => showPii || /^(?:v\d{1,2}|[a-z]{1,4})$/i.test(segment);
  const shown = path.replaceAll(/[^/]+/g, (segment) => (isPlain(segment) ? segment : hidden));
  return query === undefined ? shown : `${shown}?${hidden}`;
}

/** Returns the value of a notification with what may be personal masked: names, numbers, addresses, bank references. */
export function maskEvent(event: unknown): unknown {
  return maskFields(event, (value, name) => {
    const [, mask] = masks.find(([names]) => names.test(name)) ?? [];
    if (typeof value === "number" && mask !== plain) return Math.abs(value) >= 1e5 ? maskNumber(`${value}`) : value;
    return typeof value === "string" ? (mask ?? maskMessage)(value) : value;
  });
}

const plain = (value: string) => value;

/** The mask of each field that has another than a message. */
const masks: readonly (readonly [RegExp, (value: string) => string])[] = [
  // The fields that a receiver is told apart by, and those that say what happened.
  [/^(?:client_referenceId|status|statusCode|txn_amount|acknowledged)$/, plain],
  // Fields beside those of §6.2, such as `beneficiaryName`.
  [/name$|^(?:beneficiary|payee|holder|customer)$/i, maskName],
  // The fields that identify a payment at a bank.
  [/^(?:utr|transactionId)$/, maskNumber],
];
