import { isCredentialHeader } from "../../transport/redact.ts";
import { maskFields, maskMessage, maskName, maskNumber } from "../shared/mask.ts";

/** In place of a credential, whatever its length. */
export const hidden = "••••";

/** Returns whether the value of a header is a secret. A signature is not: it proves one body, and shows what is wrong. */
export function isSecretHeader(name: string): boolean {
  return isCredentialHeader(name) && !/signature/i.test(name);
}

/**
 * Masks the path and the query of a URL: the values of a query may be credentials, whatever their names, and a callback
 * URL may have a secret in its path.
 */
export function maskTarget(target: string, showPii: boolean): string {
  const [path = "", query] = target.split(/\?(.*)/s);
  const shown = showPii ? path : path.split("/").map(maskSegment).join("/");
  if (query === undefined) return shown;
  const parameters = query.split("&").map((parameter) => maskParameter(parameter, showPii));
  return `${shown}?${parameters.join("&")}`;
}

/** A version, a few letters, or known words such as `payout-callback`: all else may be a secret, letters alone too. */
function maskSegment(segment: string): string {
  return /^(?:v\d{1,2}|[a-z]{0,3})$/i.test(segment) || words.test(segment) ? segment : hidden;
}

const word =
  "account|admin|api|app|bank|booking|callback|client|edge|event|flight|function|handler|hook|inbound|incoming|internal|" +
  "listener|live|notification|notify|order|partner|payment|payout|paid|post|prod|production|public|receive|receiver|sandbox|" +
  "secure|server|service|serviceapi|shop|staging|status|stage|test|transaction|transfer|update|upi|verification|verify|web|webhook";
const words = new RegExp(`^(?:${word})s?(?:[-_.]?(?:${word})s?){0,3}$`, "i");

/** A name is made of words, and has a value: in Base64 a secret without a name may end with `=` too. */
function maskParameter(parameter: string, showPii: boolean): string {
  const [, name] = /^([a-z]{1,12}(?:[-_.][a-z]{1,12}){0,3})=[^=]/i.exec(parameter) ?? [];
  if (name === undefined) return hidden;
  return showPii && !isCredentialHeader(name) ? parameter : `${name}=${hidden}`;
}

/** Returns the value of a notification with what may be personal masked: names, numbers, addresses, bank references. */
export function maskEvent(event: unknown): unknown {
  return maskFields(event, (value, name) => {
    if (plainFields.has(name)) return value;
    if (typeof value === "number") return Math.abs(value) >= 1e5 ? maskNumber(`${value}`) : value;
    if (typeof value !== "string") return value;
    if (nameField.test(name)) return maskName(value);
    return bankFields.has(name) ? maskNumber(value) : maskMessage(value);
  });
}

/** The fields that identify a payment at a bank. */
const bankFields: ReadonlySet<string> = new Set(["utr", "transactionId"]);
/** The fields that a receiver is told apart by, and those that say what happened. */
const plainFields: ReadonlySet<string> = new Set(
  "client_referenceId status statusCode txn_amount acknowledged".split(" "),
);
/** Fields beside those of §6.2, such as `beneficiaryName`. */
const nameField = /name$|^(?:beneficiary|payee|holder|customer)$/i;
