import { field, isObject } from "../shared/json.ts";
import { integer, type Rules, readArguments, readOptions, string } from "../shared/options.ts";
import { type Acknowledgement, type AcknowledgementStatus, acknowledge } from "./events.ts";

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
  const rulesOfResponse: Rules<AcknowledgementResponse> = { status: integer(0), body: string };
  const given = readOptions("checkAcknowledgement", response, rulesOfResponse, ["status", "body"]);
  readArguments("checkAcknowledgement", { reference }, { reference: string });
  const body = parseBody(given.body);
  const said = field(body, "status");
  const status = said === "SUCCESS" || said === "FAILED" || said === "DUPLICATE" ? said : undefined;
  const expected = acknowledge(reference, status ?? "SUCCESS");
  const isWrong = (name: keyof Acknowledgement) => body !== undefined && field(body, name) !== expected[name];
  const codes = '"200" for SUCCESS, "400" for FAILED, "208" for DUPLICATE';
  const rows: readonly (readonly [isSo: boolean, code: AcknowledgementProblemCode, message: string])[] = [
    [given.status !== 200, "httpStatus", `The HTTP status is ${given.status}; it must always be 200.`],
    [body === undefined, "notJson", "The body is not a JSON object."],
    [isWrong("client_referenceId"), "referenceNotEchoed", "`client_referenceId` must echo that of the delivery."],
    [isWrong("status"), "unknownStatus", "`status` must be SUCCESS, FAILED or DUPLICATE."],
    [status === "FAILED", "failed", "`status` is FAILED: the receiver refused or could not process the delivery."],
    // Without a status, no code is the right one.
    [status !== undefined && isWrong("statusCode"), "wrongStatusCode", `\`statusCode\` must be the string ${codes}.`],
    [isWrong("http_status"), "wrongHttpStatusField", "`http_status` must be true."],
    [isWrong("acknowledged"), "wrongAcknowledged", '`acknowledged` must be the string "1".'],
  ];
  const problems = rows.flatMap(([isSo, code, message]) => (isSo ? [{ code, message }] : []));
  return { ok: problems.length === 0, status, problems };
}

/** A number stays a number, however large, unlike in `parseJson`: only a string echoes a reference. */
function parseBody(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
