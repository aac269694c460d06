import type { Issue } from "../../errors/base.ts";
import type { Operation } from "../../operation.ts";
import { boolean } from "../../shared/options.ts";
import { hookResult } from "../../shared/promises.ts";
import { operationResponse } from "../../transport/classify.ts";
import { uncheckedStatus } from "../../transport/read-response.ts";

/** The parts of an operation that decide whether a body is a success. */
export type JudgedOperation = Pick<Operation<object, unknown>, "name" | "body" | "isSuccess" | "retry">;

/** The issue of a body whose status is that of a refusal. */
export const notSuccessStatus: Issue = {
  path: ["status"],
  message: "must say success; pass `refusal()` for a failure",
  code: "custom",
};

const notSuccess: Issue = {
  path: [],
  message: "must be a success by the `isSuccess` of the operation; pass `refusal()` for a failure",
  code: "custom",
};

/**
 * Returns why the client would not return this body of an operation of the user, by the rules that the client applies:
 * `isSuccess` decides alone; without it the status must not be that of a refusal.
 *
 * @throws ConfigurationError if `isSuccess` returns neither true nor false. What it throws is thrown.
 */
export function ownNotSuccess(operation: JudgedOperation, body: object): readonly Issue[] {
  const { name, isSuccess } = operation;
  const response = operationResponse({ status: 200 }, body);
  if (isSuccess !== undefined) {
    return hookResult(name, "isSuccess", isSuccess(response, {}), boolean) ? [] : [notSuccess];
  }
  if (response.verdict === "failed" || response.verdict === "pending") return [notSuccessStatus];
  return uncheckedStatus(operation, response);
}
