import { isObjectOrList } from "../shared/json.ts";
import { redactor } from "./redact.ts";

/** The string fields that say nothing about a person. All others are masked, unknown fields included. */
const plainKeys = new Set([
  "status",
  "statusCode",
  "status_code",
  "event",
  "response_status",
  "accountStatus",
  "client_referenceId",
  "trace_id",
  "consent",
  "currency",
  "airline_code",
  "fare_type",
  "passenger_type",
  "flight_status",
]);

/** A longer string is not a code or a name of the document. */
const maxPlainLength = 64;
/** Smaller numbers are amounts, counts and codes. */
const maxPlainNumber = 1e6;
/** A name that a schema could have. Any other may be personal data: an e-mail address, a number. */
const fieldName = /^(?!.*\d{6})[\w$.-]{1,64}$/;

/** Returns the form of a body for a log line: its shape, its plain fields, and the length of other strings. */
export function maskPersonalData(value: unknown, secrets: readonly string[] = []): unknown {
  const clean = redactor(secrets);
  return masked(value, "", { clean, secrets });
}

interface Mask {
  readonly clean: (text: string) => string;
  readonly secrets: readonly string[];
}

function masked(value: unknown, key: string, mask: Mask): unknown {
  if (typeof value === "string") {
    return plainKeys.has(key) && value.length <= maxPlainLength ? mask.clean(value) : `[${value.length} characters]`;
  }
  if (typeof value === "number") {
    const isShown = Math.abs(value) < maxPlainNumber && !mask.secrets.includes(String(value));
    return isShown ? value : "[number]";
  }
  if (Array.isArray(value)) return value.map((element) => masked(element, key, mask));
  if (!isObjectOrList(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [maskedName(name, mask), masked(field, name, mask)]),
  );
}

function maskedName(name: string, { clean }: Mask): string {
  return fieldName.test(name) ? clean(name) : `[name of ${name.length} characters]`;
}
