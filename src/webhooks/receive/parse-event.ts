import type { ValidationIssue } from "../../errors/base.ts";
import { WebhookPayloadError, type WebhookPayloadReason } from "../../errors/webhook.ts";
import { decodeUtf8 } from "../../shared/bytes.ts";
import { field, isObject, isObjectOrList, parseJson, repeatsName } from "../../shared/json.ts";
import type { Rule } from "../../shared/options.ts";
import { isPrintable } from "../../shared/printable.ts";
import { isPayoutStatus, type PayoutStatus, type PayoutSucceeded, statusCodes, type WebhookEvent } from "../events.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the event in the raw body of a delivery (§6.2): strict UTF-8, perhaps with a byte order mark, one JSON
 * object, no prototype keys, every required field of its type (docs/assumptions.md, W7, W8).
 */
export function parseEvent(body: string | Uint8Array, requiredFields: RequiredFields): WebhookEvent {
  const decoded = typeof body === "string" ? body : decodeUtf8(body, true);
  if (decoded === undefined)
    throw payloadError("badEncoding", "The body is not UTF-8. Decompress a compressed body first.");
  const text = decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  const value = parseJson(text);
  if (value === undefined) {
    throw text.trim() === ""
      ? payloadError("empty", "The body is empty. A delivery is a POST with a JSON body.")
      : payloadError("notJson", "The body is not JSON.");
  }
  if (!isObject(value)) throw payloadError("notObject", "The body is JSON, but not an object.");
  const names = countNames(value);
  // Without a colon in any value there are as many as names.
  if (text.split(":").length - 1 !== names && repeatsName(text, value)) {
    throw payloadError("repeatedName", "The body has a name twice in one object: which value counts is not known.");
  }
  return checkEvent(value, requiredFields);
}

/** Returns the number of names, none of which would change an object's prototype in a careless merge. */
function countNames(root: object): number {
  const open: object[] = [root];
  let names = 0;
  for (const object of open) {
    for (const key of Object.keys(object)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        throw payloadError("forbiddenKey", "The body has a key that could change an object's prototype.");
      }
      const value: unknown = Reflect.get(object, key);
      if (isObjectOrList(value)) open.push(value);
      if (!Array.isArray(object)) names += 1;
    }
  }
  return names;
}

export function payloadError(reason: WebhookPayloadReason, message: string): WebhookPayloadError {
  return new WebhookPayloadError({ reason, message });
}

/** The reason for each code of an issue; any other is `invalidValue`. */
const reasons: Readonly<Record<string, WebhookPayloadReason>> = {
  missing: "missingField",
  invalid_type: "wrongType",
  invalid_format: "wrongType",
};

/**
 * Returns the event unchanged, but with the four statuses of §6.2 in capitals: other operations use lower case.
 *
 * @throws WebhookPayloadError for an event that is to be refused (§6.5.2).
 */
export function checkEvent(event: Fields, level: RequiredFields): WebhookEvent {
  const status = findPayoutStatus(event.status);
  let issues: ValidationIssue[] = [];
  for (const name of status === undefined ? common : shapes[status][level]) {
    const value = event[name];
    const [pattern = /^/, code = "", message = ""] = formats[name] ?? [];
    if (!isPresent(value)) issues.push(problem(name, "missing", "is missing"));
    else if (!hasType(name, value)) issues.push(wrongType(name));
    else if (!pattern.test(String(value))) issues.push(problem(name, code, message));
  }
  // Also on events that need no amount: no payout is of zero or less.
  if (typeof event.txn_amount === "number" && event.txn_amount <= 0) {
    issues.push(problem("txn_amount", "not_positive", "must be greater than 0"));
  }
  if (issues.length === 0) {
    issues = findDifferences(event, status).filter(({ code }) => level === "all" || code === "contradiction");
  }
  const [first] = issues;
  if (first !== undefined) {
    throw new WebhookPayloadError({
      reason: reasons[first.code] ?? "invalidValue",
      message: `The event is invalid: ${issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")}.`,
      issues,
      clientReferenceId: isReference(event.client_referenceId) ? event.client_referenceId : undefined,
    });
  }
  const known = status === undefined || status === event.status ? event : { ...event, status };
  return known as unknown as WebhookEvent; // What is above is the check of this border.
}

/**
 * Which fields an event must have: what a handler needs (docs/assumptions.md, W8), or everything that §6.2 shows for
 * its status, without any difference. Contradictions are refused in either case.
 */
export type RequiredFields = "essential" | "all";

/** A field of §6.2. */
type EventField = keyof PayoutSucceeded;

/** Returns the type of a field. */
export const typeOf = (name: EventField) => (name === "txn_amount" ? "number" : "string");

/** The shape of the events of a status (§6.2). */
interface Shape extends Readonly<Record<RequiredFields, readonly EventField[]>> {
  /** Null is for a field that is left out. */
  readonly shown: Partial<Record<ShownField, string | null>>;
  /** The values that fit the status. Money hangs on them: any other contradicts whether the payout settled. */
  readonly allowed?: Partial<Record<ShownField, RegExp>>;
}

/** The other operations write `status_code`. */
const shownFields = ["statusCode", "status_code", "acknowledged", "utr"] as const;
type ShownField = Exclude<(typeof shownFields)[number], "status_code">;
const common = ["status", "client_referenceId"] as const;
const payout = [...common, "transactionId", "txn_amount"] as const;

/** A number but those of failures, or codes and words that all say success. */
const successCode =
  /^((?!0*[45]\d\d$)\d*|([\s:,./_-]|0*2\d\d(?!\d)|success(ful)?|txn|ok|completed?|credited|settled|paid|processed)*)$/i;
/** Nothing that says success: failures have many reasons. 208 may come with any: it speaks of an earlier delivery. */
const failureCode =
  /^(?!.*((?<!\d)0*2(?!08)\d\d(?!\d)|(?<!un)success|(?<![a-z]|not[\s_-])(ok|completed?|credited|settled|paid|processed)(?![a-z])))/is;
/** A placeholder for a reference that no bank gave. */
const noReference = /^([\s0./_-]*|n\/?a|none|null|nil|not a\w+)$/i;

export const shapes: Readonly<Record<PayoutStatus, Shape>> = {
  SUCCESS: {
    essential: [...payout, "utr"],
    all: [...payout, "utr", "statusCode", "acknowledged", "description"],
    shown: { statusCode: statusCodes.SUCCESS, acknowledged: "1" },
    allowed: { statusCode: successCode },
  },
  FAILED: {
    essential: payout,
    all: [...payout, "statusCode", "description"],
    shown: { statusCode: statusCodes.FAILED, acknowledged: null, utr: null },
    allowed: { statusCode: failureCode, utr: noReference },
  },
  DUPLICATE: {
    essential: common,
    all: [...common, "statusCode"],
    shown: { statusCode: statusCodes.DUPLICATE },
  },
  REJECTED: {
    essential: common,
    all: [...common, "statusCode"],
    shown: { statusCode: statusCodes.REJECTED, utr: null },
    allowed: { statusCode: failureCode, utr: noReference },
  },
};

/** Returns the status of §6.2 in capitals, whatever the case it is written in; undefined for any other status. */
function findPayoutStatus(status: unknown): PayoutStatus | undefined {
  if (typeof status !== "string") return undefined;
  // ASCII alone: `toUpperCase` makes an S of the long s (U+017F).
  const upper = /^[a-z]+$/i.test(status) ? status.toUpperCase() : "";
  return isPayoutStatus(upper) ? upper : undefined;
}

/** Returns the differences from §6.2 that nothing depends on: the event is accepted unchanged. */
export function findWarnings(event: Fields): ValidationIssue[] {
  // A SUCCESS has every field of §6.2.
  const wrong = shapes.SUCCESS.all.filter((name) => event[name] !== undefined && !hasType(name, event[name]));
  return [...wrong.map(wrongType), ...findDifferences(event, findPayoutStatus(event.status))];
}

/**
 * Returns the fields that disagree with the `status` (§6.2). Money hangs on a `contradiction`: whether the payout
 * settled. Any other is an `unexpected_value`.
 */
function findDifferences(event: Fields, status: PayoutStatus | undefined): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (status === undefined) return issues;
  const { shown, allowed } = shapes[status];
  for (const name of shownFields) {
    const field = name === "status_code" ? "statusCode" : name;
    const [value, expected] = [event[name], shown[field]];
    if (expected === undefined || value === expected || !isPresent(value)) continue;
    const pattern = allowed?.[field];
    const isAllowed = pattern === undefined || (!isObjectOrList(value) && pattern.test(String(value).trim()));
    const code = isAllowed ? "unexpected_value" : "contradiction";
    issues.push(problem(name, code, `should be ${expected ?? "absent"} for ${status}`));
  }
  return issues;
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** JSON may hold 1e999, which is endless. */
function hasType(name: EventField, value: unknown): boolean {
  return name === "txn_amount" ? Number.isFinite(value) : typeof value === "string";
}

function wrongType(name: EventField): ValidationIssue {
  return problem(name, "invalid_type", `must be a ${typeOf(name)}`);
}

function problem(name: string, code: string, message: string): ValidationIssue {
  return { path: [name], code, message };
}

/**
 * 1 to 1,024 characters, opaque (docs/assumptions.md, W20). Lone surrogates are refused because a store's encoding
 * would make two references one; white space at either end, because a padded column would.
 */
const reference = /^(?!\s)[^\ud800-\udfff]{1,1024}(?<!\s)$/u;

const mustBeReference = "must be a string of 1 to 1024 characters without white space at either end";

export const referenceRule: Rule = (value) => (isReference(value) ? undefined : mustBeReference);

/** A bank would not write "NA" or zeros. */
const bankReference = /[1-9]/;

/** The format of a field that an event needs, and what is wrong with another. */
const formats: Partial<Record<EventField, readonly [pattern: RegExp, code: string, message: string]>> = {
  client_referenceId: [reference, "invalid_format", mustBeReference],
  transactionId: [/\S/, "missing", "must not be blank"],
  utr: [bankReference, "missing", "must be the reference of a bank"],
};

function isReference(value: unknown): value is string {
  return typeof value === "string" && reference.test(value);
}

/** Bytes: twice the longest reference in UTF-8. Longer bodies cost a stranger little to send, and us milliseconds to parse. */
const maxSearched = 8_192;

/**
 * Returns the reference in a body that was refused before it was parsed, if the body is short. It must be one that can
 * be printed: anybody may have written it, and it goes into logs (docs/assumptions.md, W14).
 */
export function searchReference(body: Uint8Array): string | undefined {
  if (body.length > maxSearched) return undefined;
  const found = field(parseJson(new TextDecoder().decode(body)), "client_referenceId");
  return isReference(found) && isPrintable(found) ? found : undefined;
}
