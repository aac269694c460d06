import { ConfigurationError } from "../errors/request.ts";
import { isObject } from "../shared/json.ts";
import { integer, type Rules, readOptions, string } from "../shared/options.ts";
import { type AcknowledgementStatus, statusCodes } from "./events.ts";

/** The response of a receiver. */
export interface AcknowledgementResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body as a string. */
  readonly body: string;
}

/** A machine-readable code for what is wrong with an acknowledgement. */
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
  /** A machine-readable code. */
  readonly code: AcknowledgementProblemCode;
  /** A description for people. Never what the receiver sent. */
  readonly message: string;
}

/** The result of {@link checkAcknowledgement}. */
export interface AcknowledgementReport {
  /** True for a complete SUCCESS or DUPLICATE, after which the service stops delivering (§6.4). */
  readonly ok: boolean;
  /** The `status` of the body, if §6.3 names it. */
  readonly status: AcknowledgementStatus | undefined;
  /** The problems, the gravest first. */
  readonly problems: readonly AcknowledgementProblem[];
}

/**
 * Checks whether a receiver's response acknowledges a delivery (§6.3): HTTP 200 and a JSON body with all five fields.
 * The emulator and `serviceapi webhook fire` use it. It does not check how long the response took: seven seconds are
 * allowed.
 *
 * @param response - The HTTP status, and the body as a string.
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
  const body = parseBody(given.body);
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
    "`status` is FAILED: the receiver refused or could not process the delivery.",
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

/** The own fields of a JSON object. A number stays a number, however large: only a string echoes a reference. */
function parseBody(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
