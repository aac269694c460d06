import type { Issue } from "../errors/base.ts";
import type { OperationResponse } from "../operation.ts";
import { field, trimmedScalar } from "../shared/json.ts";
import { noSchema } from "../shared/no-schema.ts";
import type { CalledOperation } from "./request.ts";

/**
 * Returns an issue if a body that no schema describes has a status that is not a success: what a word like "ERROR"
 * means is for the caller to say. The status was not one of those that the service documents. A success of a call that is
 * sent once has no code of a refusal beside it, and says that it is one.
 */
export function uncheckedStatus(
  operation: Pick<CalledOperation, "body" | "isSuccess" | "retry">,
  { body, statusCode, httpStatus }: Pick<OperationResponse, "body" | "statusCode" | "httpStatus">,
): readonly Issue[] {
  if (operation.isSuccess !== undefined) return none;
  const isOnce = operation.retry === "never";
  if (isOnce && statusCode !== undefined && !isDone(statusCode))
    return [refusalCode(body, "is not that of a success: pass `isSuccess` if it is")];
  if (isOnce && !isDone(String(httpStatus)))
    return unexpected("status", "comes under an HTTP status that is not 200 or 201");
  if (operation.body["~standard"].vendor !== noSchema) return none;
  const said = Object.entries(body ?? {}).filter(
    ([name, value]) => /^(status|success)$/i.test(name) && value !== undefined && (isOnce || value !== null),
  );
  if (isOnce && statusCode === undefined && said.length === 0) return unexpected("status");
  const other = said.find(([name, value]) => {
    const text = value === true ? "true" : trimmedScalar(value);
    // Of a look-up, `success` may also hold what it found.
    if (!isOnce && /^success$/i.test(name)) return value === false || /^(false|0)$/i.test(text);
    return !/^(success|true|yes|y|1|20[01])$/i.test(text);
  });
  return other === undefined ? none : unexpected(other[0]);
}

/** 101 is the code of a verification that succeeded (§2). */
function isDone(code: string): boolean {
  return /^(?:101|20[01])$/.test(code);
}

/** Returns an issue of the code of a response, under the name that it has there. */
export function refusalCode(body: unknown, message: string): Issue {
  const name = field(body, "statusCode") === undefined ? "status_code" : "statusCode";
  return { path: [name], message, code: "unexpected_value" };
}

function unexpected(name: string, message = unsaid): readonly Issue[] {
  return [{ path: [name], message, code: "unexpected_status" }];
}

const none: readonly Issue[] = [];
const unsaid = "does not say success: pass `isSuccess`, or a schema for `body` that accepts it";
