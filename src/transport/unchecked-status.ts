import type { Issue } from "../errors/base.ts";
import type { OperationResponse } from "../operation.ts";
import { field } from "../shared/json.ts";
import { noSchema } from "../shared/no-schema.ts";
import type { CalledOperation } from "./request.ts";

/**
 * Returns an issue if a body that no schema describes has a status that is not a success: what a word like "ERROR"
 * means is for the caller to say. The status was not one of those that the service documents. A success of a call that is
 * sent once has no code of a refusal beside it, and says that it is one.
 */
export function uncheckedStatus(
  operation: Pick<CalledOperation, "body" | "isSuccess" | "retry">,
  { body, statusCode }: Pick<OperationResponse, "body" | "statusCode">,
): readonly Issue[] {
  if (operation.isSuccess !== undefined) return none;
  const isOnce = operation.retry === "never";
  if (isOnce && Number(statusCode) >= 300)
    return [refusalCode(body, "is not that of a success: pass `isSuccess` if it is")];
  if (operation.body["~standard"].vendor !== noSchema) return none;
  const isSilent = statusCode === undefined && fields.every((status) => isAbsent(field(body, status)));
  if (isOnce && isSilent) return unexpected("status");
  const name = fields.find((status) => !meansSuccess[status](field(body, status)));
  return name === undefined ? none : unexpected(name);
}

/** Returns an issue of the code of a response, under the name that it has there. */
export function refusalCode(body: unknown, message: string): Issue {
  const name = field(body, "statusCode") === undefined ? "status_code" : "statusCode";
  return { path: [name], message, code: "unexpected_value" };
}

function unexpected(name: string): readonly Issue[] {
  return [{ path: [name], message, code: "unexpected_status" }];
}

const none: readonly Issue[] = [];
const fields = ["status", "success"] as const;
const message = "does not say success: pass `isSuccess`, or a schema for `body` that accepts it";

/** Whether a field, which may be absent, leaves the response a success. */
const meansSuccess: Record<(typeof fields)[number], (value: unknown) => boolean> = {
  status: (value) => isAbsent(value) || value === true || ["success", "200", "201"].includes(lowerCase(value)),
  success: (value) => isAbsent(value) || !["false", "0"].includes(lowerCase(value)),
};

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A value other than text, a number or a boolean has none. */
function lowerCase(value: unknown): string {
  return typeof value === "object" ? "" : String(value).trim().toLowerCase();
}
