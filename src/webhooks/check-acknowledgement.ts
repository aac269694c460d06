import { ConfigurationError } from "../errors/request.ts";
import { isObject } from "../shared/json.ts";
import { integer, type Rules, readOptions, string } from "../shared/options.ts";
import type { AcknowledgementStatus } from "./events.ts";
import { statusCodes } from "./status-codes.ts";

/** What came back from a receiver. */
export interface AcknowledgementResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text. */
  readonly body: string;
}

/** What is wrong with an acknowledgement: a machine-readable code. */
export type AcknowledgementProblemCode =
  | "httpStatus"
  | "notJson"
  | "referenceNotEchoed"
  | "unknownStatus"
  | "failed"
  | "wrongStatusCode"
  | "wrongHttpStatusField"
  | "wrongAcknowledged";

/** One thing that is wrong with an acknowledgement. */
export interface AcknowledgementProblem {
  /** Machine-readable code. */
  readonly code: AcknowledgementProblemCode;
  /** What is wrong, in words. Never what the receiver sent. */
  readonly message: string;
}

/** What {@link checkAcknowledgement} found. */
export interface AcknowledgementReport {
  /** True for a complete SUCCESS or DUPLICATE, after which the service stops delivering (§6.4). */
  readonly ok: boolean;
  /** The `status` of the body, if it is one of §6.3. */
  readonly status: AcknowledgementStatus | undefined;
  /** Everything that is wrong, the gravest first. */
  readonly problems: readonly AcknowledgementProblem[];
}

/**
 * Says whether a receiver's response acknowledges a delivery (§6.3): HTTP 200 and a JSON body with all five fields. The
 * emulator and `serviceapi webhook fire` judge by it. Its time is not looked at: seven seconds are allowed.
 *
 * @param response - The HTTP status and the body, as text.
 * @param reference - The `client_referenceId` of the delivery, which the response must echo.
 * @throws ConfigurationError for arguments of another type, such as a `Response` whose body was not read.
 *
 * @example
 * ```ts
 * import { checkAcknowledgement, Webhooks } from "serviceapi/webhooks";
 *
 * const body = JSON.stringify(new Webhooks().acknowledge({ client_referenceId: "po-1" }, "SUCCESS"));
 * console.log(checkAcknowledgement({ status: 200, body }, "po-1").ok); // true
 * ```
 */
export function checkAcknowledgement(response: AcknowledgementResponse, reference: string): AcknowledgementReport {
  const given = readOptions("checkAcknowledgement", response, responseRules, ["status", "body"]);
  if (typeof reference !== "string")
    throw new ConfigurationError("checkAcknowledgement: the reference must be a string.");
  const body = parse(given.body);
  const status = statusOf(body);
  const problems: AcknowledgementProblem[] = [];
  if (given.status !== 200) {
    problems.push({ code: "httpStatus", message: `The HTTP status is ${given.status}; it must always be 200.` });
  }
  if (body === undefined) problems.push({ code: "notJson", message: "The body is not a JSON object." });
  else for (const [code, isRight, message] of rules) if (!isRight(body, reference)) problems.push({ code, message });
  return { ok: problems.length === 0, status, problems };
}

const responseRules: Rules<AcknowledgementResponse> = { status: integer(0), body: string };

type Body = ReadonlyMap<string, unknown>;
type Rule = readonly [code: AcknowledgementProblemCode, isRight: (body: Body, reference: string) => boolean, string];

/** The rows of §6.3, the gravest first. */
const rules: readonly Rule[] = [
  [
    "referenceNotEchoed",
    (body, reference) => body.get("client_referenceId") === reference,
    "`client_referenceId` must echo that of the delivery.",
  ],
  ["unknownStatus", (body) => statusOf(body) !== undefined, "`status` must be SUCCESS, FAILED or DUPLICATE."],
  [
    "failed",
    (body) => statusOf(body) !== "FAILED",
    "It says FAILED: the receiver refused the delivery, or could not process it.",
  ],
  [
    "wrongStatusCode",
    (body) => {
      const status = statusOf(body);
      return status === undefined || body.get("statusCode") === statusCodes[status];
    },
    '`statusCode` must be the string "200" for SUCCESS, "400" for FAILED, "208" for DUPLICATE.',
  ],
  ["wrongHttpStatusField", (body) => body.get("http_status") === true, "`http_status` must be true."],
  ["wrongAcknowledged", (body) => body.get("acknowledged") === "1", '`acknowledged` must be the string "1".'],
];

function statusOf(body: Body | undefined): AcknowledgementStatus | undefined {
  const status = body?.get("status");
  return status === "SUCCESS" || status === "FAILED" || status === "DUPLICATE" ? status : undefined;
}

/** Own fields only. */
function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
